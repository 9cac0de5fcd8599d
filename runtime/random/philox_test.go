package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

var _ rand.Source = (*Philox)(nil)

// The first block of each case is a known-answer vector of Random123
// (philox4x64 10, kat_vectors); both blocks were produced with numpy 2.4.6,
//
//	numpy.random.Philox(key=k, counter=(c-1) % 2**256).random_raw(8)
//
// because numpy increments the counter before it generates.
var known = []struct {
	key     [2]uint64
	counter [4]uint64
	want    [8]uint64
}{
	{
		[2]uint64{0, 0},
		[4]uint64{0, 0, 0, 0},
		[8]uint64{
			0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b,
			0x02f4ba6408e4d89b, 0x3dd62b0b9ca8c5b2, 0x1c8667a55d902e79, 0x907d7a052fd5b4dc,
		},
	},
	{
		[2]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c},
		[4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
		[8]uint64{
			0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6,
			0x4c8e672094922aa3, 0x527061cd2884102a, 0xf4c265b2d783d553, 0x0556e76cb0298c8d,
		},
	},
}

func TestKnownAnswers(t *testing.T) {
	for _, k := range known {
		next := k.counter
		next[0]++
		first, second := Block(k.key, k.counter), Block(k.key, next)
		for i, want := range k.want {
			got := append(first[:], second[:]...)[i]
			if got != want {
				t.Errorf("key %x counter %x word %d: %#x, want %#x", k.key, k.counter, i, got, want)
			}
		}
	}
	ones := Block(
		[2]uint64{math.MaxUint64, math.MaxUint64},
		[4]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64},
	)
	if want := [4]uint64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}; ones != want {
		t.Errorf("all ones: %x, want %x", ones, want)
	}
}

func TestStreamIsTheBlocksInOrder(t *testing.T) {
	p := New(7, 3)
	p.Uint64() // Seek must discard what is left of a block
	p.Seek(2, 41)
	for block := range uint64(3) {
		for i, want := range Block([2]uint64{7, 3}, [4]uint64{block, 41, 2, 0}) {
			if got := p.Uint64(); got != want {
				t.Fatalf("block %d word %d: %#x, want %#x", block, i, got, want)
			}
		}
	}
}

// Streams that differ in one coordinate only must look independent: over n
// pairs of uniforms the correlation has standard deviation 1/√n.
func TestNeighbouringStreamsAreUncorrelated(t *testing.T) {
	const n = 40000
	neighbours := map[string][2]*Philox{
		"seed":      {New(1, 1), New(2, 1)},
		"chain":     {New(1, 1), New(1, 2)},
		"phase":     {New(1, 1), New(1, 1)},
		"iteration": {New(1, 1), New(1, 1)},
	}
	neighbours["phase"][1].Seek(1, 0)
	neighbours["iteration"][1].Seek(0, 1)
	for name, pair := range neighbours {
		a, b := rand.New(pair[0]), rand.New(pair[1])
		var sum float64
		for range n {
			sum += (a.Float64() - 0.5) * (b.Float64() - 0.5)
		}
		if r := 12 * sum / n; math.Abs(r) > 5/math.Sqrt(n) {
			t.Errorf("%s: correlation %.4f", name, r)
		}
	}
}
