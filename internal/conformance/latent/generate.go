// Package latent is a posterior of the tests of kernels: one with a latent vector.
package latent

//go:generate go run ../../../cmd/hamc -o latent.go --pkg latent latent.ham
