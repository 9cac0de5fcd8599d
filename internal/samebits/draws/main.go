// Command draws prints the bits of draws of the examples' generated samplers, on the data in the directory
// that it is given. TestDraws compares what it prints on several machines.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/eight_schools"
	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/generated/rats"
	"github.com/hamc-dev/hamc/runtime"
)

// example is a model with the number of its transitions: an emulator takes its time.
type example struct {
	name          string
	warmup, draws int
	new           func(r io.Reader) (runtime.Model, error)
}

// read makes a model of its data.
func read[D, M any](data func(io.Reader, string) (D, error), make func(D) (*M, error), as func(*M) runtime.Model) func(io.Reader) (runtime.Model, error) {
	return func(r io.Reader) (runtime.Model, error) {
		d, err := data(r, "data")
		if err != nil {
			return nil, err
		}
		m, err := make(d)
		if err != nil {
			return nil, err
		}
		return as(m), nil
	}
}

var examples = []example{
	{"banana", 40, 20, read(banana.ReadData, banana.New, func(m *banana.Model) runtime.Model { return m })},
	{"eight_schools", 30, 10, read(eight_schools.ReadData, eight_schools.New, func(m *eight_schools.Model) runtime.Model { return m })},
	{"fitzhugh_nagumo", 2, 1, read(fitzhugh_nagumo.ReadData, fitzhugh_nagumo.New, func(m *fitzhugh_nagumo.Model) runtime.Model { return m })},
	{"funnel", 30, 10, read(funnel.ReadData, funnel.New, func(m *funnel.Model) runtime.Model { return m })},
	{"gaussian", 40, 20, read(gaussian.ReadData, gaussian.New, func(m *gaussian.Model) runtime.Model { return m })},
	{"logistic", 10, 5, read(logistic.ReadData, logistic.New, func(m *logistic.Model) runtime.Model { return m })},
	{"rats", 4, 2, read(rats.ReadData, rats.New, func(m *rats.Model) runtime.Model { return m })},
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	for _, x := range examples {
		if err := x.print(dir); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	return nil
}

// print prints the draws of an example.
func (x *example) print(dir string) error {
	var data io.Reader
	if f, err := os.Open(filepath.Join(dir, x.name+".data.json")); err == nil {
		defer f.Close()
		data = f
	} else {
		data = strings.NewReader("{}")
	}
	model, err := x.new(data)
	if err != nil {
		return err
	}
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Warmup, opt.Draws, opt.Seed = 2, x.warmup, x.draws, 7
	r, err := runtime.Sample(context.Background(), model, opt, nil)
	if err != nil {
		return err
	}
	for i := range r.Chains {
		for _, row := range r.Chains[i].Draws {
			fmt.Printf("%s, chain %d:", x.name, i)
			for _, v := range row {
				fmt.Printf(" %016x", math.Float64bits(v))
			}
			fmt.Println()
		}
	}
	return nil
}
