package codegen

import (
	"fmt"
	"strings"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/symbolic"
	"github.com/hamc-dev/hamc/symbolic/expr"
)

// Explain describes what the compiler made of a model: the log density, the
// structure of the metric, and for each function of the emitted code the
// formulas that it computes with their operation counts as polynomials in the
// sizes. An error is a bug of the compiler.
func Explain(d *symbolic.Derived) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			text, err = "", fmt.Errorf("%v", r)
		}
	}()
	units, err := newUnits(d, Options{Package: "explain"})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for n, g := range units {
		if n > 0 {
			b.WriteString("\n")
		}
		g.explain(&b)
	}
	return b.String(), nil
}

// ExplainPass returns the loop programs of a model after a pass, or as they are lowered: one for
// each type of the emitted code. An error is a bug of the compiler.
func ExplainPass(d *symbolic.Derived, name string) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			text, err = "", fmt.Errorf("%v", r)
		}
	}()
	var programs []string
	units, err := newUnits(d, Options{Package: "explain", AfterPass: func(at string, p *loop.Program) {
		if at == name {
			programs = append(programs, p.Format())
		}
	}})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for n, g := range units {
		if n > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "// %s, after %s\n\n%s", g.typ, name, programs[n])
	}
	return b.String(), nil
}

// explain describes one type.
func (g *generator) explain(b *strings.Builder) {
	fmt.Fprintf(b, "%s  L = %s\n", g.role.title(g), g.formula())
	g.role.report(g, b)
}

// explainPhase describes a function of the emitted code; name is that of a result.
func explainPhase(b *strings.Builder, title string, ph *phase, outs []symbolic.Output, name func(symbolic.Output) string) {
	if len(ph.defs) == 0 && len(outs) == 0 {
		return
	}
	total := expr.NewCost()
	var lines []string
	for _, def := range ph.defs {
		subs := make([]string, len(def.Indices))
		for i, x := range def.Indices {
			subs[i] = x.Name + " in " + x.Range.String()
		}
		left := def.Tensor.Name
		if len(subs) > 0 {
			left += "[" + strings.Join(subs, ", ") + "]"
		}
		c := def.Cost()
		total.Add(c)
		lines = append(lines, fmt.Sprintf("  %-9s %s = %s", def.Stage(), left, expr.Format(def.Body)))
	}
	for _, o := range outs {
		total.Add(expr.CostOf(o.E, o.Indices))
		lines = append(lines, fmt.Sprintf("  result    %s = %s", name(o), expr.Format(o.E)))
	}
	fmt.Fprintf(b, "\n%s: %s\n%s\n", title, total, strings.Join(lines, "\n"))
}

func (g *generator) explainGenerated(b *strings.Builder) {
	explainPhase(b, "generated quantities, once per draw", &g.ph.generate, nil, nil)
}

// explainMetric describes what a type with a metric computes.
func (g *generator) explainMetric(b *strings.Builder) {
	d, t := g.d, g.storage.terms()
	if text := g.transportsDoc(); text != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimSpace(text))
	}
	fmt.Fprintf(b, "\nmetric: %s\n", g.metricDoc())
	of := func(prefix string) func(symbolic.Output) string {
		return func(o symbolic.Output) string {
			return prefix + d.Params[o.Row].Coord.Name + subscripts(o)
		}
	}
	explainPhase(b, "data, once", &g.ph.data, nil, nil)
	explainPhase(b, g.role.gives()+", once each time", &g.ph.given, nil, nil)
	for _, e := range g.odes {
		g.explainODE(b, e)
	}
	explainPhase(b, "log density", &g.ph.logDensity, []symbolic.Output{d.LogDensity}, func(symbolic.Output) string { return "L" })
	explainPhase(b, "gradient", &g.ph.gradient, d.Gradient, of("∂L/∂"))
	for n, o := range d.Whitened {
		explainPhase(b, "coordinates of "+d.Transports[n].PlainName()+", for its values in their place", &g.ph.whitened[n], []symbolic.Output{o}, of(""))
	}
	explainPhase(b, "matrix "+t.matrix+", per position", &g.ph.metric, d.Matrix, func(o symbolic.Output) string {
		return t.matrix + "[" + g.entryName(o) + "]"
	})
	explainNote(b, d.Metric.Storage.Note)
	explainPhase(b, "force −∂L + "+t.force+", per implicit midpoint iteration after the matrix", &g.ph.force, d.Force, of("f "))
	explainPhase(b, "once per position before GLF(b)'s momentum iteration", &g.ph.prepare, nil, nil)
	explainPhase(b, "½⟨v vᵀ, ∂G⟩, per momentum iteration of GLF(b)", &g.ph.rank1, d.Rank1, of("f "))
	if len(d.Product) > 0 {
		explainPhase(b, "∂(G v)/∂q, per correction of Newton's method for GLF(b)", &g.ph.product, d.Product, func(o symbolic.Output) string {
			o.Col = o.Dir
			return "K[" + g.entryName(o) + "]"
		})
	}
	g.explainGenerated(b)
	explainNote(b, g.dynamics.note(g))
}

// explainNote adds a remark, if there is one.
func explainNote(b *strings.Builder, text string) {
	if text != "" {
		fmt.Fprintf(b, "\n%s\n", text)
	}
}

// explainODE describes the integration of a differential equation.
func (g *generator) explainODE(b *strings.Builder, e *equation) {
	sol := e.sol
	fmt.Fprintf(b, "\nsolution %s: %d equations", sol.Decl.ObjectName(), sol.Size(0))
	for _, k := range g.orders() {
		integrated, given := sol.Split(k)
		fmt.Fprintf(b, ", %d with the sensitivities up to order %d", len(integrated), k)
		if len(given) > 0 {
			fmt.Fprintf(b, " and %d that scalings give", len(given))
		}
	}
	last := g.orders()[len(g.orders())-1]
	fmt.Fprintf(b, "\n")
	for _, def := range e.inputs.defs {
		fmt.Fprintf(b, "  once      %s = %s\n", def.Tensor.Name, expr.Format(def.Body))
	}
	for i, part := range sol.Parts[:sol.Size(last)] {
		if part.Given != nil {
			fmt.Fprintf(b, "  given     %s[%s] = %s\n", part.Tensor.Name, sol.Index.Name, expr.Format(part.Given))
			continue
		}
		fmt.Fprintf(b, "  %-9s %s' = %s", [...]string{"state", "order 1", "order 2", "order 3"}[sol.Parts[i].Order()], sol.States[i].Name, expr.Format(sol.Rhs[i]))
		if !sol.Init[i].IsNum(0) {
			fmt.Fprintf(b, ",  from %s", expr.Format(sol.Init[i]))
		}
		fmt.Fprintf(b, "\n")
	}
}
