package symbolic
import ("testing";"fmt";"github.com/hamc-dev/hamc/dsl")
func dump(d *Derived) { for _, def := range d.Prog.Defs { fmt.Print(def.Stage(), " ", def.Tensor.Name, " ",def.Tensor.Shape," [")
			for _, i := range def.Indices { fmt.Print(i.Name, " in ", i.Range, ",") }
			fmt.Println("] := ", Format(def.Body)) }
		for _, g := range []struct{n string; o []Output}{{"L",[]Output{d.LogDensity}},{"g",d.Gradient},{"G",d.Matrix},{"J",d.Jacobian},{"R",d.Rank1}} {
			for _, o := range g.o { fmt.Print(g.n, o.Row, o.Col, o.Dir, " [")
			for _, i := range o.Indices { fmt.Print(i.Name, " in ", i.Range, ",") }
			fmt.Println("] := ", Format(o.E)) } } }
func TestDbg(t *testing.T) {
	for _, text := range []string{
	"model m\ndata n int\nparam u real[n]\ndensity -sum(t in n-1) exp(u[t])^2 - sum(i in n-1, j in n-1) exp(u[i])*exp(u[j])*sin(u[i]*u[j])\nmetric identity\n",
	"model m\ndata T int\nparam x real[T]\nx[1] ~ normal(0, 1)\nx[t] ~ normal(0, exp(0.5*x[t-1])) for t in 2..T\nmetric hessian\n",
	"model m\ndata n int\ndata y real[n]\nparam mu real\ndensity -sum(i in n) y[i]*(y[i] - mu)^2 - mu^4\nmetric identity\n",
	} {
		m, _ := dsl.Load("x", text, dsl.Options{}); d, ds := Derive(m); fmt.Println(text, ds); dump(d)
	}
}
