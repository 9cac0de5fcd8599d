package runtime

import "slices"

// Columns returns the names of the columns that the draws of a posterior have, statistics
// aside: the components of its parameters, on their own scale, and then of its generated
// quantities, of those alone that are named in keep, unless it is empty. The value of
// column i is number at[i] of the parameters, as Constrain writes them, followed by the
// quantities, as Generate does.
//
// Of a matrix the first index runs fastest, as CmdStan's readers want it.
func Columns(p Posterior, keep []string) (names []string, at []int) {
	all := p.Info().Params
	for _, q := range quantities(p) {
		all = append(slices.Clip(all), q.Param)
	}
	from := 0
	for i := range all {
		v := &all[i]
		if len(keep) == 0 || slices.Contains(keep, v.Name) {
			own := ComponentNames(&Info{Params: all[i : i+1]})
			for _, k := range columnMajor(v.Shape) {
				names, at = append(names, own[k]), append(at, from+k)
			}
		}
		from += v.Size()
	}
	return names, at
}

// columnMajor lists the elements of a row-major array, the first index running fastest.
func columnMajor(shape []int) []int {
	size := 1
	strides := make([]int, len(shape)) // row-major
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = size
		size *= shape[d]
	}
	places := make([]int, size)
	for i := range places {
		rest := i
		for d, n := range shape {
			places[i] += rest % n * strides[d]
			rest /= n
		}
	}
	return places
}

// quantities returns the generated quantities of a posterior, if it has any.
func quantities(p Posterior) []Quantity {
	if g, ok := p.(Generator); ok {
		return g.Generated()
	}
	return nil
}
