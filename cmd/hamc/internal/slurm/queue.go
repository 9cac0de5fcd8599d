package slurm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// part is what squeue says of some elements of an array: of one that has been
// started, or of all that have not.
type part struct {
	job     int // id of the array
	indices []int
	running bool
	reason  string // why it waits
	command string // the script, with its arguments
}

// ended are the states that a job does not leave. squeue --json lists such jobs too,
// for MinJobAge, 5 minutes by default. A state that is not here is one of a job that
// may still run: of a version to come, for instance.
var ended = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "LAUNCH_FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "RECONFIG_FAIL", "REVOKED", "TIMEOUT"}

// started are the states of a job that has a machine.
var started = []string{"COMPLETING", "RUNNING", "SIGNALING", "STAGE_OUT", "STOPPED", "SUSPENDED"}

// number is an integer of squeue's: 17, or since Slurm 23 {"set": true, "infinite":
// false, "number": 17}. One that is not set is null, or set is false.
type number struct {
	set   bool
	value int
}

// UnmarshalJSON reads any of the forms.
func (n *number) UnmarshalJSON(text []byte) error {
	var object struct {
		Set    bool
		Number int
	}
	switch {
	case string(text) == "null":
		*n = number{}
		return nil
	case text[0] == '{':
		err := json.Unmarshal(text, &object)
		*n = number{object.Set, object.Number}
		return err
	}
	v, err := strconv.Atoi(string(text))
	*n = number{true, v}
	return err
}

// words are a state of squeue's: "RUNNING", or since Slurm 23 ["RUNNING",
// "COMPLETING"].
type words []string

// UnmarshalJSON reads either form.
func (w *words) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(w))
	}
	*w = make(words, 1)
	return json.Unmarshal(text, &(*w)[0])
}

// parseQueue reads what squeue --json prints and returns the parts of arrays that
// have not ended.
func parseQueue(text []byte) ([]part, error) {
	var reply struct {
		Jobs *[]struct {
			ID      number `json:"array_job_id"`
			Index   number `json:"array_task_id"`
			Indices string `json:"array_task_string"`
			State   words  `json:"job_state"`
			Reason  string `json:"state_reason"`
			Command string
		}
		Errors []struct {
			Error       string
			Description string
		}
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return nil, fmt.Errorf("what it prints is not understood: %w", err)
	}
	if len(reply.Errors) > 0 {
		e := reply.Errors[0]
		return nil, errors.New(strings.TrimSpace(e.Error + " " + e.Description))
	}
	if reply.Jobs == nil {
		return nil, errors.New("what it prints is not understood: it has no jobs")
	}
	var parts []part
	for _, j := range *reply.Jobs {
		over := len(j.State) > 0
		for _, s := range j.State {
			over = over && slices.Contains(ended, s)
		}
		if over || !j.ID.set || j.ID.value == 0 {
			continue
		}
		p := part{job: j.ID.value, reason: j.Reason, command: j.Command}
		for _, s := range j.State {
			p.running = p.running || slices.Contains(started, s)
		}
		if j.Index.set {
			p.indices = []int{j.Index.value}
		} else if j.Indices != "" {
			var err error
			if p.indices, err = expand(j.Indices); err != nil {
				return nil, err
			}
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// tolerance is how many times in a row squeue may fail. With the pauses, which
// double up to 32 times Poll, that is 43 minutes if Poll is 10 s: controllers are
// restarted, and are too busy to answer.
const tolerance = 12

// look asks squeue, removes from r.active what has left the queue, counts the rest,
// and returns its parts. When squeue fails nothing changes but the count of its
// failures, until there are too many.
func (r *run) look(ctx context.Context) ([]part, error) {
	began := time.Now()
	parts, err := queue(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.failures++
		r.state.Trouble = fmt.Sprintf("squeue: %v", err)
		if r.failures >= tolerance {
			return nil, fmt.Errorf("squeue has failed %d times in a row: %w\nthe jobs go on; when squeue works, run the same command again: it waits for them", r.failures, err)
		}
		return nil, nil
	}
	r.took = time.Since(began)
	if r.failures > 0 {
		r.failures, r.state.Trouble = 0, ""
	}
	r.state.Pending, r.state.Running, r.state.Reason = 0, 0, ""
	var ours []part
	var left []array
	for _, a := range r.active {
		present := false
		for _, p := range parts {
			if p.job != a.id {
				continue
			}
			present = true
			ours = append(ours, p)
			if p.running {
				r.state.Running += len(p.indices)
				continue
			}
			r.state.Pending += len(p.indices)
			if r.state.Reason == "" && p.reason != "None" {
				r.state.Reason = p.reason
			}
		}
		if present {
			left = append(left, a)
		}
	}
	r.active = left
	return ours, nil
}

// queue returns the user's arrays that are in the queue.
func queue(ctx context.Context) ([]part, error) {
	// Asking for certain jobs fails once Slurm has forgotten one of them. Slurm 22.05
	// takes no notice of --me and lists the jobs of all.
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, "squeue", "--json", "--me")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SQUEUE_") { // the user's filters and formats
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "SLURM_BITSTR_LEN=0") // lists of indices are not cut short
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, said(err, stderr.String())
	}
	return parseQueue(stdout.Bytes())
}

// said is the error of a command of Slurm's: what it wrote, or how it ended.
func said(err error, stderr string) error {
	if text := strings.TrimSpace(stderr); text != "" {
		return errors.New(text)
	}
	return err
}
