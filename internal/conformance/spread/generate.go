// Package spread is a posterior of the tests of kernels: one with a spread whose logarithm is bent.
package spread

//go:generate go run ../../../cmd/hamc -o spread.go --pkg spread spread.ham
