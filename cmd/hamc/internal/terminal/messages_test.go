package terminal

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWrap checks that wrapping keeps the words and the width, for texts that look like messages.
func TestWrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 2000 {
		var words []string
		for range 1 + rng.IntN(40) {
			words = append(words, strings.Repeat([]string{"a", "µ", "`x`"}[rng.IntN(3)], 1+rng.IntN(12)))
		}
		lead := strings.Repeat(" ", rng.IntN(8))
		line, width, indent := lead+strings.Join(words, " "), rng.IntN(120), rng.IntN(14)
		got := Wrap(line, width, indent)
		if strings.Join(strings.Fields(got), " ") != strings.Join(words, " ") {
			t.Fatalf("Wrap(%q, %d, %d) = %q: other words", line, width, indent, got)
		}
		parts := strings.Split(got, "\n")
		if width < indent+leastWrapped && len(parts) > 1 {
			t.Fatalf("Wrap(%q, %d, %d) = %q: no width to wrap to", line, width, indent, got)
		}
		for i, p := range parts {
			if i > 0 && (!strings.HasPrefix(p, strings.Repeat(" ", indent)) || strings.HasPrefix(p, strings.Repeat(" ", indent+1))) {
				t.Fatalf("Wrap(%q, %d, %d) = %q: the indent", line, width, indent, got)
			}
			if len(parts) > 1 && utf8.RuneCountInString(p) > width && len(strings.Fields(p)) > 1 {
				t.Fatalf("Wrap(%q, %d, %d) = %q: a line is too long", line, width, indent, got)
			}
		}
	}
}

// TestMessagesNoTerminal checks that what is no terminal gets messages as they are.
func TestMessagesNoTerminal(t *testing.T) {
	var b bytes.Buffer
	if w := Messages(&b); w != &b {
		t.Errorf("a buffer is wrapped in %T", w)
	}
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := Messages(f); w != f {
		t.Errorf("a file is wrapped in %T", w)
	}
	if Color(f) || Color(&b) {
		t.Error("colours in a file")
	}
}

type fakeMessages struct{ bytes.Buffer }

func (*fakeMessages) Fd() uintptr { return 7 }

// TestMessages checks what is wrapped and what is left alone.
func TestMessages(t *testing.T) {
	long := strings.Repeat("word ", 10) + "end"
	for _, c := range []struct {
		text, want string
		color      bool
	}{
		{"warning: " + long + "\n", "warning: word word word word word word\n      word word word word end\n", false},
		{"hamc: short\n      next\n", "hamc: short\n      next\n", false},
		{"hamc: short\n", "\x1b[1;31mhamc:\x1b[0m short\n", true},
		{"\rwarning: " + long, "\rwarning: " + long, true},
		{"warning: " + long, "warning: " + long, true},
		{"checked  " + long + "\n", "checked  " + long + "\n", true},
		{"{\"event\": \"" + long + "\"}\n", "{\"event\": \"" + long + "\"}\n", true},
	} {
		var f fakeMessages
		m := &messages{&f, c.color, func() int { return 40 }}
		if n, err := m.Write([]byte(c.text)); n != len(c.text) || err != nil {
			t.Errorf("%q: %d, %v", c.text, n, err)
		}
		if f.String() != c.want {
			t.Errorf("%q becomes\n%q, want\n%q", c.text, f.String(), c.want)
		}
	}
}
