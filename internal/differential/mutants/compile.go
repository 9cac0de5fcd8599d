package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/internal/differential/typecheck"
	"github.com/hamc-dev/hamc/symbolic"
)

// A stage of a mutant's way through the compiler.
type stage int32

// The stages.
const (
	loading stage = iota
	deriving
	generating
	typing
	evaluating
)

func (s stage) String() string {
	return [...]string{"dsl.Load", "symbolic.Derive", "codegen.Generate", "go/types", "interpret"}[s]
}

// A fault is what must not happen, of one mutant.
type fault struct {
	Kind   string // one of kinds
	Stage  string // where
	Detail string // the first line tells faults of a kind apart
}

// The kinds of fault.
const (
	panicked   = "panic"
	timeout    = "timeout"
	memory     = "memory"
	died       = "died"
	internal   = "internal error"
	illTyped   = "ill-typed code"
	differs    = "differs when repeated"
	unresolved = "unresolved reference"
	diagnostic = "malformed diagnostic"
	evaluator  = "evaluator"
)

// kinds lists them.
var kinds = []string{panicked, timeout, memory, died, internal, illTyped, differs, unresolved, diagnostic, evaluator}

// A result is what became of a mutant.
type result struct {
	Mutant  mutant
	Outcome string // one of outcomes
	Faults  []fault
}

func (r *result) timedOut() bool { return len(r.Faults) == 1 && r.Faults[0].Kind == timeout }

// The outcomes.
const (
	refused     = "refused by the checker"
	underivable = "refused by the calculus"
	compiled    = "compiled"
	evaluated   = "compiled and evaluated"
	lost        = "not finished"
)

// outcomes lists them.
var outcomes = []string{refused, underivable, compiled, evaluated, lost}

// now is the stage that the running mutant is at.
var now atomic.Int32

// file is what the compiler is told that a mutant stands in.
const file = "mutant.ham"

// accepted reports whether the checker accepts a text, or panics: that is for compile to tell.
func accepted(text string) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = true
		}
	}()
	m, _ := dsl.Load(file, text, dsl.Options{})
	return m != nil
}

// compile drives the compiler with a mutant.
func compile(m *mutant) (r result) {
	r = result{Mutant: *m, Outcome: lost}
	c := &compilation{mutant: m, result: &r}
	defer func() {
		if e := recover(); e != nil {
			kind := panicked
			if at() == evaluating {
				kind = evaluator
			}
			c.fault(kind, "%v%s\n%s", e, culprit(debug.Stack()), debug.Stack())
		}
	}()
	c.run()
	return r
}

func at() stage { return stage(now.Load()) }

type compilation struct {
	mutant *mutant
	result *result
}

func (c *compilation) fault(kind, format string, args ...any) {
	c.result.Faults = append(c.result.Faults, fault{kind, at().String(), fmt.Sprintf(format, args...)})
}

// rehearse is called with each text by tests of what limits workers; nil otherwise.
var rehearse func(text string)

// curved reports whether the second derivatives of a model are derived too: of one in four, by its text.
func curved(text string) bool { return crc32.ChecksumIEEE([]byte(text))%4 == 0 }

func (c *compilation) run() {
	now.Store(int32(loading))
	text := c.mutant.Text
	if rehearse != nil {
		rehearse(text)
	}
	m, ds := dsl.Load(file, text, dsl.Options{})
	c.diagnostics(text, ds.List)
	if _, again := dsl.Load(file, text, dsl.Options{}); again.String() != ds.String() {
		c.fault(differs, "messages")
	}
	if (m == nil) != ds.HasErrors() {
		c.fault(diagnostic, "model %v, errors %v", m != nil, ds.HasErrors())
	}
	c.result.Outcome = refused
	if m == nil {
		return
	}
	if u := c.mutant.Unknown; u != "" && !strings.Contains(ds.String(), u) && !declares(m, u) {
		c.fault(unresolved, "%s", u)
	}
	now.Store(int32(deriving))
	derive := symbolic.Derive
	if curved(text) {
		derive = symbolic.DeriveCurved
	}
	d, list := derive(m)
	c.diagnostics(text, list)
	if (d == nil) != hasErrors(list) {
		c.fault(diagnostic, "derived %v, errors %v", d != nil, hasErrors(list))
	}
	c.result.Outcome = underivable
	if d == nil {
		return
	}
	now.Store(int32(generating))
	opt := codegen.Options{Package: "mutant", Source: file, Text: text}
	code, err := codegen.Generate(d, opt)
	if err != nil {
		c.fault(internal, "%v", err)
		return
	}
	if crc32.ChecksumIEEE([]byte(text))%8 < 2 {
		if again, err := codegen.Generate(d, opt); err != nil || !bytes.Equal(code, again) {
			c.fault(differs, "code")
		}
	}
	now.Store(int32(typing))
	if err := typecheck.Check(code); err != nil {
		c.fault(illTyped, "%v", err)
	}
	c.result.Outcome = compiled
	now.Store(int32(evaluating))
	if evaluate(d) {
		c.result.Outcome = evaluated
	}
}

func hasErrors(list []dsl.Diagnostic) bool {
	ds := dsl.Diagnostics{List: list}
	return ds.HasErrors()
}

// codes are those of the catalogue.
var codes = func() map[dsl.Code]bool {
	out := map[dsl.Code]bool{}
	for _, e := range dsl.Catalogue {
		out[e.Code] = true
	}
	return out
}()

// diagnostics checks that each has a code, a message and a position in the text.
func (c *compilation) diagnostics(text string, list []dsl.Diagnostic) {
	lines := strings.Split(text, "\n")
	// The end of a line counts as a place.
	inside := func(s dsl.Span) bool {
		return s.Pos.Line >= 1 && s.Pos.Line <= len(lines) && s.Pos.Col >= 1 && s.Len >= 1 && s.Pos.Col <= utf8.RuneCountInString(lines[s.Pos.Line-1])+1
	}
	for _, d := range list {
		ok := d.Message != "" && codes[d.Code] && (d.Severity == dsl.Warning) == (d.Code[0] == 'W') && inside(d.Span)
		for _, n := range d.Notes {
			ok = ok && n.Message != "" && inside(n.Span)
		}
		if !ok {
			c.fault(diagnostic, "%s %s\n%+v", d.Code, d.Message, d)
		}
	}
}

// declares reports whether anything in a model is declared by a name, and be it an index.
func declares(m *dsl.Model, name string) bool {
	if m.Name == name {
		return true
	}
	seen := map[reflect.Value]bool{}
	var visit func(v reflect.Value) bool
	visit = func(v reflect.Value) bool {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() || seen[v] {
				return false
			}
			seen[v] = true
			return visit(v.Elem())
		case reflect.Interface:
			return !v.IsNil() && visit(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				if visit(v.Index(i)) {
					return true
				}
			}
		case reflect.Struct:
			if v.Type().Name() == "object" && v.FieldByName("Name").String() == name {
				return true
			}
			for i := range v.NumField() {
				if visit(v.Field(i)) {
					return true
				}
			}
		}
		return false
	}
	return visit(reflect.ValueOf(m))
}

// culprit names the first functions of ours on a stack, below what handles panics.
func culprit(stack []byte) string {
	_, below, found := strings.Cut(string(stack), "\npanic(")
	if !found {
		below = string(stack)
	}
	var out []string
	for _, line := range strings.Split(below, "\n") {
		path, ours := strings.CutPrefix(line, "github.com/hamc-dev/hamc/")
		if !ours || strings.HasPrefix(path, "internal/differential/") {
			continue
		}
		if i := strings.LastIndex(path, "("); i > 0 {
			path = path[:i]
		}
		if out = append(out, path); len(out) == 3 {
			break
		}
	}
	return " in " + strings.Join(out, " ← ")
}
