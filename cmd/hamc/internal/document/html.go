package document

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed document.css
var css string

// manySections is from how many headings of level 2 on a page has a table of
// contents.
const manySections = 4

// HTML returns the document as one HTML page that needs nothing beside it, and
// may load and run nothing.
func (d *Document) HTML() []byte {
	var body bytes.Buffer
	title := parse(d.Title)
	ids := slugs{}
	fmt.Fprintf(&body, "<h1 id=\"%s\">%s</h1>\n", id(ids, title), markup(title))

	// The table of contents stands before the first section and needs all ids.
	heads := make([]string, len(d.Blocks))
	var contents strings.Builder
	sections := 0
	for i, block := range d.Blocks {
		if h, ok := block.(Heading); ok {
			nodes := parse(h.Text)
			heads[i] = id(ids, nodes)
			if level(h) == 2 {
				sections++
				fmt.Fprintf(&contents, "<li><a href=\"#%s\">%s</a></li>\n", heads[i], html.EscapeString(plain(nodes)))
			}
		}
	}
	tables, seen := 0, false
	styles := []string{css}
	for i, block := range d.Blocks {
		switch e := block.(type) {
		case Heading:
			if level(e) == 2 && !seen {
				seen = true
				if sections >= manySections {
					fmt.Fprintf(&body, "<nav aria-labelledby=\"Contents\">\n<p id=\"Contents\">Contents</p>\n<ul>\n%s</ul>\n</nav>\n", contents.String())
				}
			}
			fmt.Fprintf(&body, "<h%d id=\"%s\">%s</h%[1]d>\n", level(e), heads[i], markup(parse(e.Text)))
		case Paragraph:
			fmt.Fprintf(&body, "<p>%s</p>\n", markup(parse(e.Text)))
		case List:
			body.WriteString("<ul>\n")
			for _, item := range e.Items {
				fmt.Fprintf(&body, "<li>%s</li>\n", markup(parse(item)))
			}
			body.WriteString("</ul>\n")
		case *Table:
			tables++
			e.html(&body, tables)
		case Figure:
			picture := inlined(e.SVG)
			for _, m := range styleElement().FindAllSubmatch(picture, -1) {
				if s := string(m[1]); !slices.Contains(styles, s) {
					styles = append(styles, s)
				}
			}
			fmt.Fprintf(&body, "<figure class=\"picture\">\n<div class=\"scroll\">\n%s</div>\n", picture)
			if e.Caption != "" {
				fmt.Fprintf(&body, "<figcaption>%s</figcaption>\n", markup(parse(e.Caption)))
			}
			body.WriteString("</figure>\n")
		case Code: // HTML drops a line end at the beginning of pre, so there is one
			fmt.Fprintf(&body, "<pre tabindex=\"0\">\n%s</pre>\n", html.EscapeString(printable(e.Text)))
		}
	}
	return wholePage(plain(title), body.Bytes(), styles)
}

// wholePage is the page with a body.
func wholePage(title string, body []byte, styles []string) []byte {
	// The page may use these style sheets, and nothing else: no text in it can
	// bring in another.
	policy := "default-src 'none'; style-src"
	for _, s := range styles {
		policy += " '" + hash(s) + "'"
	}
	policy += "; base-uri 'none'; form-action 'none'"
	var page bytes.Buffer
	fmt.Fprintf(&page, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
<body>
<main>
%s</main>
</body>
</html>
`, policy, html.EscapeString(title), css, body)
	return page.Bytes()
}

func hash(text string) string {
	h := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}

// id returns the identifier of a heading; none is empty.
func id(ids slugs, nodes []node) string {
	s := ids.of(plain(nodes))
	if s == "" {
		s = ids.of("section")
	}
	return html.EscapeString(s)
}

var styleElement = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<style[^>]*>(.*?)</style>`) })

// inlined returns the element of a picture without what stands before it in a
// file of its own.
func inlined(svg []byte) []byte {
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		return svg[at:]
	}
	return svg
}

func (t *Table) html(b *bytes.Buffer, number int) {
	n := t.columns()
	b.WriteString("<figure class=\"table\">\n")
	label := fmt.Sprintf("aria-label=\"Table %d\"", number)
	if t.Caption != "" {
		name := fmt.Sprintf("Table-%d", number) // headings have no upper case
		fmt.Fprintf(b, "<figcaption id=\"%s\">%s</figcaption>\n", name, markup(parse(t.Caption)))
		label = fmt.Sprintf("aria-labelledby=\"%s\"", name)
	}
	fmt.Fprintf(b, "<div class=\"scroll\" role=\"region\" %s tabindex=\"0\">\n<table>\n<thead>\n", label)
	if len(t.Groups) > 0 {
		b.WriteString("<tr>")
		at := 0
		for _, g := range t.Groups {
			span := max(1, g.Columns)
			element, scope := "th", " scope=\"colgroup\""
			if clean(g.Text) == "" {
				element, scope = "td", ""
			}
			fmt.Fprintf(b, "<%s colspan=\"%d\"%s>%s</%[1]s>", element, span, scope, markup(parse(g.Text)))
			at += span
		}
		if at < n {
			fmt.Fprintf(b, "<td colspan=\"%d\"></td>", n-at)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("<tr>")
	for i := range n {
		text := ""
		if i < len(t.Head) {
			text = t.Head[i]
		}
		class := ""
		if i < t.Left {
			class = " class=\"text\""
		}
		fmt.Fprintf(b, "<th scope=\"col\"%s>%s</th>", class, markup(parse(text)))
	}
	b.WriteString("</tr>\n</thead>\n<tbody>\n")
	for _, row := range t.Rows {
		b.WriteString("<tr>")
		for i := range n {
			var c Cell
			if i < len(row) {
				c = row[i]
			}
			element := "td"
			if i == 0 && t.Left > 0 {
				element = "th scope=\"row\""
			}
			var classes []string
			if i < t.Left {
				classes = append(classes, "text")
			}
			before := ""
			switch c.Emphasis {
			case Bold:
				classes = append(classes, "bold")
			case Bad:
				classes = append(classes, "bad")
				before = badMark
			case Faint:
				classes = append(classes, "faint")
			}
			attributes := ""
			if len(classes) > 0 {
				attributes = fmt.Sprintf(" class=\"%s\"", strings.Join(classes, " "))
			}
			inner := before + markup(parse(c.Text))
			if c.Title != "" {
				inner = fmt.Sprintf("<span title=\"%s\">%s</span>", html.EscapeString(printable(c.Title)), inner)
			}
			fmt.Fprintf(b, "<%s%s>%s</%s>", element, attributes, inner, element[:2])
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody>\n</table>\n</div>\n</figure>\n")
}

// markup returns nodes as HTML.
func markup(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		switch n.kind {
		case text:
			b.WriteString(html.EscapeString(n.text))
		case code:
			b.WriteString("<code>" + html.EscapeString(n.text) + "</code>")
		case emphasis:
			b.WriteString("<em>" + markup(n.children) + "</em>")
		case strong:
			b.WriteString("<strong>" + markup(n.children) + "</strong>")
		case link:
			fmt.Fprintf(&b, "<a href=\"%s\">%s</a>", html.EscapeString(n.url), markup(n.children))
		}
	}
	return b.String()
}
