package datafile

import (
	"fmt"
	"strings"
)

// Error is a mistake in a data file, with the place of it and the cure.
type Error struct {
	Name    string // of the file
	Line    int    // from 1; 0 if the mistake has no place, as for a variable that is missing
	Col     int    // from 1, in bytes
	Message string
	Remedy  string // may be empty
}

// Error returns "name:line:col: message; remedy".
func (e *Error) Error() string {
	s := e.Name + ": " + e.Message
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Col, e.Message)
	}
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Errors are several mistakes in one data file, in the order of the text.
type Errors struct {
	List []*Error
	More int // mistakes that are counted only
}

// Error returns a line for each mistake, and one that counts the rest.
func (e *Errors) Error() string {
	lines := make([]string, 0, len(e.List)+1)
	for _, x := range e.List {
		lines = append(lines, x.Error())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", e.List[0].Name, e.More))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes, for errors.As.
func (e *Errors) Unwrap() []error {
	out := make([]error, len(e.List))
	for i, x := range e.List {
		out[i] = x
	}
	return out
}

// joined is the error of a list that is not empty: the one mistake, or all of them.
func joined(list []*Error, more int) error {
	if len(list) == 1 && more == 0 {
		return list[0]
	}
	return &Errors{list, more}
}
