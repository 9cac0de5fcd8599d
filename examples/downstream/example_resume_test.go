package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"

	"github.com/hamc-dev/hamc/runtime"
)

func Example_resume() {
	model, err := New(eightSchools())
	if err != nil {
		log.Fatal(err)
	}
	opt := runtime.DefaultOptions()

	// A run that ends early: the first chain calls it off at its draw 300.
	drawn := 0
	result, err := runtime.Sample(context.Background(), model, opt, &runtime.Callbacks{
		OnDraw: func(chain int, row []float64, state func() *runtime.State) error {
			if chain == 0 {
				if drawn++; drawn == 300 {
					return runtime.ErrStop
				}
			}
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}

	// Where the chains stand, in a file. JSON keeps every number exactly.
	file := filepath.Join(os.TempDir(), fmt.Sprintf("schools-%d.json", os.Getpid()))
	defer os.Remove(file)
	text, err := json.Marshal(result.States())
	if err == nil {
		err = os.WriteFile(file, text, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}

	// Later, perhaps in another process:
	text, err = os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &opt.From)
	}
	if err != nil {
		log.Fatal(err)
	}
	rest, err := runtime.Sample(context.Background(), model, opt, nil)
	if err != nil {
		log.Fatal(err)
	}

	// rest has the new draws only. With the old ones, the run is whole.
	if err := result.Append(rest); err != nil {
		log.Fatal(err)
	}
	opt.From = nil
	whole, err := runtime.Sample(context.Background(), model, opt, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the same draws as without a break:", reflect.DeepEqual(result.Columns(), whole.Columns()))
	// Output:
	// the same draws as without a break: true
}
