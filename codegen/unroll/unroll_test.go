package unroll_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/hamc-dev/hamc/codegen/unroll"
	"github.com/hamc-dev/hamc/internal/golden"
)

// TestGolden: the function f(o object, q, p []float64, h float64) (r Result) of each source, with two elements in q and
// p, becomes what stands behind it. The object has a slice x of four elements, y of two, and an object mix that is not
// taken apart; a stage image that fails where det is not positive, a stage kick that knows when it comes again,
// and the value square.
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
		return printed(t, source.Function("f", options(strings.Contains(in, "settles"))))
	})
}

// options are those of all cases; the first turn of a loop over two elements of x may settle all but the second.
func options(settles bool) *unroll.Options {
	taken := map[string]int{}
	o := &unroll.Options{
		Fresh: func(want string) string {
			taken[want]++
			if taken[want] == 1 {
				return want
			}
			return fmt.Sprintf("%s_%d", want, taken[want])
		},
		Arguments: []any{nil, unroll.Vector{"q1", "q2"}, unroll.Vector{"p1", "p2"}, "h"},
		Fields: map[string]any{
			"x": unroll.Vector{"x1", "x2", "x3", "x4"}, "y": unroll.Vector{"y1", "y2"}, "mix": jen.Id("s").Dot("mix"),
		},
		Writes:  map[string]bool{"Next": true},
		Package: func(name string) *jen.Statement { return jen.Id("rt").Dot(name) },
		Stages:  map[string]unroll.Stage{"image": image, "kick": kick},
		Values: map[string]func(unroll.Vector, ...*jen.Statement) *jen.Statement{
			"square": func(v unroll.Vector, _ ...*jen.Statement) *jen.Statement {
				s := jen.Null()
				for i, x := range v {
					if i > 0 {
						s = s.Op("+")
					}
					s = s.Id(x).Op("*").Id(x)
				}
				return s
			},
		},
	}
	if settles {
		o.Moves = func(v unroll.Vector) []int {
			if len(v) == 2 && v[0] == "x1" {
				return []int{1}
			}
			return nil
		}
	}
	return o
}

// image is a stage image(y, x) that may fail, and has something to do before a loop.
func image(c *unroll.Call) []jen.Code {
	y, x := c.Target(0), c.Vector(1)
	code := c.Hoist(jen.Id("once").Op(":=").Lit(1))
	if c.Fail != nil {
		code = append(code, jen.If(jen.Id("det").Op("<=").Lit(0)).Block(c.Fail(jen.Id("status").Call(jen.Id("det")))...))
	}
	for i := range y {
		code = append(code, jen.Id(y[i]).Op("=").Id("f").Call(jen.Id(x[i]), jen.Id("once")))
	}
	for _, r := range c.Results {
		code = append(code, jen.Id(r).Op(":=").Id("st"))
	}
	return code
}

// kick is a stage kick(y, x).
func kick(c *unroll.Call) []jen.Code {
	f := "first"
	if c.Again {
		f = "later"
	}
	var code []jen.Code
	for i, y := range c.Target(0) {
		code = append(code, jen.Id(y).Op("=").Id(f).Call(jen.Id(c.Vector(1)[i])))
	}
	return code
}

// printed returns the text of a function with a body.
func printed(t *testing.T, body []jen.Code) string {
	t.Helper()
	f := jen.NewFile("p")
	f.Func().Id("f").Params().Block(body...)
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), "func f() {\n")
	return strings.TrimSuffix(strings.TrimSpace(text), "}")
}

// TestNoSource: a file that is not Go is an error.
func TestNoSource(t *testing.T) {
	if _, err := unroll.Parse(map[string][]byte{"f.go": []byte("package p\nfunc f( {")}, "f.go"); err == nil || !strings.Contains(err.Error(), "f.go:2") {
		t.Errorf("%v", err)
	}
}
