package dsl

import (
	"fmt"
	"strings"
)

// commentedNumbers warns of comments that are a number, or the name of an integer, behind an expression: `let h = n // 2`, which is a division in Python.
func (c *checker) commentedNumbers(f *File) {
	lines := strings.Split(c.ds.Text, "\n")
	for _, s := range f.Stmts {
		switch s := s.(type) {
		case *ConstStmt:
			c.commentedNumber(lines, s.Syntax, s.Value)
		case *LetStmt:
			c.commentedNumber(lines, s.Syntax, s.Value)
		case *DensityStmt:
			c.commentedNumber(lines, s.Syntax, s.Value)
		case *GenerateStmt:
			for i := range s.Quantities {
				q := &s.Quantities[i]
				c.commentedNumber(lines, q.Syntax, q.Value)
			}
		}
	}
}

// commentedNumber looks behind a statement that ends with a value.
func (c *checker) commentedNumber(lines []string, s Syntax, value Expr) {
	end := s.EndPos
	if end.Line < 1 || end.Line > len(lines) || end.Column-1 > len([]rune(lines[end.Line-1])) {
		return
	}
	rest := []rune(lines[end.Line-1])[end.Column-1:]
	comment, is := strings.CutPrefix(strings.TrimSpace(string(rest)), "//")
	by := strings.TrimSpace(comment)
	if !is || by == "" {
		return
	}
	switch o := c.scope[by].(type) {
	case *Data:
		is = o.Type.Base == Int && o.Type.IsScalar()
	case *Const:
	default:
		is = strings.Trim(by, "0123456789") == ""
	}
	if !is || value == nil {
		return
	}
	blanks := len(rest) - len([]rune(strings.TrimLeft(string(rest), " \t")))
	at := Span{Pos{Line: end.Line, Col: end.Column + blanks}, 2}
	c.warn(CommentNumber, at, fmt.Sprintf("whole-number division is `floor((…)/%s)`, as `let h = floor(n/%[1]s)`; what is a comment says more than that", by),
		"`//` starts a comment, and `%s` is not read", by)
}
