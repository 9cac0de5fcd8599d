package document

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Markdown returns the document as Markdown of GitHub's kind. The function
// returns the path of a figure's file, from where the document is to stand.
func (d *Document) Markdown(figure func(name string) string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", heading(d.Title))
	for i, block := range d.Blocks {
		b.WriteByte('\n')
		switch e := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "%s %s\n", strings.Repeat("#", level(e)), heading(e.Text))
		case Paragraph:
			fmt.Fprintf(&b, "%s\n", lineStart(inline(parse(e.Text), false)))
		case List:
			if i > 0 {
				if _, again := d.Blocks[i-1].(List); again { // else both would be one
					b.WriteString("<!-- -->\n\n")
				}
			}
			for _, item := range e.Items {
				fmt.Fprintf(&b, "%s\n", strings.TrimRight("- "+lineStart(inline(parse(item), false)), " "))
			}
		case *Table:
			e.markdown(&b)
		case Figure:
			alt := plain(parse(e.Caption))
			if alt == "" {
				alt = clean(e.Name)
			}
			fmt.Fprintf(&b, "![%s](%s)\n", escapeText(alt), destination(figure(e.Name)))
			if e.Caption != "" {
				fmt.Fprintf(&b, "\n%s\n", lineStart(inline(parse(e.Caption), false)))
			}
		case Code:
			fence := "```"
			for strings.Contains(e.Text, fence) {
				fence += "`"
			}
			fmt.Fprintf(&b, "%s\n%s\n%s\n", fence, strings.TrimSuffix(printable(e.Text), "\n"), fence)
		}
	}
	return b.Bytes()
}

func level(h Heading) int { return min(max(2, h.Level), 6) }

// heading returns the text of a heading; # are escaped in it wherever they are.
func heading(markup string) string { return inline(parse(markup), false) }

func (t *Table) markdown(b *bytes.Buffer) {
	if t.Caption != "" {
		fmt.Fprintf(b, "%s\n\n", lineStart(inline(parse(t.Caption), false)))
	}
	n := t.columns()
	if n == 0 {
		return
	}
	heads := make([]string, n)
	for i, h := range t.Head {
		heads[i] = inline(parse(h), true)
	}
	at := 0
	for _, g := range t.Groups {
		text := inline(parse(g.Text), true)
		for range max(1, g.Columns) {
			switch {
			case text == "":
			case heads[at] == "":
				heads[at] = text
			default:
				heads[at] = text + ": " + heads[at]
			}
			at++
		}
	}
	row := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	row(heads)
	cells := make([]string, n)
	for i := range cells {
		cells[i] = "--:"
		if i < t.Left {
			cells[i] = ":--"
		}
	}
	row(cells)
	for _, r := range t.Rows {
		clear(cells)
		for i, c := range r {
			nodes := parse(c.Text)
			switch {
			case c.Emphasis == Bold && len(nodes) > 0:
				nodes = []node{{kind: strong, children: nodes}}
			case c.Emphasis == Bad:
				nodes = append([]node{{kind: text, text: badMark}}, nodes...)
			}
			cells[i] = inline(nodes, true)
		}
		row(cells)
	}
}

// badMark stands before the text of a bad cell, on one line with it.
const badMark = "▲\u00a0"

// inline returns nodes as Markdown, in the cell of a table or elsewhere.
func inline(nodes []node, inTable bool) string {
	var b strings.Builder
	for i, n := range nodes {
		switch n.kind {
		case text:
			t := escapeText(n.text)
			if i+1 < len(nodes) && nodes[i+1].kind == link && strings.HasSuffix(t, "!") { // no image
				t = t[:len(t)-1] + `\!`
			}
			b.WriteString(t)
		case code:
			b.WriteString(codeSpan(n.text, inTable))
		case link:
			fmt.Fprintf(&b, "[%s](%s)", inline(n.children, inTable), destination(n.url))
		case emphasis, strong:
			open, shut := "*", "*"
			if n.kind == strong {
				open, shut = "**", "**"
			}
			if delimitersMeet(nodes, i) {
				name := "em"
				if n.kind == strong {
					name = "strong"
				}
				open, shut = "<"+name+">", "</"+name+">"
			}
			b.WriteString(open + inline(n.children, inTable) + shut)
		}
	}
	return b.String()
}

// delimitersMeet reports whether the * of a node would stand next to others, or
// next to what CommonMark would not take for the edge of a word. HTML says then
// what is meant.
func delimitersMeet(nodes []node, i int) bool {
	starred := func(n node) bool { return n.kind == emphasis || n.kind == strong }
	n := nodes[i]
	first, last := n.children[0], n.children[len(n.children)-1]
	if starred(first) || starred(last) || i > 0 && starred(nodes[i-1]) || i+1 < len(nodes) && starred(nodes[i+1]) {
		return true
	}
	inner := plain(n.children)
	p := parser{s: inner}
	if first.kind == code || first.kind == link || last.kind == code || last.kind == link {
		inner = "`" + inner + "`"
		p.s = inner
	}
	before, after := ' ', ' '
	if i > 0 {
		before = edgeOf(nodes[i-1], true)
	}
	if i+1 < len(nodes) {
		after = edgeOf(nodes[i+1], false)
	}
	return !p.opens(0, 0, 0, len(inner), before, after) || !p.closes(len(inner), len(inner), 0, len(inner), before, after)
}

// edgeOf returns the last or first character that Markdown has for a node.
func edgeOf(n node, last bool) rune {
	if n.kind != text {
		return '`' // or another punctuation character
	}
	r := []rune(n.text)
	if last {
		return r[len(r)-1]
	}
	return r[0]
}

var (
	entity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&(#?[0-9a-zA-Z]+;)`) })
	// scheme is where GitHub makes links of plain text, backslashes included.
	scheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://|(?i:www\\?\.)`) })
)

// escapeText returns Markdown that stands for a text.
func escapeText(plain string) string {
	var b strings.Builder
	for i := range len(plain) {
		if strings.IndexByte("\\`*_[]<|~#$", plain[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(plain[i])
	}
	t := entity().ReplaceAllString(b.String(), `\&$1`)
	return scheme().ReplaceAllStringFunc(t, func(s string) string {
		if s == "://" {
			return `\://`
		}
		return s[:3] + `\.`
	})
}

var ordinal = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+)([.)])`) })

// lineStart escapes what would begin a block at the beginning of a line.
func lineStart(markdown string) string {
	if markdown != "" && strings.IndexByte("+-=>:", markdown[0]) >= 0 {
		return `\` + markdown
	}
	return ordinal().ReplaceAllString(markdown, `$1\$2`)
}

// codeSpan returns code for Markdown. In a table | ends a cell in spite of the
// `, but for \|; where that would be read in two ways, HTML is plain.
func codeSpan(code string, inTable bool) string {
	if inTable && strings.Contains(code, "|") {
		if strings.Contains(code, `\`) {
			return "<code>" + markdownEntities.Replace(code) + "</code>"
		}
		code = strings.ReplaceAll(code, "|", `\|`)
	}
	longest, n := 0, 0
	for i := range len(code) {
		if code[i] == '`' {
			n++
			longest = max(longest, n)
		} else {
			n = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") || strings.HasPrefix(code, " ") && strings.HasSuffix(code, " ") && strings.Trim(code, " ") != "" {
		code = " " + code + " "
	}
	return fence + code + fence
}

// markdownEntities writes every character that Markdown or HTML may know as an entity.
var markdownEntities = func() *strings.Replacer {
	var pairs []string
	for c := byte('!'); c <= '~'; c++ {
		if strings.IndexByte("\\`*_[]<>|~#$&!:.", c) >= 0 {
			pairs = append(pairs, string(c), fmt.Sprintf("&#%d;", c))
		}
	}
	return strings.NewReplacer(pairs...)
}()

// destination returns a URL as it stands in a link of Markdown.
func destination(url string) string {
	var b strings.Builder
	for i := range len(url) {
		if c := url[i]; c <= ' ' || c == 0x7f || strings.IndexByte("()<>|`\\\"[]", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(url[i])
	}
	return entity().ReplaceAllString(b.String(), `\&$1`)
}
