package samebits

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hamc-dev/hamc/internal/campaign"
)

// machines are what TestDraws compares with the first, which any amd64 processor runs.
var machines = []struct {
	name string
	env  []string // of the build
	tags string
	with []string // the command that runs the program
}{
	{"amd64 v1", []string{"GOARCH=amd64", "GOAMD64=v1"}, "", nil},
	{"amd64 v1 without assembly", []string{"GOARCH=amd64", "GOAMD64=v1"}, "purego", nil},
	{"amd64 v3", []string{"GOARCH=amd64", "GOAMD64=v3"}, "", nil},
	{"amd64 v4", []string{"GOARCH=amd64", "GOAMD64=v4"}, "", nil},
	{"arm64", []string{"GOARCH=arm64"}, "", []string{"qemu-aarch64"}},
}

// TestDraws compares what the command draws prints on several machines, byte by byte. It
// runs where amd64 programs do. A short campaign compares the two that share a compilation of most packages, and names the others. A long one
// compares all, and fails without an emulator; what this processor cannot run it names.
func TestDraws(t *testing.T) {
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("compares linux/amd64 with others")
	}
	n, all := strconv.Itoa(campaign.Cases(t, 2, 10)), machines
	if !campaign.Long(t) {
		all = machines[:2]
		for _, m := range machines[2:] {
			t.Logf("left out: %s, which a long campaign compares (HAMC_TEST=long)", m.name)
		}
	}
	var want []string
	for i, m := range all {
		if len(m.with) > 0 {
			if _, err := exec.LookPath(m.with[0]); err != nil {
				t.Errorf("%s: there is no %s (apt-get install qemu-user)", m.name, m.with[0])
				continue
			}
		}
		program := filepath.Join(t.TempDir(), "draws")
		build := exec.Command("go", "build", "-tags", m.tags, "-o", program, "./draws")
		build.Env = append(os.Environ(), append(m.env, "CGO_ENABLED=0")...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", m.name, err, out)
		}
		words := append(append([]string{}, m.with...), program, "-data", "../../examples", "-n", n)
		out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
		if err != nil && strings.Contains(string(out), "microarchitecture support") {
			t.Logf("left out: %s, which this processor is not", m.name)
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", m.name, err, out)
		}
		got := strings.Split(string(out), "\n")
		if i == 0 {
			if want = got; len(want) < 2 {
				t.Fatal("there are no draws")
			}
			continue
		}
		compare(t, m.name, got, want)
	}
}

// compare reports the first line of each kind that differs.
func compare(t *testing.T, machine string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d lines, %s has %d", machine, len(got), machines[0].name, len(want))
		return
	}
	seen := map[string]bool{}
	for i := range got {
		kind, _, _ := strings.Cut(want[i], ":")
		if got[i] != want[i] && !seen[kind] {
			seen[kind] = true
			t.Errorf("%s:\n%s\n%s:\n%s", machine, got[i], machines[0].name, want[i])
		}
	}
	if len(seen) == 0 {
		t.Logf("%s: %d lines are the same", machine, len(got))
	}
}
