package unroll_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/unroll"
	"github.com/hamc-dev/hamc/internal/golden"
)

// TestGolden: the function f(o object, q, p []float64, h float64) (r Result) of each source, with two elements in q and
// p, becomes the program that stands behind it, which keeps the rules. The object has a slice x of four elements, y of two, and an object mix
// that is not taken apart; a number most; a stage image that fails where the first element is not positive, a stage kick that knows when it
// comes again, and the values square and small.
func TestGolden(t *testing.T) {
	golden.Run(t, filepath.Join("testdata", "unroll.txt"), func(t *testing.T, in string) (out string) {
		source, err := unroll.Parse(map[string][]byte{"f.go": []byte("package p\n" + in)}, "f.go")
		if err != nil {
			return err.Error()
		}
		defer func() {
			if x := recover(); x != nil {
				out = fmt.Sprint(x)
			}
		}()
		o, fields := options(strings.Contains(in, "settles"))
		f := source.Function("f", o)
		f.Name = "f"
		for _, v := range fields {
			f.Body = append([]loop.Stmt{&loop.Zero{V: v}}, f.Body...)
		}
		if err := loop.Verify(&loop.Program{Funcs: []*loop.Func{f}}); err != nil {
			t.Error(err)
		}
		return f.Format()
	})
}

// vector is a slice of n elements.
func vector(name string, n int) unroll.Vector {
	var out unroll.Vector
	for i := range n {
		out = append(out, &loop.Var{Name: fmt.Sprint(name, i+1)})
	}
	return out
}

// options are those of all cases, with the variables of its fields; the first turn of a loop over two elements of x may settle all but
// the second.
func options(settles bool) (*unroll.Options, unroll.Vector) {
	array := func(name string) *loop.Var {
		return &loop.Var{Name: name, Home: loop.Param, Old: true, Shape: []*loop.Int{loop.Const(2)}}
	}
	x, y := vector("x", 4), vector("y", 2)
	o := &unroll.Options{
		Arguments: []any{
			unroll.Object{Name: "solver"}, unroll.Slice{Array: array("q"), Elements: vector("q", 2)}, unroll.Slice{Array: array("p"), Elements: vector("p", 2)},
			&loop.Var{Name: "h", Home: loop.Param},
		},
		Fields: map[string]any{
			"x": x, "y": y, "mix": unroll.Object{Name: "model.mix"}, "most": &loop.Var{Name: "most", Home: loop.Param},
			"Iterations": &loop.Var{Name: "r.Iterations", Home: loop.Param, Int: true}, "Status": &loop.Var{Name: "r.Status", Home: loop.Param, Status: true},
		},
		Stages: map[string]unroll.Stage{"image": image, "kick": kick},
		Values: map[string]func(unroll.Vector, ...*loop.Expr) any{"square": square, "small": small},
	}
	if settles {
		o.Moves = func(v unroll.Vector) []int {
			if len(v) == 2 && v[0] == x[0] {
				return []int{1}
			}
			return nil
		}
	}
	return o, append(x, y...)
}

// square is Σ v_i².
func square(v unroll.Vector, _ ...*loop.Expr) any {
	s := &loop.Expr{Op: loop.Add}
	for _, x := range v {
		s.K, s.Args = append(s.K, 1), append(s.Args, &loop.Expr{Op: loop.Mul, Val: 1, K: []float64{2}, Args: []*loop.Expr{loop.Value(x)}})
	}
	return s
}

// small asks whether all elements are at most a limit.
func small(v unroll.Vector, limit ...*loop.Expr) any {
	var out []loop.Condition
	for _, x := range v {
		out = append(out, loop.Condition{Op: loop.AtMost, X: loop.Value(x), Y: limit[0]})
	}
	return out
}

// image is a stage image(y, x) that may fail, or has the status for its result.
func image(c *unroll.Call) []loop.Stmt {
	y, x := c.Target(0), c.Vector(1)
	st := &loop.Var{Name: "st", Status: true}
	call := &loop.Invoke{Func: "system.PivotStatus", Results: []*loop.Var{st}, Declares: true, Args: []loop.Arg{{E: loop.Value(x[0])}}}
	var code []loop.Stmt
	if c.Fail != nil {
		code = append(code, &loop.Branch{
			Tests: []loop.Condition{{Op: loop.Above, X: loop.Value(x[0]), Y: loop.Number(0)}},
			Else:  append([]loop.Stmt{call}, c.Fail(st)...),
		})
	} else {
		c.Result(0, st)
		code = append(code, call)
	}
	for i := range y {
		code = append(code, &loop.Set{V: y[i], E: &loop.Expr{Op: loop.Call, Func: "math.Exp", Args: []*loop.Expr{loop.Value(x[i])}}})
	}
	return code
}

// kick is a stage kick(y, x).
func kick(c *unroll.Call) []loop.Stmt {
	k := 1.0
	if c.Again {
		k = 2
	}
	var code []loop.Stmt
	for i, y := range c.Target(0) {
		code = append(code, &loop.Set{V: y, E: &loop.Expr{Op: loop.Mul, Val: k, K: []float64{1, 1}, Args: []*loop.Expr{loop.Value(c.Vector(1)[i]), loop.Value(y)}}})
	}
	return code
}

// TestNoSource: a file that is not Go is an error.
func TestNoSource(t *testing.T) {
	if _, err := unroll.Parse(map[string][]byte{"f.go": []byte("package p\nfunc f( {")}, "f.go"); err == nil || !strings.Contains(err.Error(), "f.go:2") {
		t.Errorf("%v", err)
	}
}
