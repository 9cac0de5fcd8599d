package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/symbolic"
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
	End      int        `json:"end"` // the column behind the last character
	Message  string     `json:"message"`
	Hint     string     `json:"hint,omitempty"`
	Notes    []noteText `json:"notes,omitempty"` // other places that matter
}

type noteText struct {
	File    string `json:"file,omitempty"` // if it is another than that of the message
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Length  int    `json:"length"`
	End     int    `json:"end"`
	Message string `json:"message"`
}

// diagnosticTexts returns the messages about a model as JSON has them.
func diagnosticTexts(ds *dsl.Diagnostics) []diagnosticText {
	var out []diagnosticText
	for _, d := range ds.List {
		file, _ := ds.Place(d.Span.Pos)
		text := diagnosticText{Severity: d.Severity.String(), Code: string(d.Code), File: file,
			Line: d.Span.Pos.Line, Col: d.Span.Pos.Col, Length: d.Span.Len, End: d.Span.Pos.Col + d.Span.Len, Message: d.Message, Hint: d.Hint}
		for _, n := range d.Notes {
			other, _ := ds.Place(n.Span.Pos)
			if other == file {
				other = ""
			}
			text.Notes = append(text.Notes, noteText{other, n.Span.Pos.Line, n.Span.Pos.Col, n.Span.Len, n.Span.Pos.Col + n.Span.Len, n.Message})
		}
		out = append(out, text)
	}
	return out
}

// messageColors are the colours of messages about models.
var messageColors = map[dsl.Part]string{dsl.ErrorPart: "1;31", dsl.WarningPart: "1;35", dsl.NotePart: "1;36", dsl.HintPart: "1;32"}

// messageStyle is how messages about models look on w.
func messageStyle(w io.Writer) dsl.Style {
	s := dsl.Style{Width: terminal.Width(w), Wrap: terminal.Wrap}
	if terminal.Color(w) {
		s.Paint = func(part dsl.Part, text string) string { return terminal.Paint(messageColors[part], text) }
	}
	return s
}

// tell writes messages about a model to standard error: as events where there are events,
// otherwise as text.
func (e *env) tell(ds *dsl.Diagnostics) {
	if e.events == nil {
		_, _ = io.WriteString(e.stderr, ds.Render(messageStyle(e.stderr)))
		return
	}
	out := json.NewEncoder(e.events)
	out.SetEscapeHTML(false)
	for _, text := range diagnosticTexts(ds) {
		_ = out.Encode(diagnosticEvent{eventDiagnostic, text}) // as for every other text on standard error
	}
}

// stdinShown is the name of a model that is read from standard input, in messages.
const stdinShown = "<stdin>"

func newCheck(e *env) *cobra.Command {
	var consts []string
	var asJSON bool
	var data string
	cmd := &cobra.Command{
		Use:   "check MODEL.ham...",
		Short: "Report every error and warning of models",
		Long: `Report every error and warning of models, and of files of functions that models
import; - reads one from standard input. With --data a model is held against its
data too: their names, sizes, bounds and positions.

Exit codes: 0 no errors (there may be warnings), 1 errors, 2 usage.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exactly(1, "MODEL.ham")(cmd, args)
			}
			return nil
		},
		ValidArgsFunction: completeModels,
		RunE: func(_ *cobra.Command, args []string) error {
			bindings, err := parseConsts(consts)
			if err != nil {
				return err // about the flags, so the same for every model
			}
			if data != "" && len(args) != 1 {
				return usage{errors.New("--data holds the data of one model: check each with its own")}
			}
			return e.check(args, bindings, data, asJSON)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "`FILE` of data in CmdStan's JSON, which is checked with the model")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the messages as one JSON array to standard output")
	constFlag(cmd, &consts)
	completeFlags(cmd)
	return cmd
}

// checkData says what is wrong with the data in a file, by what the declarations demand of them and where positions that are computed of them lie, and which names the model does not know.
func (m *model) checkData(path string) (unknown []string, err error) {
	d, err := m.read(path)
	if err != nil {
		return nil, err
	}
	_, err = m.on(d)
	return d.Unknown(), err
}

// unknownData says of names in a data file that they are of no use.
func unknownData(names []string) string {
	return "the data file holds names that the model does not declare: " + strings.Join(names, ", ")
}

// check reports the messages about models, and about the data of one.
func (e *env) check(paths []string, consts []dsl.ConstBinding, data string, asJSON bool) error {
	var failed error
	all := []diagnosticText{}
	read := false // standard input
	for _, path := range paths {
		name, text := path, ""
		var err error
		switch {
		case path == stdinName && read:
			return usage{errors.New("- stands for standard input, which is read once")}
		case path == stdinName:
			var b []byte
			if b, err = io.ReadAll(e.stdin); err != nil {
				err = fmt.Errorf("%s: %w", stdinShown, err)
			}
			name, text, read = stdinShown, string(b), true
			if err == nil {
				text, err = withImports(".", text, os.ReadFile)
			}
		default:
			text, err = readModel(path)
		}
		of := func(file string, severity dsl.Severity, prefix, text string) {
			if asJSON {
				all = append(all, diagnosticText{Severity: severity.String(), File: shownPath(file), Message: text})
			} else {
				fmt.Fprintf(e.stderr, "%s: %s\n", prefix, text)
			}
		}
		unread := func(file string, err error) {
			failed = errReported
			of(file, dsl.Error, "hamc", message(err))
		}
		if err != nil {
			unread(name, err)
			continue
		}
		var ds *dsl.Diagnostics
		var m *model
		switch {
		case dsl.HoldsFunctions(text):
			ds = dsl.CheckFunctions(shownPath(name), text)
		case data != "":
			m, ds = derive(name, text, consts, false)
		default:
			if m, ds = check(name, text, consts); m != nil {
				ds.List = append(ds.List, symbolic.Check(m.checked)...)
			}
		}
		if ds.HasErrors() {
			failed = errReported
		}
		if all = append(all, diagnosticTexts(ds)...); !asJSON && len(ds.List) > 0 {
			e.tell(ds)
		}
		if data != "" && m != nil && !ds.HasErrors() {
			unknown, err := m.checkData(data)
			if err != nil {
				unread(data, err)
			}
			if len(unknown) > 0 {
				of(data, dsl.Warning, "warning", unknownData(unknown))
			}
		}
	}
	if asJSON {
		out := json.NewEncoder(e.stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		if err := out.Encode(all); err != nil {
			return wrap(err)
		}
	}
	return failed
}
