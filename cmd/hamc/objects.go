package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hamc-dev/hamc/runtime/datafile"
)

// stdinName as an input file stands for standard input.
const stdinName = "-"

// object is one JSON object of named numbers in a list of them, and where it
// begins. Its numbers are read as those of data files are.
type object struct {
	set       *datafile.Set
	file      string
	line, col int
}

// readObjects reads a list of objects. Errors have file, line and column; what
// says what the file is to hold.
func readObjects(file string, text []byte, what string) ([]*object, error) {
	if at := skipSpace(text, 0); at == len(text) || text[at] != '[' {
		return nil, problem{fail(file, text, at, "expected %s", what)}
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, problem{syntax(file, text, err)}
	}
	// Now that the text is known to be a list, its elements can be found.
	list := make([]*object, len(raw))
	at := skipSpace(text, 0) + 1
	for i, r := range raw {
		at = skipComma(text, at)
		o, err := readObject(file, text, at, r)
		if err != nil {
			return nil, problem{err}
		}
		list[i] = o
		at += len(r)
	}
	return list, nil
}

// readObject reads the object raw that starts at text[start].
func readObject(file string, text []byte, start int, raw []byte) (*object, error) {
	o := &object{file: file}
	o.line, o.col = place(text, start)
	var err error
	if o.set, err = datafile.Read(bytes.NewReader(raw), file); err != nil {
		return o, o.moved(err)
	}
	for _, name := range o.set.Names() { // all that is there is to be numbers
		if _, err := o.set.Dims(name); err != nil {
			return o, o.moved(err)
		}
	}
	return o, nil
}

// reals returns the numbers of a variable of the given dimensions.
func (o *object) reals(name string, dims ...int) ([]float64, error) {
	x, err := o.set.RealArray(name, dims...)
	return x, o.moved(err)
}

// moved moves the place of an error from the object to the file it is in. What is said there of
// data that are missing does not fit here.
func (o *object) moved(err error) error {
	var several *datafile.Errors
	if errors.As(err, &several) {
		all := &datafile.Errors{More: several.More}
		for _, x := range several.List {
			var e *datafile.Error
			if errors.As(o.moved(x), &e) {
				all.List = append(all.List, e)
			}
		}
		return all
	}
	var e *datafile.Error
	if !errors.As(err, &e) {
		return err
	}
	m := *e
	if strings.Contains(m.Remedy, "missing values") {
		m.Remedy = "write a finite number"
	}
	switch {
	case m.Line == 0:
		m.Line, m.Col = o.line, o.col
	case m.Line == 1:
		m.Line, m.Col = o.line, m.Col+o.col-1
	default:
		m.Line += o.line - 1
	}
	return &m
}

// because replaces the remedy that an error gives for data files.
func (o *object) because(err error, remedy string) error {
	var e *datafile.Error
	if !errors.As(err, &e) {
		return err
	}
	m := *e
	m.Remedy = remedy
	return &m
}

// errorf returns an error at the start of the object.
func (o *object) errorf(format string, args ...any) error {
	return &datafile.Error{Name: o.file, Line: o.line, Col: o.col, Message: fmt.Sprintf(format, args...)}
}

// syntax places an error of package json.
func syntax(file string, text []byte, err error) error {
	var se *json.SyntaxError
	if !errors.As(err, &se) {
		return fail(file, text, 0, "%v", err)
	}
	// The offset counts the bytes read, the offending one included.
	at := int(se.Offset) - 1
	if end := len(bytes.TrimRight(text, " \t\r\n")); at+1 >= end && strings.Contains(err.Error(), "end of JSON") {
		return fail(file, text, end, "the file ends in the middle of the list")
	}
	return fail(file, text, at, "%v", err)
}

func fail(file string, text []byte, at int, format string, args ...any) error {
	line, col := place(text, at)
	return &datafile.Error{Name: file, Line: line, Col: col, Message: fmt.Sprintf(format, args...)}
}

// place returns the line and column, in bytes and from 1, of text[at].
func place(text []byte, at int) (line, col int) {
	before := text[:max(0, min(at, len(text)))]
	return 1 + bytes.Count(before, []byte{'\n'}), len(before) - bytes.LastIndexByte(before, '\n')
}

// skipSpace returns the place of the first byte from at that is not white space.
func skipSpace(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// skipComma is skipSpace past the comma between two elements.
func skipComma(text []byte, at int) int {
	if at = skipSpace(text, at); at < len(text) && text[at] == ',' {
		at = skipSpace(text, at+1)
	}
	return at
}
