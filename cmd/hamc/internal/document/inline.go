package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a node is.
type kind int

const (
	text kind = iota
	code
	emphasis
	strong
	link
)

// node is a piece of inline markup.
type node struct {
	kind     kind
	text     string // of text and code
	children []node // of the others
	url      string // of link
}

// Escape returns inline markup that stands for a plain text.
func Escape(plain string) string {
	var b strings.Builder
	for i := range len(plain) {
		if strings.IndexByte("\\`*[", plain[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(plain[i])
	}
	return b.String()
}

// parse returns the nodes of inline markup.
func parse(markup string) []node {
	p := parser{s: clean(markup)}
	return p.nodes(0, len(p.s), false, ' ', ' ')
}

// plain returns the text of nodes without their markup.
func plain(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.text)
		b.WriteString(plain(n.children))
	}
	return b.String()
}

// parser parses inline markup. Each delimiter looks for its partner from where it
// is, and what is between them is parsed again: texts are short.
type parser struct{ s string }

// nodes parses s[from:to], which stands between the characters before and after.
func (p *parser) nodes(from, to int, inLink bool, before, after rune) []node {
	var out []node
	start := from // of text not yet in out
	var literal strings.Builder
	flush := func(end int) {
		literal.WriteString(p.s[start:end])
		if literal.Len() > 0 {
			out = append(out, node{kind: text, text: literal.String()})
			literal.Reset()
		}
	}
	for i := from; i < to; {
		c := p.s[i]
		n, end := node{}, -1
		switch {
		case c == '\\' && i+1 < to && punctuation(rune(p.s[i+1])) && p.s[i+1] < utf8.RuneSelf:
			literal.WriteString(p.s[start:i])
			start = i + 1
			i += 2
			continue
		case c == '`':
			n, end = p.code(i, to)
		case c == '*':
			n, end = p.delimited(i, from, to, inLink, before, after)
		case c == '[' && !inLink:
			n, end = p.link(i, to)
		}
		if end < 0 {
			width := 1
			if c == '`' || c == '*' { // the rest of the run opens nothing either
				width = p.run(i, to)
			}
			i += width
			continue
		}
		flush(i)
		if n.kind == link && n.url == "" {
			out = append(out, n.children...)
		} else {
			out = append(out, n)
		}
		i, start = end, end
	}
	flush(to)
	return out
}

// run returns how often the character at i stands there in a row.
func (p *parser) run(i, to int) int {
	n := 1
	for i+n < to && p.s[i+n] == p.s[i] {
		n++
	}
	return n
}

// code parses a span of code at i. Its end is as many ` as its beginning.
func (p *parser) code(i, to int) (node, int) {
	n := p.run(i, to)
	for j := i + n; j < to; j++ {
		if p.s[j] != '`' {
			continue
		}
		m := p.run(j, to)
		if m == n {
			inner := p.s[i+n : j]
			if len(inner) > 2 && inner[0] == ' ' && inner[len(inner)-1] == ' ' {
				inner = inner[1 : len(inner)-1]
			}
			return node{kind: code, text: inner}, j + n
		}
		j += m - 1
	}
	return node{}, -1
}

// delimited parses *emphasis* or **strong** at i.
func (p *parser) delimited(i, from, to int, inLink bool, before, after rune) (node, int) {
	width, k := 1, emphasis
	if p.run(i, to) > 1 {
		width, k = 2, strong
	}
	if !p.opens(i, i+p.run(i, to), from, to, before, after) {
		return node{}, -1
	}
	for j := i + width; j < to; {
		switch p.s[j] {
		case '\\':
			j += 2
			continue
		case '`':
			if _, end := p.code(j, to); end >= 0 {
				j = end
			} else {
				j += p.run(j, to)
			}
			continue
		case '[':
			if !inLink {
				if _, end := p.link(j, to); end >= 0 {
					j = end
					continue
				}
			}
		case '*':
			n := p.run(j, to)
			if !p.closes(j, j+n, from, to, before, after) || width == 1 && n == 2 || n < width {
				j += n
				continue
			}
			// Of *** the first close what is open, unless it holds an opener that
			// they seem to belong to.
			end := j + width
			if n == 3 && strings.Contains(p.s[i+width:j], "***"[width:]) {
				end = j + n
			}
			if end-width > i+width {
				return node{kind: k, children: p.nodes(i+width, end-width, inLink, '*', '*')}, end
			}
			j += n
			continue
		}
		j++
	}
	return node{}, -1
}

// around returns the characters before i and from j on.
func (p *parser) around(i, j, from, to int, before, after rune) (rune, rune) {
	if i > from {
		before, _ = utf8.DecodeLastRuneInString(p.s[from:i])
	}
	if j < to {
		after, _ = utf8.DecodeRuneInString(p.s[j:to])
	}
	return before, after
}

// opens reports whether the delimiters s[i:j] are "left-flanking" in the words
// of CommonMark 0.31.
func (p *parser) opens(i, j, from, to int, before, after rune) bool {
	b, a := p.around(i, j, from, to, before, after)
	return !unicode.IsSpace(a) && (!punctuation(a) || unicode.IsSpace(b) || punctuation(b))
}

// closes reports whether they are "right-flanking".
func (p *parser) closes(i, j, from, to int, before, after rune) bool {
	b, a := p.around(i, j, from, to, before, after)
	return !unicode.IsSpace(b) && (!punctuation(b) || unicode.IsSpace(a) || punctuation(a))
}

func punctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

// link parses [text](url) at i. The URL has no space; parentheses in it pair up.
// It is "" in the result if it is not to be followed.
func (p *parser) link(i, to int) (node, int) {
	depth, j := 0, i
loop:
	for ; j < to; j++ {
		switch p.s[j] {
		case '\\':
			j++
		case '`':
			if _, end := p.code(j, to); end >= 0 {
				j = end - 1
			} else {
				j += p.run(j, to) - 1
			}
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				break loop
			}
		}
	}
	if j+1 >= to || j == i+1 || p.s[j+1] != '(' {
		return node{}, -1
	}
	depth = 0
	for k := j + 1; k < to && p.s[k] != ' '; k++ {
		switch p.s[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				url := p.s[j+2 : k]
				if !allowed(url) {
					url = ""
				}
				return node{kind: link, url: url, children: p.nodes(i+1, j, true, '[', ']')}, k + 1
			}
		}
	}
	return node{}, -1
}

// allowed reports whether a URL is of http or https, a fragment, or relative.
// Browsers take \ for /, and // for a host: neither is relative.
func allowed(url string) bool {
	if url == "" || strings.ContainsFunc(url, func(r rune) bool {
		return r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError
	}) {
		return false
	}
	lower := strings.ToLower(url)
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return true
	}
	head, _, _ := strings.Cut(url, "#")
	head, _, _ = strings.Cut(head, "?")
	first, _, _ := strings.Cut(head, "/")
	return !strings.HasPrefix(url, "//") && !strings.Contains(first, ":")
}
