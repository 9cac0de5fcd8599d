package codegen

import (
	"bytes"
	"go/format"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

const (
	maxLine  = 120 // columns of lines of documentation
	tabWidth = 4
)

// formatted is gofmt's form of a file in which no comment behind code ends beyond maxLine: those that would stand above their
// lines. Only what gofmt has aligned tells which ones these are.
func formatted(code []byte) ([]byte, error) {
	code, err := format.Source(code)
	if err != nil {
		return nil, err
	}
	moved := commentsAbove(code)
	if bytes.Equal(moved, code) {
		return code, nil
	}
	return format.Source(moved)
}

// commentsAbove puts each comment that ends a line of code beyond maxLine above that line.
func commentsAbove(code []byte) []byte {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, code, nil, scanner.ScanComments)
	var out []byte
	done, line := 0, 0 // what is written; the line of the last token
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return append(out, code[done:]...)
		}
		at, of := file.Offset(pos), file.Line(pos)
		if tok != token.COMMENT {
			line = of
		}
		if tok != token.COMMENT || of != line || !strings.HasPrefix(text, "//") {
			continue
		}
		start := bytes.LastIndexByte(code[:at], '\n') + 1
		before := code[start:at]
		if width(string(before))+utf8.RuneCountInString(text) <= maxLine {
			continue
		}
		indent := before[:len(before)-len(bytes.TrimLeft(before, "\t"))]
		out = append(out, code[done:start]...)
		for _, l := range commentLines(strings.TrimPrefix(strings.TrimPrefix(text, "//"), " "), len(indent)) {
			out = append(append(append(out, indent...), l...), '\n')
		}
		out = append(out, bytes.TrimRight(before, " \t")...)
		done = at + len(text)
	}
}

// width is the number of columns of a text.
func width(s string) int {
	return utf8.RuneCountInString(s) + (tabWidth-1)*strings.Count(s, "\t")
}
