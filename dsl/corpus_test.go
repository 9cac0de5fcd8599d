package dsl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hamc-dev/hamc/dsl"
)

// sample is one model of a corpus file; see testdata/README.md for the format.
type sample struct {
	file, name string
	text       string
	opt        dsl.Options
	want       []expected
	remedied   string // the text as its user has it who followed the messages; "" if the model does not say
}

// expected is a diagnostic that a comment of the model asks for.
type expected struct {
	pos     dsl.Pos
	code    dsl.Code
	message *regexp.Regexp // nil: any
	hint    *regexp.Regexp // nil: any
}

var (
	headLine = regexp.MustCompile(`^-- (\S+)((?: [^ ]+)*) --$`)
	// A caret comment, or one with a position where a caret cannot stand.
	wantLine = regexp.MustCompile(`^\s*//\s*(?:(\^)|@(?:(\d+):)?(\d+)) ([HW]\d{3})(?: ("(?:[^"\\]|\\.)*"))?(?: ("(?:[^"\\]|\\.)*"))?$`)
)

// remedyMark begins a line that stands in the place of the one above it once its message has been followed.
const remedyMark = "//>"

// corpus reads the models of testdata/dir.
func corpus(t testing.TB, dir string) []sample {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus in testdata/%s: %v", dir, err)
	}
	var out []sample
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, split(t, filepath.Base(f), string(text))...)
	}
	return out
}

// texts returns the models of the corpora, those of the repository's files, and the hard inputs
// that are not too large for what is to be done with all.
func texts(t testing.TB) []sample {
	t.Helper()
	out := append(corpus(t, "bad"), corpus(t, "good")...)
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".ham" {
			return err
		}
		text, err := os.ReadFile(path)
		out = append(out, sample{name: path, text: string(text)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hard {
		if len(h.text) < 100_000 {
			out = append(out, sample{name: h.name, text: h.text})
		}
	}
	return out
}

// split cuts a corpus file into its models.
func split(t testing.TB, file, text string) []sample {
	t.Helper()
	var out []sample
	var flags []string
	var lines []string
	seen := map[string]bool{}
	flush := func() {
		if len(out) > 0 {
			finish(t, &out[len(out)-1], lines, flags)
		}
		lines = nil
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if m := headLine.FindStringSubmatch(line); m != nil {
			flush()
			if seen[m[1]] {
				t.Fatalf("%s: two models are called %s", file, m[1])
			}
			seen[m[1]] = true
			out = append(out, sample{file: file, name: m[1]})
			flags = strings.Fields(m[2])
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return out
}

// finish reads the expectations of a model and applies its flags.
func finish(t testing.TB, s *sample, lines, flags []string) {
	t.Helper()
	var kept []string
	ending, strip := "\n", false
	for _, f := range flags {
		name, value, binds := strings.Cut(f, "=")
		switch {
		case binds:
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatalf("%s/%s: %v", s.file, s.name, err)
			}
			s.opt.Consts = append(s.opt.Consts, dsl.ConstBinding{Name: name, Value: v})
		case f == "crlf":
			ending = "\r\n"
		case f == "strip":
			strip = true
		default:
			t.Fatalf("%s/%s: unknown flag %s", s.file, s.name, f)
		}
	}
	code := 0 // the line that carets point at
	var fixed []string
	mended := map[int]bool{} // lines with remedies, from 1
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, remedyMark); ok {
			if !mended[code] { // the line itself goes
				fixed = fixed[:len(fixed)-1]
				mended[code] = true
			}
			if rest = strings.TrimPrefix(rest, " "); rest != "" {
				fixed = append(fixed, rest)
			}
			kept = append(kept, line)
			continue
		}
		m := wantLine.FindStringSubmatch(line)
		if m == nil {
			if strings.Contains(line, "^ H") || strings.Contains(line, "^ W") {
				t.Fatalf("%s/%s: malformed expectation %q", s.file, s.name, line)
			}
			code = i + 1
			kept, fixed = append(kept, line), append(fixed, line)
			continue
		}
		w := expected{pos: dsl.Pos{Line: code}, code: dsl.Code(m[4])}
		if m[1] == "^" {
			w.pos.Col = utf8.RuneCountInString(line[:strings.Index(line, "^")]) + 1
		} else {
			w.pos.Col, _ = strconv.Atoi(m[3])
			if m[2] != "" {
				w.pos.Line, _ = strconv.Atoi(m[2])
			}
		}
		w.message, w.hint = s.pattern(t, m[5]), s.pattern(t, m[6])
		s.want = append(s.want, w)
		if !strip {
			kept = append(kept, line)
		}
	}
	s.text = strings.Join(kept, ending)
	if len(kept) > 0 {
		s.text += ending
	}
	if len(mended) > 0 {
		s.remedied = strings.Join(fixed, ending) + ending
	}
}

// pattern reads a regular expression in quotes; nil if there is none.
func (s *sample) pattern(t testing.TB, quoted string) *regexp.Regexp {
	t.Helper()
	if quoted == "" {
		return nil
	}
	text, err := strconv.Unquote(strings.ReplaceAll(strings.ReplaceAll(quoted, `\`, `\\`), `\\"`, `\"`))
	if err != nil {
		t.Fatalf("%s/%s: %v in %s", s.file, s.name, err, quoted)
	}
	r, err := regexp.Compile(text)
	if err != nil {
		t.Fatalf("%s/%s: %v", s.file, s.name, err)
	}
	return r
}

// compare reports every diagnostic that is missing, unexpected or misplaced.
func (s *sample) compare(t *testing.T, ds *dsl.Diagnostics) {
	t.Helper()
	left := append([]expected{}, s.want...)
	for _, d := range ds.List {
		found := false
		for i, w := range left {
			if w.pos == d.Span.Pos && w.code == d.Code && (w.message == nil || w.message.MatchString(d.Message)) && (w.hint == nil || w.hint.MatchString(d.Hint)) {
				left = append(left[:i], left[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			t.Errorf("unexpected %d:%d %s %q (hint %q)", d.Span.Pos.Line, d.Span.Pos.Col, d.Code, d.Message, d.Hint)
		}
	}
	for _, w := range left {
		t.Errorf("missing %d:%d %s %v %v", w.pos.Line, w.pos.Col, w.code, w.message, w.hint)
	}
	if t.Failed() {
		t.Logf("the model:\n%s", numbered(s.text))
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, l := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d| %s\n", i+1, l)
	}
	return b.String()
}

// TestBad checks that each bad model gives exactly the diagnostics that its
// comments expect: none is missing, and no mistake is reported twice; and that
// who follows them, where the model says how, has a model.
func TestBad(t *testing.T) {
	for _, s := range corpus(t, "bad") {
		t.Run(strings.TrimSuffix(s.file, ".txt")+"/"+s.name, func(t *testing.T) {
			if len(s.want) == 0 {
				t.Fatal("a bad model expects a diagnostic")
			}
			m, ds := dsl.Load(s.file, s.text, s.opt)
			s.compare(t, ds)
			if (m == nil) != ds.HasErrors() {
				t.Errorf("model %v, errors %v", m != nil, ds.HasErrors())
			}
			if s.remedied == "" {
				return
			}
			if m, ds := dsl.Load(s.file, s.remedied, s.opt); m == nil {
				t.Errorf("what the messages say to do is no model:\n%s", ds)
			}
		})
	}
}

// TestGood checks that each good model gives a model and no diagnostics but
// the warnings that its comments expect.
func TestGood(t *testing.T) {
	for _, s := range corpus(t, "good") {
		t.Run(strings.TrimSuffix(s.file, ".txt")+"/"+s.name, func(t *testing.T) {
			m, ds := dsl.Load(s.file, s.text, s.opt)
			s.compare(t, ds)
			if m == nil {
				t.Fatal("no model")
			}
			wellFormed(t, m)
		})
	}
}

// laterPasses are the codes that need calculus: package dsl declares them so
// that the catalogue is one, and the passes behind it report them.
var laterPasses = map[dsl.Code]bool{
	dsl.MetricAsymmetric:  true,
	dsl.NoFisher:          true,
	dsl.StandIn:           true,
	dsl.NotDifferentiable: true,
	dsl.NeedsConstant:     true,
	dsl.MaybeIndefinite:   true,
	// TestVet has these.
	dsl.FlatPrior: true, dsl.UsedTwice: true, dsl.WholeNumbers: true, dsl.SpikedPrior: true, dsl.VaguePrior: true,
	dsl.ConstantPredictor: true, dsl.FarPredictor: true, dsl.UnequalPredictors: true, dsl.EmptyGroup: true,
}

// TestCatalogueCovered checks that the corpora, and the inputs of TestHard,
// provoke every code of the catalogue, and that the catalogue is complete and without repetitions.
func TestCatalogueCovered(t *testing.T) {
	covered := map[dsl.Code]int{}
	for _, dir := range []string{"bad", "good"} {
		for _, s := range corpus(t, dir) {
			for _, w := range s.want {
				covered[w.code]++
			}
		}
	}
	// Two limits need models too large for a corpus.
	for _, h := range hard {
		covered[h.code]++
	}
	delete(covered, "")
	listed := map[dsl.Code]bool{}
	for _, e := range dsl.Catalogue {
		if listed[e.Code] {
			t.Errorf("%s is in the catalogue twice", e.Code)
		}
		listed[e.Code] = true
		if e.Rule == "" || e.Example == "" || e.Right == "" {
			t.Errorf("%s has no rule, no example or no remedy", e.Code)
		}
		switch n := covered[e.Code]; {
		case laterPasses[e.Code] && n > 0:
			t.Errorf("%s is expected by a model, but is said to belong to a later pass", e.Code)
		case !laterPasses[e.Code] && n == 0:
			t.Errorf("no model of the corpora provokes %s: %s", e.Code, e.Rule)
		}
	}
	for c := range covered {
		if !listed[c] {
			t.Errorf("%s is not in the catalogue", c)
		}
	}
}

// TestCorpusSize keeps the corpora from shrinking unnoticed.
func TestCorpusSize(t *testing.T) {
	for dir, least := range map[string]int{"bad": 1000, "good": 295} {
		if n := len(corpus(t, dir)); n < least {
			t.Errorf("testdata/%s holds %d models, fewer than %d", dir, n, least)
		}
	}
}

// TestDeterministic checks that the same text gives the same messages.
func TestDeterministic(t *testing.T) {
	for _, s := range corpus(t, "bad") {
		_, a := dsl.Load(s.file, s.text, s.opt)
		_, b := dsl.Load(s.file, s.text, s.opt)
		if a.String() != b.String() {
			t.Errorf("%s/%s: two runs differ:\n%s\n%s", s.file, s.name, a, b)
		}
	}
}
