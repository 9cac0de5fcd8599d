package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/dsl"
)

func newVet(e *env) *cobra.Command {
	var data string
	var consts []string
	cmd := &cobra.Command{
		Use:   "vet MODEL.ham",
		Short: "Say what compiles and is probably wrong, of a model and of its data",
		Long: `Say what compiles and is probably wrong: parameters without a prior, data that are described twice, counts under a distribution of real
numbers, priors that say nothing or push to 0, predictors on wildly different scales, groups without data. Data are looked at where there are some.

Exit codes: 0 nothing found, 1 errors or findings, 2 usage.`,
		Args:              exactly(1, "MODEL.ham"),
		ValidArgsFunction: completeModel,
		RunE:              func(_ *cobra.Command, args []string) error { return e.vet(args[0], data, consts) },
	}
	cmd.Flags().StringVar(&data, "data", "", "`FILE` of data in CmdStan's JSON; default MODEL.data.json beside the model, if there is one")
	constFlag(cmd, &consts)
	completeFlags(cmd)
	return cmd
}

// vet tells what is probably wrong with a model and its data.
func (e *env) vet(path, data string, consts []string) error {
	bindings, err := parseConsts(consts)
	if err != nil {
		return err
	}
	text, err := readModel(path)
	if err != nil {
		return err
	}
	m, ds := derive(path, text, bindings, false)
	if m == nil {
		return e.accept(path, nil, ds)
	}
	var values map[string][]float64
	if found, err := m.dataPath(data); err == nil && found != "" {
		d, err := m.read(data)
		if err != nil {
			return err
		}
		values = d.Values()
	}
	told := map[dsl.Span]bool{} // of what check said already
	for _, d := range ds.List {
		told[d.Span] = true
	}
	for _, d := range m.checked.Vet(values) {
		if !told[d.Span] || d.Code != dsl.FlatPrior {
			ds.List = append(ds.List, d)
		}
	}
	if len(ds.List) > 0 {
		e.tell(ds)
		return errReported
	}
	what := "the model"
	if values != nil {
		what += " and its data"
	}
	_, err = fmt.Fprintf(e.stdout, "nothing found in %s\n", what)
	return wrap(err)
}

// mayBeWhy are the findings that may be why chains do not mix, in the order in which one is named.
var mayBeWhy = []dsl.Code{dsl.FreeScale, dsl.NoPrior, dsl.ScarceData, dsl.NoJacobian, dsl.ConstantPredictor, dsl.FarPredictor, dsl.UnequalPredictors, dsl.SpikedPrior, dsl.FlatPrior, dsl.VaguePrior, dsl.EmptyGroup, dsl.UsedTwice}

// suspicion says what the check and vet find that may be why draws are not to be trusted: the first of it in words. It is "" where there is nothing.
func (p *posterior) suspicion() string {
	var first *dsl.Diagnostic
	n := 0
	list := append(slices.Clone(p.told), p.checked.Vet(p.data.Values())...)
	for i := range list {
		rank := slices.Index(mayBeWhy, list[i].Code)
		if rank < 0 {
			continue
		}
		n++
		if first == nil || rank < slices.Index(mayBeWhy, first.Code) {
			first = &list[i]
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("this may be why: %s (hamc vet)", first.Message)
	}
	return fmt.Sprintf("one of these %d may be why: %s; `hamc vet %s` says the others", n, first.Message, p.path)
}
