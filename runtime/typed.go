package runtime

import (
	"errors"
	"fmt"
)

// ParamDraws returns the draws of r, a result of p, as values of a type: element [c][i] is
// what of makes of the parameters of draw i of chain c, chains and draws as Aligned. It is
// given the values of all parameters as Constrain writes them, and may keep the slice.
// Generated models have a method of this name.
//
// It is an error if r is of another posterior, or lacks the draws of a parameter.
func ParamDraws[T any](r *Result, p Posterior, of func(values []float64) T) ([][]T, error) {
	return typed(r, p, 0, p.Info().Size(), of)
}

// QuantityDraws is ParamDraws for the generated quantities of p: of is given their values
// as Generate writes them. Generated models with quantities have a method of this name.
func QuantityDraws[T any](r *Result, p Posterior, of func(values []float64) T) ([][]T, error) {
	return typed(r, p, p.Info().Size(), QuantitiesLen(quantities(p)), of)
}

// typed returns what of makes of n values of each draw, from number first on among those
// of parameters and quantities.
func typed[T any](r *Result, p Posterior, first, n int, of func(values []float64) T) ([][]T, error) {
	columns, err := r.places(p, first, n)
	if err != nil {
		return nil, err
	}
	chains, draws := r.Aligned()
	out := make([][]T, len(chains))
	for c, chain := range chains {
		out[c] = make([]T, draws)
		values := make([]float64, draws*n)
		for k, at := range columns {
			for i, x := range chain.Draws[at][:draws] {
				values[i*n+k] = x
			}
		}
		for i := range out[c] {
			out[c][i] = of(values[i*n : (i+1)*n : (i+1)*n])
		}
	}
	return out, nil
}

// places returns the columns of n values, from number first on among those of the
// parameters and quantities of p.
func (r *Result) places(p Posterior, first, n int) ([]int, error) {
	names, at := Columns(p, nil)
	columns := make([]int, n)
	missing := ""
	k := 0 // of Names, which are a part of names in the same order
	for i, name := range names {
		here := k < len(r.Names) && r.Names[k] == name
		if j := at[i] - first; j >= 0 && j < n {
			columns[j] = k
			if !here && missing == "" {
				missing = name
			}
		}
		if here {
			k++
		}
	}
	switch {
	case k < len(r.Names):
		return nil, fmt.Errorf("the result is not of model %s, which has no %s", p.Info().Name, r.Names[k])
	case missing != "":
		return nil, fmt.Errorf("the result has no draws of %s: add it to Options.Keep, or leave that empty to keep all", missing)
	case r.discarded:
		return nil, errors.New("the result has no draws: Options.Discard gives them to the observer only")
	}
	return columns, nil
}
