// Package normal is a sampler of a small model twice: as hamc generates it, and
// written by hand.
package normal

//go:generate go tool hamc normal.ham
