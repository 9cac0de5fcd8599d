// Package schools is a posterior of the tests of kernels: a hierarchy whose metric changes with the position.
package rats

//go:generate go run ../../../cmd/hamc -o rats.go --pkg rats rats.ham
