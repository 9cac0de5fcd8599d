package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"
)

// pseudoTerminal opens a terminal of that many columns: what is written to tty comes out of the
// master.
func pseudoTerminal(t *testing.T, columns uint16) (master, tty *os.File) {
	t.Helper()
	control := func(f *os.File, request uintptr, arg unsafe.Pointer) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
			t.Fatalf("ioctl %#x: %v", request, errno)
		}
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var number uint32
	var unlock int32
	control(master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	size := [4]uint16{40, columns, 0, 0}
	control(master, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return master, tty
}

// onTerminal returns what a command writes to a terminal of that many columns.
func onTerminal(t *testing.T, columns uint16, env []string, args ...string) string {
	t.Helper()
	master, tty := pseudoTerminal(t, columns)
	defer master.Close()
	cmd := exec.Command(hamcBinary, args...)
	cmd.Stderr = tty
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=", "CLICOLOR=")
	cmd.Env = append(cmd.Env, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	var out bytes.Buffer
	_, _ = io.Copy(&out, master) // ends with an error when the other side is closed
	_ = cmd.Wait()               // the exit code is not the subject
	return strings.ReplaceAll(out.String(), "\r\n", "\n")
}

// TestTerminal checks that messages fit the terminal and have colours there, unless the
// environment says otherwise.
func TestTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.ham")
	text := "model m\nparam x real\nparam s real\nx ~ negative_binomial(0, 1)\nx ~ normal(0, s)\nx ~ normal(0, a_name_that_is_not_known_to_anybody + another_name_that_is_not_known_either + 1)\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(path))
	colors := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	plain := onTerminal(t, 60, []string{"TERM=dumb"}, "check", "m.ham")
	if r := hamc("check", "m.ham"); plain != r.stderr {
		t.Errorf("a dumb terminal gets\n%s\nand a file\n%s", plain, r.stderr)
	}
	for _, c := range []struct {
		env    []string
		colors bool
	}{{nil, true}, {[]string{"NO_COLOR=1"}, false}, {[]string{"CLICOLOR=0"}, false}, {[]string{"CLICOLOR=1"}, true}} {
		got := onTerminal(t, 60, c.env, "check", "m.ham")
		if colors.MatchString(got) != c.colors {
			t.Errorf("%v: colours in %q", c.env, got)
		}
		got = colors.ReplaceAllString(got, "")
		for _, line := range strings.Split(got, "\n") {
			if utf8.RuneCountInString(line) > 60 {
				t.Errorf("%v: the line %q has %d columns", c.env, line, utf8.RuneCountInString(line))
			}
		}
		if words := func(s string) string { return strings.Join(strings.Fields(s), " ") }; !strings.Contains(words(got), "m.ham:4:5: error[H204]: there is no distribution `negative_binomial`") {
			t.Errorf("%v: other words in\n%s", c.env, got)
		}
	}
	if got := onTerminal(t, 50, nil, "chekc"); got != "\x1b[1;31mhamc:\x1b[0m \"chekc\" is neither a command nor a .ham\n      file; did you mean `hamc check`?\nRun `hamc --help` for usage.\n" {
		t.Errorf("%q", got)
	}
}
