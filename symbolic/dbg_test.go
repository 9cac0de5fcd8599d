package symbolic
import ("testing";"os";"fmt")
func TestDbg(t *testing.T) {
	for _, m := range testModels {
		if m.name != os.Getenv("DBG") { continue }
		d, ds := load(t, m.text)
		fmt.Println(ds)
		for _, def := range d.Prog.Defs { fmt.Print(def.Stage(), " ", def.Tensor.Name, " [")
			for _, i := range def.Indices { fmt.Print(i.Name, " in ", i.Range, ",") }
			fmt.Println("] := ", Format(def.Body)) }
		for _, g := range []struct{n string; o []Output}{{"G",d.Matrix},{"J",d.Jacobian},{"R",d.Rank1}} {
			for _, o := range g.o { fmt.Print(g.n, o.Row, o.Col, o.Dir, " [")
			for _, i := range o.Indices { fmt.Print(i.Name, " in ", i.Range, ",") }
			fmt.Println("] := ", Format(o.E)) } }
	}
}
