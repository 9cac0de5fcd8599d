package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/hamc-dev/hamc/runtime"
)

func Example_progress() {
	model, err := New(eightSchools())
	if err != nil {
		log.Fatal(err)
	}
	watch := &runtime.Callbacks{
		Interval: 100 * time.Millisecond,
		OnProgress: func(chains []runtime.ChainProgress) error {
			for i, c := range chains {
				fmt.Fprintf(os.Stderr, "chain %d: %v, %d of %d, %.0f per second, %d failed\n",
					i+1, c.Phase, c.Done, c.Total, c.Rate, c.Failures)
				if c.Done > 100 && c.Failures > c.Done/2 {
					return runtime.ErrStop // not worth to wait for
				}
			}
			return nil
		},
	}
	result, err := runtime.Sample(context.Background(), model, runtime.DefaultOptions(), watch)
	if err != nil {
		log.Fatal(err)
	}
	for i := range result.Chains {
		fmt.Printf("chain %d: %d draws\n", i+1, result.Chains[i].Drawn())
	}
	// Output:
	// chain 1: 1000 draws
	// chain 2: 1000 draws
	// chain 3: 1000 draws
	// chain 4: 1000 draws
}
