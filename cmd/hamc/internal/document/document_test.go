package document

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// update rewrites the golden files:
//
//	go test ./cmd/hamc/internal/document -run TestGolden -update
var update = flag.Bool("update", false, "rewrite the golden files of TestGolden")

// sample is a document with every kind of block and with texts that need
// escaping.
func sample() *Document {
	return &Document{
		Title: "Results for `banana`",
		Blocks: []Block{
			Paragraph{"How *implicit midpoint* compares with **leapfrog**; see [the funnel](#the-funnel) and [the paper](https://example.org/a_b?x=1&y=2)."},
			Heading{2, "Accuracy"},
			&Table{
				Caption: "Errors, where |a| < b & so on",
				Groups:  []Group{{"", 2}, {"paper", 2}, {"here", 2}},
				Head:    []string{"model", "`method`", "acc.", "ESS", "acc.", "ESS"},
				Left:    2,
				Rows: [][]Cell{
					{{Text: "banana"}, {Text: "imb_1"}, {Text: "0.91"}, {Text: "120"}, {Text: "0.90", Emphasis: Bold}, {Text: "−1.5e-3", Title: `2 of "10" <runs>`}},
					{{Text: "`p|q`"}, {Text: "a*b", Emphasis: Faint}, {Text: "0.2", Emphasis: Bad}},
				},
			},
			Heading{2, "The funnel"},
			List{[]string{"1. not an ordinal", "- nor a *list*"}},
			Figure{Name: "funnel", Caption: "Marginals of `v`.", SVG: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20" viewBox="0 0 90 20" role="img"><title>Marginals</title><style>.x{fill:#0072b2}</style><path class="x" d="M0 0H90V20z"/></svg>` + "\n")},
			Heading{2, "How it was run"},
			Code{"hamc run <model> | tee 'log'\n```\n"},
			Heading{3, "Accuracy"},
			Paragraph{"2 * 3 * 4 = 24, snake_case_name, [kept](notes/page.md), [dropped](javascript:alert(1))."},
			Heading{2, "Limits & more"},
		},
	}
}

func TestGolden(t *testing.T) {
	d := sample()
	for _, test := range []struct {
		path string
		make func() []byte
	}{
		{"testdata/sample.md", func() []byte { return d.Markdown(func(name string) string { return "figures/" + name + ".svg" }) }},
		{"testdata/sample.html", d.HTML},
	} {
		got := test.make()
		if *update {
			if err := os.WriteFile(test.path, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(test.path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has changed; read it after -update\n%s", test.path, got)
		}
		if !bytes.Equal(got, test.make()) {
			t.Errorf("%s: the same document gave other bytes", test.path)
		}
	}
}

// element is what a decoder reads of a page: its name, attributes, and the text
// in it and in its descendants.
type element struct {
	name, text string
	attributes map[string]string
	children   []string // their names
}

// read returns the elements of a page in the order of their beginnings.
func read(t *testing.T, page []byte) []*element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	var all, open []*element
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, page)
		}
		switch e := token.(type) {
		case xml.StartElement:
			n := &element{name: e.Name.Local, attributes: map[string]string{}}
			for _, a := range e.Attr {
				n.attributes[a.Name.Local] = a.Value
			}
			if len(open) > 0 {
				p := open[len(open)-1]
				p.children = append(p.children, n.name)
			}
			all, open = append(all, n), append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, n := range open {
				n.text += string(e)
			}
		}
	}
	return all
}

// named returns the elements of a name.
func named(all []*element, name string) []*element {
	return slices.DeleteFunc(slices.Clone(all), func(e *element) bool { return e.name != name })
}

// odd returns a text of what means something in HTML or in Markdown.
func odd(rng *rand.Rand) string {
	atoms := []string{"a", "word", " ", " ", "*", "**", "`", "``", "|", `\`, `\|`, "_", "[", "]", "(", ")", "](", "[t](u)", "<", ">", "<b>", "</td>", "<!--", "&", "&amp;", "&#33;", "#", "~~", "!", "https://x.org/_", "www.", "- ", "+ ", "1. ", "=", "$", `"`, "'", "é", "▲", "\n", "\t", "\x00", "\xff", "]]>", "</style>"}
	var b strings.Builder
	for range rng.IntN(8) {
		b.WriteString(atoms[rng.IntN(len(atoms))])
	}
	return b.String()
}

// TestTextsInHTML puts escaped texts everywhere and reads them in the page.
func TestTextsInHTML(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s := odd(rng)
		e := Escape(s)
		page := (&Document{Title: e, Blocks: []Block{
			Heading{3, e}, Paragraph{e}, List{[]string{e}}, Code{s}, Figure{Caption: "." + e},
			&Table{Caption: "." + e, Groups: []Group{{"." + e, 2}}, Head: []string{e, e}, Left: 1, Rows: [][]Cell{{{Text: e}, {Text: e, Title: "." + s}}}},
		}}).HTML()
		all := read(t, page)
		want := clean(s)
		for _, test := range []struct {
			name string
			n    int
			want string
		}{
			{"title", 1, want}, {"h1", 1, want}, {"h3", 1, want}, {"p", 1, want}, {"li", 1, want},
			{"figcaption", 2, clean("." + s)}, {"td", 1, want},
		} {
			got := named(all, test.name)
			if len(got) != test.n {
				t.Fatalf("%q: %d elements %s, expected %d\n%s", s, len(got), test.name, test.n, page)
			}
			for _, g := range got {
				if g.text != test.want {
					t.Fatalf("%q: %s reads %q, expected %q", s, test.name, g.text, test.want)
				}
			}
		}
		if got := named(all, "pre")[0].text; strings.TrimPrefix(got, "\n") != printable(s) {
			t.Fatalf("%q: code reads %q", s, got)
		}
		span := named(all, "span")[0]
		if span.attributes["title"] != "."+printable(s) || len(span.children) > 0 {
			t.Fatalf("%q: title is %q", s, span.attributes["title"])
		}
	}
}

// unescaped returns the text that Markdown without markup stands for, by the
// rules of CommonMark for backslashes, and fails where something is left that
// means something.
func unescaped(t *testing.T, markdown string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(markdown); i++ {
		c := markdown[i]
		switch {
		case c == '\\' && i+1 < len(markdown) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", markdown[i+1]) >= 0:
			i++
			c = markdown[i]
		case strings.IndexByte("\\`*_[]<|~\n", c) >= 0, c == '&' && reference.MatchString(markdown[i:]), strings.HasPrefix(markdown[i:], "://"), strings.HasPrefix(markdown[i:], "www."):
			t.Fatalf("%q has %q bare", markdown, c)
		}
		b.WriteByte(c)
	}
	return b.String()
}

var (
	reference = regexp.MustCompile(`^&(#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);`)
	// beginning is what begins a block other than a paragraph.
	beginning = regexp.MustCompile(`^(#{1,6}( |$)|[-+*]( |$)|[0-9]{1,9}[.)]( |$)|>|=+ *$|-+ *$|:?-+:? )`)
)

// TestTextsInMarkdown reads escaped texts back.
func TestTextsInMarkdown(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		s := odd(rng)
		e := Escape(s)
		lines := strings.Split(string((&Document{Title: e, Blocks: []Block{Paragraph{e}, List{[]string{e}}, Heading{2, e}}}).Markdown(nil)), "\n")
		if len(lines) != 8 { // the last is empty
			t.Fatalf("%q: %q", s, lines)
		}
		for i, prefix := range map[int]string{0: "# ", 2: "", 4: "- ", 6: "## "} {
			text, ok := strings.CutPrefix(lines[i]+" ", prefix)
			if text = strings.TrimSuffix(text, " "); !ok {
				t.Fatalf("%q: line %q does not begin with %q", s, lines[i], prefix)
			}
			if got := unescaped(t, text); got != clean(s) {
				t.Fatalf("%q: %q reads %q, expected %q", s, lines[i], got, clean(s))
			}
			if i != 0 && i != 6 && beginning.MatchString(text) {
				t.Fatalf("%q: %q begins a block", s, text)
			}
		}
	}
}

// row splits a row of a table at | that no backslash precedes or, if paired, at
// those that an even number of backslashes precedes: parsers differ.
func row(line string, paired bool) int {
	cells, slashes := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '\\':
			slashes++
			continue
		case '|':
			if paired && slashes%2 == 0 || !paired && slashes == 0 {
				cells++
			}
		}
		slashes = 0
	}
	return cells - 1
}

func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	texts := func(n int) []string {
		var out []string
		for range rng.IntN(n) {
			out = append(out, odd(rng))
		}
		return out
	}
	for range campaign.Cases(t, 1000, 3000) {
		table := &Table{Head: texts(6), Left: rng.IntN(4)}
		for range rng.IntN(3) {
			table.Groups = append(table.Groups, Group{odd(rng), rng.IntN(4) - 1})
		}
		for range rng.IntN(4) {
			var cells []Cell
			for _, s := range texts(7) {
				cells = append(cells, Cell{Text: s, Emphasis: Emphasis(rng.IntN(4))})
			}
			table.Rows = append(table.Rows, cells)
		}
		n := table.columns()
		d := &Document{Title: "t", Blocks: []Block{table}}

		lines := strings.Split(strings.TrimSuffix(string(d.Markdown(nil)), "\n"), "\n")[1:]
		if n > 0 {
			if len(lines) != len(table.Rows)+3 {
				t.Fatalf("%d lines for %d rows: %q", len(lines), len(table.Rows), lines)
			}
			for _, line := range lines[1:] {
				if a, b := row(line, false), row(line, true); a != n || b != n {
					t.Fatalf("%q has %d or %d columns, expected %d", line, a, b, n)
				}
			}
		}
		for _, tr := range named(read(t, d.HTML()), "tr") {
			if len(tr.children) != n && !slices.Contains(tr.children, "td") && len(tr.children) > len(table.Groups)+1 {
				t.Fatalf("%d cells, expected %d", len(tr.children), n)
			}
		}
	}
}

func TestMarkup(t *testing.T) {
	for _, test := range []struct{ markup, html, markdown string }{
		{"plain", "plain", "plain"},
		{"*a* and **b**", "<em>a</em> and <strong>b</strong>", "*a* and **b**"},
		{"**a `b` *c* d**", "<strong>a <code>b</code> <em>c</em> d</strong>", "**a `b` *c* d**"},
		{"***a***", "<strong><em>a</em></strong>", "<strong>*a*</strong>"},
		{"*a***b**", "<em>a</em><strong>b</strong>", "<em>a</em><strong>b</strong>"},
		{"2 * 3 * 4", "2 * 3 * 4", `2 \* 3 \* 4`},
		{"x*y*z", "x<em>y</em>z", "x*y*z"},
		{`x*"y"*z`, "x*&#34;y&#34;*z", `x\*"y"\*z`},
		{`\*a\*`, "*a*", `\*a\*`},
		{"*a", "*a", `\*a`},
		{"**a*", "**a*", `\*\*a\*`},
		{"snake_case_name", "snake_case_name", `snake\_case\_name`},
		{"`*a*` ``b`c``", "<code>*a*</code> <code>b`c</code>", "`*a*` ``b`c``"},
		{"`a", "`a", "\\`a"},
		{"[a *b*](c.md)", `<a href="c.md">a <em>b</em></a>`, "[a *b*](c.md)"},
		{"![a](b)", `!<a href="b">a</a>`, `\![a](b)`},
		{"[a]", "[a]", `\[a\]`},
		{"[a] (b)", "[a] (b)", `\[a\] (b)`},
		{"a < b & c &amp; d", "a &lt; b &amp; c &amp;amp; d", `a \< b & c \&amp; d`},
	} {
		nodes := parse(test.markup)
		if got := markup(nodes); got != test.html {
			t.Errorf("%s in HTML: %s, expected %s", test.markup, got, test.html)
		}
		if got := inline(nodes, false); got != test.markdown {
			t.Errorf("%s in Markdown: %s, expected %s", test.markup, got, test.markdown)
		}
	}
}

func TestCodeInTables(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"a|b", "`a\\|b`"}, {`a\b`, "`a\\b`"}, {`a\|b`, "<code>a&#92;&#124;b</code>"}, {"`", "`` ` ``"},
	} {
		if got := codeSpan(test.code, true); got != test.want {
			t.Errorf("%s: %s, expected %s", test.code, got, test.want)
		}
	}
}

func TestURLs(t *testing.T) {
	for url, want := range map[string]bool{
		"https://a.org/b?c=d#e": true, "HTTP://a": true, "#x": true, "a.md": true, "../a/b.html#c": true, "/a": true, "?a=b:c": true, "a/b:c": true, "a_(b)": true,
		"javascript:alert(1)": false, "JavaScript:x": false, "data:text/html,x": false, "mailto:a@b.c": false, "//a.org": false, `\\a.org`: false, `/\a.org`: false, "java\tscript:x": false, "file:///etc": false, "\x01javascript:x": false,
	} {
		page := (&Document{Blocks: []Block{Paragraph{"[text](" + url + ")"}}}).HTML()
		links := named(read(t, page), "a")
		if want != (len(links) == 1) {
			t.Errorf("%q: %d links", url, len(links))
		}
		if want && len(links) == 1 && links[0].attributes["href"] != url {
			t.Errorf("%q became %q", url, links[0].attributes["href"])
		}
	}
}

// TestPolicy checks that a page may use what it has and has nothing else.
func TestPolicy(t *testing.T) {
	page := sample().HTML()
	all := read(t, page)
	policy := ""
	for _, m := range named(all, "meta") {
		if m.attributes["http-equiv"] != "" {
			policy = m.attributes["content"]
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") {
		t.Errorf("the policy is %q", policy)
	}
	if styles := named(all, "style"); len(styles) != 2 {
		t.Errorf("%d style sheets, expected 2", len(styles))
	} else {
		for _, s := range styles {
			if !strings.Contains(policy, "'"+hash(s.text)+"'") {
				t.Errorf("the policy forbids a style sheet:\n%s", s.text)
			}
		}
	}
	ids := map[string]bool{}
	for _, e := range all {
		if e.name == "script" {
			t.Error("there is a script")
		}
		for a, v := range e.attributes {
			if a == "style" || a == "src" || strings.HasPrefix(a, "on") {
				t.Errorf("%s has %s", e.name, a)
			}
			if a == "id" {
				if ids[v] {
					t.Errorf("two elements are called %s", v)
				}
				ids[v] = true
			}
		}
	}
	for _, a := range named(all, "a") {
		if to, ok := strings.CutPrefix(a.attributes["href"], "#"); ok && !ids[to] {
			t.Errorf("nothing is called %s", to)
		}
	}
}

func TestContents(t *testing.T) {
	d := &Document{Title: "T"}
	for n := 1; n < 6; n++ {
		d.Blocks = append(d.Blocks, Heading{2, fmt.Sprintf("Part *%d*", n)}, Heading{3, "Same"})
		nav := named(read(t, d.HTML()), "nav")
		if (len(nav) == 1) != (n >= 4) {
			t.Fatalf("%d headings: %d tables of contents", n, len(nav))
		}
		if n >= 4 && len(named(read(t, d.HTML()), "li")) != n {
			t.Errorf("%d headings: %s", n, nav[0].text)
		}
	}
}

func TestSlugs(t *testing.T) {
	s := slugs{}
	for _, test := range []struct{ text, want string }{
		{"See also", "see-also"}, {"See also", "see-also-1"}, {"A & B: θ₁_x", "a--b-θ₁_x"}, {"See also 1", "see-also-1-1"}, {"See also", "see-also-2"}, {"?!", ""},
	} {
		if got := s.of(test.text); got != test.want {
			t.Errorf("%s is called %s, expected %s", test.text, got, test.want)
		}
	}
}

func TestMarkdownBlocks(t *testing.T) {
	d := &Document{Title: "T", Blocks: []Block{
		&Table{Groups: []Group{{"", 1}, {"paper", 2}}, Head: []string{"m", "acc.", ""}, Left: 1, Rows: [][]Cell{{{Text: "x", Emphasis: Bold}, {Text: "-1", Emphasis: Bad}, {Text: "*y*", Emphasis: Bold}}}},
		List{[]string{"a"}}, List{[]string{"b"}},
		Figure{Name: "f", Caption: "A [link](x), _so_!", SVG: nil},
	}}
	want := `# T

| m | paper: acc. | paper |
| :-- | --: | --: |
| **x** | ▲ -1 | <strong>*y*</strong> |

- a

<!-- -->

- b

![A link, \_so\_!](a%20b/f.svg)

A [link](x), \_so\_!
`
	if got := string(d.Markdown(func(name string) string { return "a b/" + name + ".svg" })); got != want {
		t.Errorf("%s\nexpected\n%s", got, want)
	}
}
