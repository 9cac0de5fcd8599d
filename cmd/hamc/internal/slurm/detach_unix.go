//go:build unix

package slurm

import (
	"os/exec"
	"syscall"
)

// detach keeps the terminal's Ctrl-C from a command: it must not die between
// doing what it does and saying so.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
