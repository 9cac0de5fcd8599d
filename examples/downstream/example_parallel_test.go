package main

import (
	"context"
	"fmt"
	"log"
	"sync"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

// How much does the mean depend on each school? One sampler for each data set that
// leaves a school out.
func Example_parallel() {
	all := eightSchools()
	opt := runtime.DefaultOptions()
	opt.Draws = 500
	opt.Workers = 1 // the goroutines below are parallel already

	means := make([]float64, all.J)
	errs := make([]error, all.J)
	var pool sync.WaitGroup
	for j := range all.J {
		pool.Go(func() {
			draws, err := sample(context.Background(), without(all, j), opt)
			means[j], errs[j] = diagnostics.Mean(diagnostics.Quantity(draws, func(p Params) float64 { return p.Mu })), err
		})
	}
	pool.Wait()
	for j := range means {
		if errs[j] != nil {
			log.Fatal(errs[j])
		}
	}
	fmt.Println("without the first school the mean is lower:", means[0] < means[2])
	// Output:
	// without the first school the mean is lower: true
}

// without returns the data of all schools but one.
func without(d Data, j int) Data {
	rest := Data{J: d.J - 1}
	for i := range d.Y {
		if i != j {
			rest.Y, rest.Sigma = append(rest.Y, d.Y[i]), append(rest.Sigma, d.Sigma[i])
		}
	}
	return rest
}

// The same model with two seeds: each goroutine has a clone.
func Example_clone() {
	model, err := New(eightSchools())
	if err != nil {
		log.Fatal(err)
	}
	mu := make([][][]float64, 2)
	var pool sync.WaitGroup
	for i := range mu {
		own := model.Clone() // before the goroutine: a model serves one at a time, also for Clone
		pool.Go(func() {
			opt := runtime.DefaultOptions()
			opt.Seed = uint64(i + 1)
			result, err := runtime.Sample(context.Background(), own, opt, nil)
			if err != nil {
				log.Print(err)
				return
			}
			mu[i] = result.Column("mu")
		})
	}
	pool.Wait()
	// Runs with different seeds are chains of one posterior.
	fmt.Println("they agree:", diagnostics.RHat(append(mu[0], mu[1]...)) < 1.01)
	// Output:
	// they agree: true
}
