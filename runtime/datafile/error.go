package datafile

import "fmt"

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
