package samebits

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fused matches an instruction of arm64 that fuses a product with a sum, in what the compiler prints of
// its code, and the place it is compiled from.
var fused = regexp.MustCompile(`\(([^()\s]+\.go):(\d+)\)\s+(FN?M(?:ADD|SUB)D)\s`)

// TestCompiled reads the machine code of the packages for arm64, where the compiler fuses whatever the language
// lets it: the one fused instruction is where the text says math.FMA. So the rules that Packages goes by
// are held against the compiler.
func TestCompiled(t *testing.T) {
	build := exec.Command("go", append([]string{"build", "-gcflags=-S", "-o", os.DevNull}, held...)...)
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	text, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, bytes.Join(regexp.MustCompile(`(?m)^\S+\.go:\d+:.*$`).FindAll(text, 20), []byte("\n")))
	}
	if n := bytes.Count(text, []byte("FMULD")); n < 1000 {
		t.Fatalf("%d products in the code; what the compiler prints looks otherwise", n)
	}
	wanted := 0
	files := map[string][]string{}
	for _, m := range fused.FindAllSubmatch(text, -1) {
		name := string(m[1])
		if files[name] == nil {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = strings.Split(string(source), "\n")
		}
		line, err := strconv.Atoi(string(m[2]))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(files[name][line-1], "math.FMA(") {
			wanted++
			continue
		}
		t.Errorf("%s:%d: %s: %s", name, line, m[3], strings.TrimSpace(files[name][line-1]))
	}
	if wanted == 0 {
		t.Error("math.FMA is no instruction in the code; what the compiler prints looks otherwise")
	}
}
