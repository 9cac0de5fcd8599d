// Package schools is a posterior of the tests of kernels: a hierarchy whose metric changes with the position.
package schools

//go:generate go run ../../../cmd/hamc -o schools.go --pkg schools schools.ham
