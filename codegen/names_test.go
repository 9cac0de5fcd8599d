package codegen

import (
	"go/token"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/symbolic/expr"
)

// TestNames: marks become identifiers of Go that are near the wanted names, and unique where they meet.
func TestNames(t *testing.T) {
	f := &namer{}
	n := f.newNames(0)
	var src strings.Builder
	wanted := []string{"sigma_y", "sigmaY", "_sigma_y", "q", "p", "x", "x", "range", "len", "s", "math", "t1", "t1", "t12", "e", "a1", "a_1", "_", "__", "_1", "space", "f"}
	src.WriteString("package p\nimport \"math\"\ntype space struct{}\nfunc f(s *space) {\n")
	for _, want := range wanted {
		src.WriteString("\tvar " + n.fresh(want) + " = math.Pi\n")
	}
	src.WriteString("}\n")
	out, err := f.resolve([]byte(src.String()))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"s": true, "f": true, "space": true, "math": true, "len": true}
	got := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "}\n"), "\n")[4 : 4+len(wanted)] {
		name := strings.Fields(line)[1]
		if seen[name] || !token.IsIdentifier(name) {
			t.Errorf("%s: %q is no identifier, or is given twice", wanted[i], name)
		}
		seen[name], got[wanted[i]] = true, name
	}
	for want, name := range map[string]string{"sigma_y": "sigmaY", "q": "q", "_1": "x1", "t12": "t12", "s": "s2"} {
		if got[want] != name {
			t.Errorf("%s becomes %s, want %s", want, got[want], name)
		}
	}
	if got := exported("sigma_y"); got != "SigmaY" {
		t.Errorf("sigma_y is exported as %s", got)
	}
}

// TestScope: two marks share a name where neither's scope holds the other's.
func TestScope(t *testing.T) {
	f := &namer{}
	model, block := f.newNames(0), f.newNames(1)
	n, i, j, k, l := model.fresh("n"), model.oneOf("i", "j"), model.oneOf("i", "j"), model.oneOf("i", "j"), model.fresh("n")
	q := model.tensor(&expr.Tensor{Name: "q", Kind: expr.CoordTensor})
	other := block.fresh("n")
	src := "package p\ntype model struct { " + n + " int; q func() }\ntype block struct { " + other + " int }\n" +
		"func (s *model) f(b block) {\n\t" + n + " := s." + n + " + b." + other + "\n\t" + q + " := 0\n" +
		"\tfor " + i + " := range " + n + " {\n\t\tfor " + j + " := range " + i + " { _ = " + q + " + " + j + " }\n\t}\n" +
		"\tfor " + k + " := range 3 { _ = " + k + " }\n}\n" +
		"func g(q int) {\n\t" + l + " := 1\n\t_ = " + l + "\n}\n"
	out, err := f.resolve([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := "package p\ntype model struct { n int; q func() }\ntype block struct { n int }\n" +
		"func (s *model) f(b block) {\n\tn := s.n + b.n\n\tq := 0\n" +
		"\tfor i := range n {\n\t\tfor j := range i { _ = q + j }\n\t}\n" +
		"\tfor i := range 3 { _ = i }\n}\n" +
		"func g(q int) {\n\tn := 1\n\t_ = n\n}\n"
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	// A parameter called like a variable that is known where it stands.
	f = &namer{}
	q = f.newNames(0).tensor(&expr.Tensor{Name: "q", Kind: expr.CoordTensor})
	if out, err = f.resolve([]byte("package p\nfunc f(q []int) {\n\t" + q + " := q[0]\n}\n")); err != nil || !strings.Contains(string(out), "qPar := q[0]") {
		t.Errorf("a parameter called q: %s, %v", out, err)
	}
}
