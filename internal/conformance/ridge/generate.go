// Package ridge is a posterior of the tests of calibration: one whose metric is chosen by a race.
package ridge

//go:generate go run ../../../cmd/hamc -o ridge.go --pkg ridge ridge.ham
