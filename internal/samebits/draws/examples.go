package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"github.com/hamc-dev/hamc/generated/arma"
	"github.com/hamc-dev/hamc/generated/banana"
	"github.com/hamc-dev/hamc/generated/banana_explicit"
	"github.com/hamc-dev/hamc/generated/blood_groups"
	"github.com/hamc-dev/hamc/generated/eight_schools"
	"github.com/hamc-dev/hamc/generated/fitzhugh_nagumo"
	"github.com/hamc-dev/hamc/generated/funnel"
	"github.com/hamc-dev/hamc/generated/garch"
	"github.com/hamc-dev/hamc/generated/gaussian"
	"github.com/hamc-dev/hamc/generated/gaussian_process"
	"github.com/hamc-dev/hamc/generated/hidden_markov"
	"github.com/hamc-dev/hamc/generated/local_trend"
	"github.com/hamc-dev/hamc/generated/logistic"
	"github.com/hamc-dev/hamc/generated/logistic_indexed"
	"github.com/hamc-dev/hamc/generated/lotka_volterra"
	"github.com/hamc-dev/hamc/generated/rats"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility"
	"github.com/hamc-dev/hamc/generated/stochastic_volatility_authors"
	"github.com/hamc-dev/hamc/generated/volatility"
	"github.com/hamc-dev/hamc/runtime"
)

// A posterior is one that is drawn from.
type posterior struct {
	name string
	new  func(data string) (runtime.Posterior, error) // with the data of a directory
}

// examples are the samplers of package generated.
var examples = []posterior{
	example("arma", arma.ReadData, arma.New),
	example("banana", banana.ReadData, banana.New),
	example("banana_explicit", banana_explicit.ReadData, banana_explicit.New),
	example("blood_groups", blood_groups.ReadData, blood_groups.New),
	example("eight_schools", eight_schools.ReadData, eight_schools.New),
	example("fitzhugh_nagumo", fitzhugh_nagumo.ReadData, fitzhugh_nagumo.New),
	example("funnel", funnel.ReadData, funnel.New),
	example("garch", garch.ReadData, garch.New),
	example("gaussian", gaussian.ReadData, gaussian.New),
	example("gaussian_process", gaussian_process.ReadData, gaussian_process.New),
	example("hidden_markov", hidden_markov.ReadData, hidden_markov.New),
	example("local_trend", local_trend.ReadData, local_trend.New),
	example("logistic", logistic.ReadData, logistic.New),
	example("logistic_indexed", logistic_indexed.ReadData, logistic_indexed.New),
	example("lotka_volterra", lotka_volterra.ReadData, lotka_volterra.New),
	example("rats", rats.ReadData, rats.New),
	example("stochastic_volatility", stochastic_volatility.ReadData, stochastic_volatility.New),
	example("stochastic_volatility_authors", stochastic_volatility_authors.ReadData, stochastic_volatility_authors.New),
	example("volatility", volatility.ReadData, volatility.New),
}

// example returns the posterior of a generated package. A model without data has no file of them.
func example[D any, M runtime.Posterior](name string, read func(r io.Reader, name string) (D, error), build func(D) (M, error)) posterior {
	return posterior{name, func(data string) (runtime.Posterior, error) {
		file := filepath.Join(data, name+".data.json")
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) {
			text, err = []byte("{}"), nil
		}
		if err != nil {
			return nil, err
		}
		d, err := read(bytes.NewReader(text), file)
		if err != nil {
			return nil, err
		}
		return build(d)
	}}
}
