// Command downstream shows how a program uses a model that hamc compiled: the
// sampler is a package of Go like any other, and the data are typed.
//
// It stands in a module of its own, as a user's program does:
//
//	go get -tool github.com/hamc-dev/hamc/cmd/hamc
//	go generate ./...
//	go run .
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/hamc-dev/hamc/runtime"
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
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	draws, err := sample(ctx, eightSchools(), runtime.DefaultOptions())
	if err != nil {
		return err
	}
	effects := make([]float64, len(draws[0].Z))
	for _, d := range draws {
		for j, z := range d.Z {
			effects[j] += (d.Mu + d.Tau*z) / float64(len(draws))
		}
	}
	for j, e := range effects {
		fmt.Printf("school %d: mean effect %5.1f\n", j+1, e)
	}
	return nil
}

// sample returns the draws of all chains as the model's own parameters.
func sample(ctx context.Context, data Data, opt runtime.Options) ([]Params, error) {
	model, err := New(data)
	if err != nil {
		return nil, err
	}
	result, err := runtime.Sample(ctx, model, opt, nil)
	if err != nil {
		return nil, err
	}
	var draws []Params
	for _, c := range result.Chains {
		for i := range opt.Draws {
			x := make([]float64, len(result.Names))
			for k := range x {
				x[k] = c.Draws[k][i]
			}
			draws = append(draws, model.ParamsOf(x))
		}
	}
	return draws, nil
}
