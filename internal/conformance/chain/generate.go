// Package chain is a posterior of the tests of kernels: one with a chain and its level.
package chain

//go:generate go run ../../../cmd/hamc -o chain.go --pkg chain chain.ham
