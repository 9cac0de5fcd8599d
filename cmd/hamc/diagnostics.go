package main

import (
	"encoding/json"
	"fmt"

	"github.com/hamc-dev/hamc/dsl"
)

// diagnosticEvent is the line of --progress json for one message about the model.
type diagnosticEvent struct {
	Event      string         `json:"event"` // eventDiagnostic
	Diagnostic diagnosticText `json:"diagnostic"`
}

const eventDiagnostic = "diagnostic"

// diagnosticText is a message about a place in the model. Lines and columns count from 1,
// columns and the length in characters.
type diagnosticText struct {
	Severity string     `json:"severity"` // error or warning
	Code     string     `json:"code"`
	File     string     `json:"file"`
	Line     int        `json:"line"`
	Col      int        `json:"col"`
	Length   int        `json:"length"`
	Message  string     `json:"message"`
	Hint     string     `json:"hint,omitempty"`
	Notes    []noteText `json:"notes,omitempty"` // other places that matter
}

type noteText struct {
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Length  int    `json:"length"`
	Message string `json:"message"`
}

// tell writes messages about a model to standard error: as events where there are events,
// otherwise as text.
func (e *env) tell(ds *dsl.Diagnostics) {
	if e.events == nil {
		fmt.Fprint(e.stderr, ds)
		return
	}
	out := json.NewEncoder(e.events)
	out.SetEscapeHTML(false)
	for _, d := range ds.List {
		text := diagnosticText{Severity: d.Severity.String(), Code: string(d.Code), File: ds.File,
			Line: d.Span.Pos.Line, Col: d.Span.Pos.Col, Length: d.Span.Len, Message: d.Message, Hint: d.Hint}
		for _, n := range d.Notes {
			text.Notes = append(text.Notes, noteText{n.Span.Pos.Line, n.Span.Pos.Col, n.Span.Len, n.Message})
		}
		_ = out.Encode(diagnosticEvent{eventDiagnostic, text}) // as for every other text on standard error
	}
}
