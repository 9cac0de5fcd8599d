package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/dsl"
)

// codeModel is a section of testdata/codes.txt.
type codeModel struct {
	text   string
	consts []dsl.ConstBinding
}

// codeModels reads testdata/codes.txt.
func codeModels(t *testing.T) map[string]codeModel {
	t.Helper()
	text, err := os.ReadFile("testdata/codes.txt")
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`(?m)^-- (.*) --\n`)
	at := heading.FindAllStringSubmatchIndex(string(text), -1)
	out := map[string]codeModel{}
	head := ""
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name, body := string(text[m[2]:m[3]]), string(text[m[1]:end])
		if name == "head" {
			head = body
			continue
		}
		words := strings.Fields(name)
		x := codeModel{text: head + body}
		for _, flag := range words[2:] {
			if flag == "whole" {
				x.text = body
				continue
			}
			name, value, _ := strings.Cut(flag, "=")
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			x.consts = append(x.consts, dsl.ConstBinding{Name: name, Value: v})
		}
		key := words[0] + " " + words[1]
		if _, twice := out[key]; twice {
			t.Errorf("%s stands twice", key)
		}
		out[key] = x
	}
	return out
}

// found are the codes of the errors, and of the warnings and findings, of a model.
func (x codeModel) found(path string) (errors, warnings map[dsl.Code]bool, all string) {
	errors, warnings = map[dsl.Code]bool{}, map[dsl.Code]bool{}
	m, ds := derive(path, dsl.WithImports(x.text, func(name string) (string, bool) {
		return "func rise(x real) = inv_logit(x)\n", name == "curves.ham"
	}), x.consts, false)
	list := ds.List
	if m != nil {
		list = append(list, m.checked.Vet(nil)...)
	}
	for _, d := range list {
		if d.Severity == dsl.Error {
			errors[d.Code] = true
		} else {
			warnings[d.Code] = true
		}
		all += string(d.Code) + " " + d.Message + "\n"
	}
	return errors, warnings, all
}

// TestExplainedCodes: the line of the catalogue that breaks a rule has its code in a model, and nothing else is wrong there; with the line that is
// right, nothing is.
func TestExplainedCodes(t *testing.T) {
	models := codeModels(t)
	elsewhere := map[dsl.Code]string{
		dsl.TooDeep: "TestHard of dsl", dsl.TooLarge: "TestHard of dsl",
		dsl.ConstantPredictor: "TestVet of dsl", dsl.FarPredictor: "TestVet of dsl", dsl.UnequalPredictors: "TestVet of dsl", dsl.EmptyGroup: "TestVet of dsl",
	}
	path := filepath.Join(t.TempDir(), "m.ham")
	for _, e := range dsl.Catalogue {
		wrong, ok1 := models[string(e.Code)+" wrong"]
		right, ok2 := models[string(e.Code)+" right"]
		delete(models, string(e.Code)+" wrong")
		delete(models, string(e.Code)+" right")
		if ok1 != ok2 || ok1 == (elsewhere[e.Code] != "") {
			t.Errorf("testdata/codes.txt needs a wrong and a right model of %s, unless another test has them (%q)", e.Code, elsewhere[e.Code])
			continue
		}
		if !ok1 {
			continue
		}
		errors, warnings, all := wrong.found(path)
		switch warning := e.Code[0] == 'W'; {
		case warning && (!warnings[e.Code] || len(errors) > 0), !warning && (!errors[e.Code] || len(errors) > 1):
			t.Errorf("%s, wrong: the messages are\n%s%s", e.Code, all, wrong.text)
		}
		if errors, warnings, all = right.found(path); len(errors) > 0 || warnings[e.Code] {
			t.Errorf("%s, right: the messages are\n%s%s", e.Code, all, right.text)
		}
		shown(t, e.Code, "wrong", e.Example, wrong.text)
		shown(t, e.Code, "right", e.Right, right.text)
	}
	for name := range models {
		t.Errorf("testdata/codes.txt has %s, and the catalogue has no such code", name)
	}
}

// proseLines are the lines of the catalogue that are no parts of models.
var proseLines = regexp.MustCompile(`^(a file |the |model m, |metric \[ … \]|metric hessian of|metric fisher with|param mu real, and|ode f\(v, r\) \{,|--const|metric \[1(, 0 ; 0, 1)?\] for two|b\[i\], b|metric identity, or|metric softabs\(alpha = 1\)(,| with)|.* as a prior$)`)

// shown checks that a model has what a line of the catalogue shows.
func shown(t *testing.T, code dsl.Code, which, line, text string) {
	t.Helper()
	if proseLines.MatchString(line) {
		return
	}
	line, _, _ = strings.Cut(line, " with")
	compact := func(s string) string { return regexp.MustCompile(`\s+`).ReplaceAllString(s, "") }
	for _, part := range regexp.MustCompile(`; |, or `).Split(line, -1) {
		if strings.Contains(line, " ; ") { // rows of a matrix
			part = line
		}
		part = strings.TrimSuffix(part, " of data")
		if !strings.Contains(compact(text), compact(part)) {
			t.Errorf("%s, %s: the model has no %q of the catalogue's %q", code, which, part, line)
		}
	}
}

// TestExplainAsPrinted: a code may be given as the messages have it, error[H319] or warning[W201].
func TestExplainAsPrinted(t *testing.T) {
	want := fine(t, "explain", "H319").stdout
	for _, code := range []string{"h319", "E319"} {
		if got := fine(t, "explain", code).stdout; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	if r := hamc("explain", "H999"); r.code != exitUsage || !strings.Contains(r.stderr, "H999") {
		t.Errorf("H999: %+v", r)
	}
}
