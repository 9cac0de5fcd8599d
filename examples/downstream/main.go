// Command downstream shows how a program uses a model that hamc compiled: the
// sampler is a package of Go like any other, and the data are typed.
//
// It stands in a module of its own, as a user's program does. docs/go.md shows how such a
// module begins.
//
//	go generate ./...
//	go run .
//
// With the name of a directory it writes the draws there; hamc reads them, and a
// run that was broken off goes on when the program is started again.
//
//	go run . schools-draws
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

//go:generate go tool hamc schools.ham

// eightSchools are the estimated effects of coaching in eight schools and their
// standard errors (Rubin 1981).
func eightSchools() Data {
	return Data{
		J:     8,
		Y:     []float64{28, 8, -3, 7, -1, 1, 18, 12},
		Sigma: []float64{15, 10, 16, 11, 9, 11, 10, 18},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := effects
	if len(os.Args) > 1 {
		run = func(ctx context.Context) error {
			return record(ctx, os.Args[1], eightSchools(), runtime.DefaultOptions())
		}
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// effects prints the effect of coaching in each school.
func effects(ctx context.Context) error {
	draws, err := sample(ctx, eightSchools(), runtime.DefaultOptions())
	if err != nil {
		return err
	}
	for j := range eightSchools().J {
		effect := diagnostics.Quantity(draws, func(p Params) float64 { return p.Theta[j] })
		fmt.Printf("school %d: effect %4.1f ± %.1f\n", j+1, diagnostics.Mean(effect), diagnostics.SD(effect))
	}
	return nil
}

// sample returns the draws of each chain as the model's own parameters.
func sample(ctx context.Context, data Data, opt runtime.Options) ([][]Params, error) {
	model, err := New(data)
	if err != nil {
		return nil, err
	}
	result, err := runtime.Sample(ctx, model, opt, nil)
	if err != nil {
		return nil, err
	}
	return model.ParamDraws(result)
}
