package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/diagnostics"
)

func Example_deadline() {
	model, err := New(eightSchools())
	if err != nil {
		log.Fatal(err)
	}
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws = 2, math.MaxInt
	opt.Workers = opt.Chains // all chains at the same time

	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	result, err := runtime.Sample(ctx, model, opt, nil)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		log.Fatal(err)
	}
	tau := result.Column("tau") // chains cut to one length
	fmt.Println(len(tau), "chains of one length:", len(tau[0]) == len(tau[1]))
	fmt.Printf("tau: mean %.0f\n", diagnostics.Mean(tau))
	// Output:
	// 2 chains of one length: true
	// tau: mean 3
}

func Example_condition() {
	model, err := New(eightSchools())
	if err != nil {
		log.Fatal(err)
	}
	opt := runtime.DefaultOptions()
	opt.Draws = 50
	result, err := runtime.Sample(context.Background(), model, opt, nil)
	for err == nil && diagnostics.ESSTail(result.Column("tau")) < 1000 && opt.Draws < 10_000 {
		opt.From, opt.Draws = result.States(), 2*opt.Draws
		var more *runtime.Result
		if more, err = runtime.Sample(context.Background(), model, opt, nil); err == nil {
			err = result.Append(more)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("enough:", diagnostics.ESSTail(result.Column("tau")) >= 1000)
	fmt.Println("draws as asked for:", len(result.Column("tau")[0]) == opt.Draws)
	// Output:
	// enough: true
	// draws as asked for: true
}
