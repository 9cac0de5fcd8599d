package expr

// A model may be small as a text and too large to derive. Derivation counts what it
// makes, never the time it takes, and ends in a message at the statement that is
// largest. The limits are such that this takes less than two seconds and less than one
// gigabyte.
const (
	MaxNodes  = 200_000   // expressions
	MaxWork   = 3_200_000 // expressions asked for, with their operands, of all blocks
	MaxCoarse = 3_000_000 // those of the attempt with the coarse grain, which count too
	LeastFine = 1_200_000 // what the fine grain has left in any case
	MaxTotal  = 4_000_000 // all that, and what emission will take
)

// CurvedAllowance multiplies the limits where second derivatives of the density are derived.
const CurvedAllowance = 4

// Budget is what the derivation of a model may take of nodes, and what it has taken.
type Budget struct {
	Limited   bool // the limits hold
	Work      int  // nodes asked for so far, with their operands
	MaxWork   int  // what that may be
	Allowance int  // by which the limits are multiplied
	looked    int  // operands looked at that are not in Work yet
}

// TooLarge is what the constructors panic with beyond the limits; derive recovers it.
type TooLarge struct{}

// spend counts the making of a node with some operands.
func (c *Context) spend(operands int) {
	if !c.Budget.Limited {
		return
	}
	c.Budget.Work += 1 + operands
	if c.Budget.Work > c.Budget.MaxWork*c.Budget.Allowance || len(c.nodes) > MaxNodes*c.Budget.Allowance {
		c.Budget.Limited = false
		panic(TooLarge{})
	}
}

// looks is how many operands differentiation looks at in the time of one node asked for.
const looks = 4

// look counts operands that differentiation looks at, most of which have no derivative.
func (c *Context) look(operands int) {
	if c.Budget.looked += 1 + operands; c.Budget.looked >= looks {
		n := c.Budget.looked / looks
		c.Budget.looked -= n * looks
		c.spend(n - 1)
	}
}
