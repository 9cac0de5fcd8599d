package main

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

func Example_sample() {
	model, err := New(eightSchools())
	if err != nil {
		log.Fatal(err)
	}
	opt := runtime.DefaultOptions()
	opt.Seed = 8
	result, err := runtime.Sample(context.Background(), model, opt, nil)
	if err != nil {
		log.Fatal(err)
	}

	// The parameters, component by component.
	summaries, err := diagnostics.Summarize(result.Names, result.Columns())
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range summaries {
		if !(s.RHat < 1.01 && s.ESSBulk > 400 && s.ESSTail > 400) {
			fmt.Println("the chains have not mixed:", s.Name)
		}
		if s.Name == "tau" {
			fmt.Printf("%s: mean %.0f\n", s.Name, s.Mean)
		}
	}

	// Anything else, from typed draws.
	draws, err := model.ParamDraws(result)
	if err != nil {
		log.Fatal(err)
	}
	first := diagnostics.Quantity(draws, func(p Params) float64 {
		if p.Theta[0] == slices.Max(p.Theta) {
			return 1
		}
		return 0
	})
	fmt.Printf("coaching works best in the first school: probability %.1f\n", diagnostics.Mean(first))
	// Output:
	// tau: mean 3
	// coaching works best in the first school: probability 0.2
}
