package symbolic

// A model may be small as a text and too large to derive. Derivation counts what it
// makes, never the time it takes, and ends in a message at the statement that is
// largest. The limits are such that this takes less than two seconds and less than one
// gigabyte.
const (
	maxNodes  = 200_000   // expressions
	maxWork   = 3_200_000 // expressions asked for, with their operands, of all blocks
	maxCoarse = 3_000_000 // those of the attempt with the coarse grain, which count too
	leastFine = 1_200_000 // what the fine grain has left in any case
	maxTotal  = 4_000_000 // all that, and what emission will take
)

// tooLarge is what the constructors panic with beyond the limits; derive recovers it.
type tooLarge struct{}

// spend counts the making of a node with some operands.
func (c *Context) spend(operands int) {
	if !c.limited {
		return
	}
	c.work += 1 + operands
	if c.work > c.maxWork*c.allowance || len(c.nodes) > maxNodes*c.allowance {
		c.limited = false
		panic(tooLarge{})
	}
}

// looks is how many operands differentiation looks at in the time of one node asked for.
const looks = 4

// look counts operands that differentiation looks at, most of which have no derivative.
func (c *Context) look(operands int) {
	if c.looked += 1 + operands; c.looked >= looks {
		n := c.looked / looks
		c.looked -= n * looks
		c.spend(n - 1)
	}
}
