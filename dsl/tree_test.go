package dsl_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/campaign"
)

// join gives back the text of tokens.
func join(tokens []lexer.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Value)
	}
	return b.String()
}

// lossless checks that the tokens of a tree are the text, and that those of a node hold those of
// the nodes below it, in their order.
func lossless(t *testing.T, text string) {
	t.Helper()
	file, _ := dsl.Parse("m.ham", text)
	if got := join(file.Tokens); got != text {
		t.Errorf("the tokens of the tree are %.500q", got)
	}
	var statements []lexer.Token
	for _, s := range file.Statements {
		statements = append(statements, s.Tokens...)
		if len(s.Tokens) > 0 && s.Pos.Line != firstOf(s.Tokens).Pos.Line {
			t.Errorf("a statement at %v starts with %v", s.Pos, firstOf(s.Tokens))
		}
	}
	for _, x := range file.Tokens[len(statements):] {
		if !dsl.IsTrivia(x.Type) && len(file.Statements) > 0 {
			t.Errorf("%v stands behind all statements", x)
		}
	}
	statements = append(statements, file.Tokens[len(statements):]...)
	if got := join(statements); got != text {
		t.Errorf("the tokens of the statements are %.500q", got)
	}
	type around struct {
		node     dsl.Node
		from, to int // bytes of the text
	}
	open := []around{{from: 0, to: len(text)}}
	dsl.Walk(file, func(n dsl.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return false
		}
		// What did not parse to its end has no tokens of its own.
		parent := &open[len(open)-1]
		now := around{n, parent.from, parent.to}
		if tokens := n.Source(); len(tokens) > 0 {
			last := tokens[len(tokens)-1]
			now.from, now.to = tokens[0].Pos.Offset, last.Pos.Offset+len(last.Value)
			// Of long ones, those of the statements are compared above: a sum has as many parts as operators.
			if got := join(tokens[:min(len(tokens), 20)]); last.Value != "" && !strings.HasPrefix(text[now.from:now.to], got) {
				t.Errorf("the tokens of %T are %q, the text there is %q", n, got, text[now.from:now.to])
			}
			if now.from < parent.from || now.to > parent.to {
				t.Errorf("%T at %d to %d stands in %T from %d to %d", n, now.from, now.to, parent.node, parent.from, parent.to)
			}
			parent.from = now.to // what follows stands behind it
		}
		open = append(open, now)
		return true
	})
}

// firstOf returns the first token that is no trivia.
func firstOf(tokens []lexer.Token) lexer.Token {
	for _, x := range tokens {
		if !dsl.IsTrivia(x.Type) {
			return x
		}
	}
	return lexer.Token{}
}

// TestLossless checks that the tree keeps every character of the text, also where it has errors: of all
// models of the repository and of the hard inputs, in a short campaign of one in four. Of mutations, TestMutations does.
func TestLossless(t *testing.T) {
	comments := 0
	for _, s := range campaign.Sample(t, texts(t), 8) {
		lossless(t, s.text)
		comments += strings.Count(s.text, "//")
		if t.Failed() {
			t.Fatalf("%s/%s:\n%.3000s", s.file, s.name, numbered(s.text))
		}
	}
	if comments < campaign.Cases(t, 120, 1000) {
		t.Errorf("the texts hold %d comments", comments)
	}
}

var nodeType = reflect.TypeFor[dsl.Node]()

// reachable collects the nodes that the exported fields of a tree lead to: that Walk goes to them
// does not follow from how Walk is written. What the checker adds is left out.
func reachable(v reflect.Value, found map[dsl.Node]bool) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			reachable(v.Elem(), found)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			reachable(v.Elem(), found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			reachable(v.Index(i), found)
		}
	case reflect.Struct:
		if v.CanAddr() && v.Addr().Type().Implements(nodeType) {
			n := v.Addr().Interface().(dsl.Node)
			if len(n.Source()) > 0 {
				found[n] = true
			}
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && !f.Anonymous && f.Type != reflect.TypeFor[[]lexer.Token]() && !f.Type.Implements(reflect.TypeFor[dsl.Object]()) {
				reachable(v.Field(i), found)
			}
		}
	}
}

// TestWalk checks that Walk goes to every node of the tree once, and leaves each.
func TestWalk(t *testing.T) {
	kinds := map[string]int{}
	for _, s := range corpus(t, "good") {
		file, _ := dsl.Parse(s.name, s.text)
		want := map[dsl.Node]bool{}
		reachable(reflect.ValueOf(&file.Statements).Elem(), want)
		got := map[dsl.Node]bool{}
		depth := 0
		dsl.Walk(file, func(n dsl.Node) bool {
			if n == nil {
				depth--
				return false
			}
			depth++
			if got[n] {
				t.Errorf("%s: %T is visited twice", s.name, n)
			}
			got[n] = true
			kinds[reflect.TypeOf(n).Elem().Name()]++
			return true
		})
		delete(got, file)
		if depth != 0 {
			t.Errorf("%s: %d nodes are not left", s.name, depth)
		}
		for n := range want {
			if !got[n] {
				t.Errorf("%s: Walk leaves out a %T, %q", s.name, n, join(n.Source()))
			}
		}
		for n := range got {
			if !want[n] {
				t.Errorf("%s: Walk goes to a %T that is not in the tree, %q", s.name, n, join(n.Source()))
			}
		}
	}
	// Every type of the tree, as each is to be seen once.
	for _, kind := range strings.Fields("File Statement ModelStmt DataStmt ConstStmt ParamStmt LetStmt DensityStmt SampleStmt MetricStmt " +
		"MetricEntry BlockStmt OdeStmt Equation GenerateStmt QuantityLine TypeExpr BoundExpr Ident IndexDecl Arg " +
		"Number Name IndexExpr CallExpr UnaryExpr BinaryExpr SumExpr MatrixExpr FieldExpr SolveExpr SliceExpr IfExpr FuncStmt FuncArg") {
		if kinds[kind] == 0 {
			t.Errorf("no tree has a %s", kind)
		}
		delete(kinds, kind)
	}
	if len(kinds) > 0 {
		t.Errorf("types that this test does not know: %v", kinds)
	}
	// What f refuses is not gone into.
	file, _ := dsl.Parse("m.ham", "model m\nlet a = 1 + 2\n")
	var seen []string
	dsl.Walk(file, func(n dsl.Node) bool {
		if n == nil {
			seen = append(seen, ")")
			return false
		}
		seen = append(seen, reflect.TypeOf(n).Elem().Name())
		_, sum := n.(*dsl.BinaryExpr)
		return !sum
	})
	want := strings.Fields("File Statement ModelStmt Ident ) ) ) Statement LetStmt Ident ) BinaryExpr ) ) )")
	if !slices.Equal(seen, want) {
		t.Errorf("Walk goes %v, want %v", seen, want)
	}
}
