// Package benchmarks measures what this project claims of its samplers: that
// they reproduce the statistics of Brofos & Lederman (2021), that their rule for
// giving up a fixed-point solve costs no reversibility, and that generated code
// is about as fast as code written by hand for one model.
//
// The statistics are ordinary tests with fixed seeds. Speed is measured by
// benchmarks only:
//
//	go test -bench . ./internal/benchmarks
//
// and, because machines are shared and noisy, by a program that interleaves
// what it compares:
//
//	go run ./internal/benchmarks/ratios
//
// Program house compares what the compiler makes of the examples with what it made of them at another
// revision: size, speed and draws.
//
// Program generation measures the compiler itself on all models: checks and generation, with those that exceed their limits.
//
// Folder corpus holds 121 posteriors, and measures hamc on them beside Stan and nutpie.
//
// Program irreversible prints the table from which the policy for solves was
// chosen; heavytail holds draws of a posterior without a variance against a quadrature.
package benchmarks

//go:generate go run ../../cmd/hamc --const k=10 --const n=569 --pkg logistic569x10 -o logistic569x10/model.go ../../examples/logistic.ham
