package elementary

import (
	"hash/fnv"
	"math"
	"testing"
)

// hashes are of what the functions return in TestBits. A function that is changed on purpose
// gets another; a machine, never.
var hashes = map[string]uint64{
	"exp":    0x38c24bff644e1125,
	"expm1":  0xeca1575a99a6f9b9,
	"sinh":   0x6e6718f0a485830f,
	"cosh":   0x86b6fdefbcf1bec7,
	"tanh":   0x43daddefadb1e0fd,
	"log":    0x36bf2f8bd7850058,
	"log10":  0x82e6da62297e07ac,
	"log1p":  0xa6291ba6b8b7e1fa,
	"sin":    0x99a72ae570f5cd2b,
	"cos":    0xe970f0fdddcafd62,
	"tan":    0xc508e137bff7d8d9,
	"atan":   0xa0e34600a92e2bd8,
	"erfc":   0x525bb0a6233b9f74,
	"lgamma": 0xd80be7ba601e2b23,
	"pow":    0x3761aee547ddcdf4,
	"hypot":  0x975a7076b0a55813,
}

// TestBits compares with what other machines computed: the argument runs through numbers of all sizes, and
// more of those that models have. It means something where it runs on several architectures, as in .ci/run.
func TestBits(t *testing.T) {
	for _, c := range functions {
		h := fnv.New64a()
		state := uint64(1)
		next := func() uint64 { // xorshift64*
			state ^= state >> 12
			state ^= state << 25
			state ^= state >> 27
			return state * 2685821657736338717
		}
		for range 20000 {
			b := next()
			unit := float64(b>>11) * 0x1p-53
			for _, x := range [...]float64{math.Float64frombits(b), unit, -8 * unit, 100 * unit, -720 * unit} {
				var v float64
				if c.two != nil {
					v = c.two(math.Abs(x), math.Float64frombits(next()>>2+0x1fff<<49))
				} else {
					v = c.f(x)
				}
				if v != v {
					v = 0 // the bits of NaN are not determined
				}
				var text [8]byte
				for i := range text {
					text[i] = byte(math.Float64bits(v) >> (8 * i))
				}
				h.Write(text[:])
			}
		}
		if got := h.Sum64(); got != hashes[c.name] {
			t.Errorf("%s has other bits: %#x, not %#x", c.name, got, hashes[c.name])
		}
	}
}
