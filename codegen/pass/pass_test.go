package pass_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/codegen/loop"
	"github.com/hamc-dev/hamc/codegen/pass"
)

var update = flag.Bool("update", false, "write what the passes make to testdata")

// TestGolden: each pass makes of the programs in testdata/PASS.txt what stands behind them there, and both keep the
// rules. A file holds cases: a line == and what it shows, a program, a line -->, and what the pass
// makes of it.
func TestGolden(t *testing.T) {
	for _, x := range pass.All {
		t.Run(x.Name, func(t *testing.T) {
			file := filepath.Join("testdata", x.Name+".txt")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			cases := strings.Split("\n"+string(text), "\n== ")[1:]
			if len(cases) == 0 {
				t.Fatalf("%s holds no cases", file)
			}
			for _, c := range cases {
				title, rest, _ := strings.Cut(c, "\n")
				in, want, _ := strings.Cut(rest, "-->")
				p, err := loop.Parse(in)
				if err == nil {
					err = loop.Verify(p)
				}
				if err != nil {
					t.Fatalf("%s: %v", title, err)
				}
				x.Run(p)
				if err := loop.Verify(p); err != nil {
					t.Errorf("%s: what the pass makes: %v", title, err)
				}
				got := p.Format()
				if strings.TrimSpace(got) != strings.TrimSpace(want) && !*update {
					t.Errorf("%s: the pass makes\n%s\nwhere this is expected:\n%s", title, got, want)
				}
				out.WriteString("== " + title + "\n" + strings.TrimLeft(in, "\n") + "-->\n" + got + "\n")
			}
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
