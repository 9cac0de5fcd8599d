package differential

import "runtime/debug"

// The corpus stays in memory, derived: twice of it, as the collector would let grow, is more than a small machine has.
func init() { debug.SetGCPercent(40) }
