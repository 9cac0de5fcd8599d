// Package campaign says how long tests run. By default they are what a stranger
// waits for: a fixed sample of the cases, by the same code. In a long campaign,
// which .ci/run is, they are all cases. The environment variable HAMC_TEST
// chooses, and is read nowhere else:
//
//	short   the default
//	long    all cases
//	N       a whole number: long, and the tests of transition kernels N times as long
//
// A sample is chosen by position or by a fixed seed, never by the clock, so that
// a test that fails fails again.
package campaign

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
)

// Tests make short-lived garbage in small heaps: with a collection at every doubling, it takes up to a third of their
// time.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Variable is the environment variable that chooses.
const Variable = "HAMC_TEST"

// Long reports whether all cases are to be run.
func Long(t testing.TB) bool {
	t.Helper()
	return Times(t) > 0
}

// Cases returns short or, in a long campaign, long: a number of cases.
func Cases(t testing.TB, short, long int) int {
	t.Helper()
	if Long(t) {
		return long
	}
	return short
}

// Sample returns the cases of a list that are to be run: in a long campaign all,
// otherwise one in every, from the first on.
func Sample[T any](t testing.TB, list []T, every int) []T {
	t.Helper()
	if Long(t) {
		return list
	}
	var out []T
	for i := 0; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}

// Times returns how many times as long as in full the tests of kernels run, 0 in
// a short campaign.
func Times(t testing.TB) int {
	t.Helper()
	n, err := parse(os.Getenv(Variable))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// parse reads a value of the variable.
func parse(value string) (int, error) {
	switch value {
	case "", "short":
		return 0, nil
	case "long":
		return 1, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s is %q: expected short, long, or a whole number of at least 1", Variable, value)
	}
	return n, nil
}
