package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/experiment"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/slurm"
	"github.com/hamc-dev/hamc/cmd/hamc/internal/terminal"
	"github.com/hamc-dev/hamc/runtime/grid"
)

// runSlurm runs what is missing of a grid as job arrays of Slurm.
func (e *env) runSlurm(ctx context.Context, g *preparedGrid, missing []int, f *gridFlags, show *cellProgress) error {
	dir, err := filepath.Abs(g.dir)
	if err != nil {
		return err
	}
	finish := func() {}
	if !f.quiet {
		finish = terminal.Wait(e.stderr, "measuring how long cells take")
	}
	tasks, err := experiment.PackTasks(ctx, g.worker, dir, g.plan, f.taskSeconds)
	finish()
	if err != nil {
		return err
	}
	a := &slurm.Array{
		Name:    "hamc-" + filepath.Base(dir),
		Dir:     dir,
		Command: []string{filepath.Join(dir, grid.WorkerName), "plan", g.plan.Digest(), "task", dir, tasks.Path},
		Tasks:   len(tasks.Cells),
		Missing: func() ([]int, error) { return tasks.Incomplete(dir, g.plan) },
		Options: f.slurm,
		AtOnce:  f.atOnce,
		Poll:    f.poll,
		Observe: func(s slurm.State) {
			left, err := experiment.Missing(dir, g.plan)
			if err != nil {
				return // Missing above says so
			}
			show.note(queued(s), len(missing)-len(left))
		},
	}
	if !f.quiet {
		fmt.Fprintf(e.stderr, "%s of about %.0f s\n", plural(len(tasks.Cells), "task"), f.taskSeconds)
	}
	err = slurm.Run(ctx, a)
	if left, e := experiment.Missing(dir, g.plan); e == nil {
		show.note("", len(missing)-len(left))
	}
	return err
}

// queued says where the tasks of an array are.
func queued(s slurm.State) string {
	var parts []string
	if s.Running > 0 {
		parts = append(parts, fmt.Sprintf("%d running", s.Running))
	}
	if s.Pending > 0 {
		text := fmt.Sprintf("%d waiting", s.Pending)
		if s.Reason != "" {
			text += " (" + s.Reason + ")"
		}
		parts = append(parts, text)
	}
	if len(s.Jobs) > 0 {
		parts = append(parts, "job "+strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Jobs), " ", ", "), "[]"))
	}
	if s.Attempt > 1 {
		parts = append(parts, fmt.Sprintf("attempt %d", s.Attempt))
	}
	if s.Trouble != "" {
		parts = append(parts, s.Trouble)
	}
	return strings.Join(parts, ", ")
}
