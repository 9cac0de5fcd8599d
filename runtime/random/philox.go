// Package random is the source of randomness of the samplers: a counter-based
// generator whose streams are addressed by (seed, chain, phase, iteration), so
// that what one transition draws depends on nothing else, and generators of the
// language's distributions.
package random

import "math/bits"

// The multipliers and Weyl increments of Philox4x64 (Salmon et al. 2011,
// table 2).
const (
	mul0  = 0xD2E7470EE14C6C93
	mul1  = 0xCA5A826395121157
	weyl0 = 0x9E3779B97F4A7C15
	weyl1 = 0xBB67AE8584CAA73B
)

// Philox is the generator Philox4x64-10 of Salmon, Moraes, Dror & Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (2011). Ten rounds of a keyed
// bijection turn a 256-bit counter into 256 random bits, and word 0 of the
// counter counts these blocks. It is a Source of math/rand/v2. The zero value
// is ready for use with key (0, 0); a value serves one goroutine.
type Philox struct {
	key     [2]uint64
	counter [4]uint64 // of the next block
	block   [4]uint64
	left    int // words of block not yet handed out
}

// New returns the generator with the key (seed, chain), at Seek(0, 0).
func New(seed, chain uint64) *Philox {
	return &Philox{key: [2]uint64{seed, chain}}
}

// Seek moves to the beginning of the stream (phase, iteration): counter
// (0, iteration, phase, 0). Streams are 2⁶⁶ words long and do not overlap.
func (p *Philox) Seek(phase, iteration uint64) {
	p.counter = [4]uint64{0, iteration, phase, 0}
	p.left = 0
}

// Uint64 returns the next 64 random bits.
func (p *Philox) Uint64() uint64 {
	if p.left == 0 {
		p.block = Block(p.key, p.counter)
		p.counter[0]++
		p.left = len(p.block)
	}
	x := p.block[len(p.block)-p.left]
	p.left--
	return x
}

// Block returns the 256 bits that Philox4x64-10 assigns to a key and a
// counter.
func Block(key [2]uint64, counter [4]uint64) [4]uint64 {
	c0, c1, c2, c3 := counter[0], counter[1], counter[2], counter[3]
	k0, k1 := key[0], key[1]
	for range 10 {
		hi0, lo0 := bits.Mul64(mul0, c0)
		hi1, lo1 := bits.Mul64(mul1, c2)
		c0, c1, c2, c3 = hi1^c1^k0, lo1, hi0^c3^k1, lo0
		k0 += weyl0
		k1 += weyl1
	}
	return [4]uint64{c0, c1, c2, c3}
}
