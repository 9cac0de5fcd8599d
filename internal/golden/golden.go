// Package golden runs tests whose cases stand in a file: of each case a line == and what it shows, an input, a line -->,
// and what is to be made of the input. With -update, what is made is written to the file, to be read.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is made to the files of cases")

// Run makes something of the input of each case of a file, and compares it with what stands there.
func Run(t *testing.T, file string, make func(t *testing.T, in string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split("\n"+string(text), "\n== ")[1:]
	if len(cases) == 0 {
		t.Fatalf("%s holds no cases", file)
	}
	var out []string
	for _, c := range cases {
		title, rest, _ := strings.Cut(c, "\n")
		in, want, found := strings.Cut(rest, "-->")
		if !found && !*update {
			t.Errorf("%s: %s: no line -->", file, title)
		}
		t.Run(title, func(t *testing.T) {
			got := make(t, in)
			if strings.TrimSpace(got) != strings.TrimSpace(want) && !*update {
				t.Errorf("this is made:\n%s\nwhere this is expected:\n%s", got, want)
			}
			out = append(out, "== "+title+"\n"+strings.Trim(in, "\n")+"\n-->\n"+strings.TrimSpace(got)+"\n")
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
