//go:build ignore

// Prints hamc's diagnostics of the draws in a directory in full precision, for
// readers.R: go run .ci/readers/diagnostics.go DIR
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/hamc-dev/hamc/runtime/diagnostics"
	"github.com/hamc-dev/hamc/runtime/draws"
)

func main() {
	set, err := draws.Load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	chains, n := set.Aligned()
	var names []string
	var values [][][]float64
	for i, name := range set.Columns {
		if draws.IsStatistic(name) {
			continue
		}
		var v [][]float64
		for _, c := range chains {
			v = append(v, c.Values[i][c.Warmup:][:n])
		}
		names, values = append(names, name), append(values, v)
	}
	rows, err := diagnostics.Summarize(names, values)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("name,mean,sd,mcse,q5,median,q95,rhat,ess_bulk,ess_tail")
	for _, r := range rows {
		fmt.Printf("%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r.Name, r.Mean, r.SD, r.MCSE,
			r.Quantiles[0], r.Quantiles[1], r.Quantiles[2], r.RHat, r.ESSBulk, r.ESSTail)
	}
}
