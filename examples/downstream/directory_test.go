package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/draws"
)

// recordTo, in the environment, has this program record a run instead of testing.
const recordTo = "DOWNSTREAM_RECORD_TO"

func longRun() runtime.Options {
	opt := runtime.DefaultOptions()
	opt.Chains, opt.Draws = 2, 40_000 // long enough to be killed under way
	return opt
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(recordTo); dir != "" {
		if err := record(context.Background(), dir, eightSchools(), longRun()); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// recordAndKill starts a run in another process, and kills it when it has made some of the draws of one that is complete.
func recordAndKill(t *testing.T, whole, broken string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), recordTo+"="+broken)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	complete, err := os.Stat(filepath.Join(whole, "chain_1.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		fi, err := os.Stat(filepath.Join(broken, "chain_1.csv"))
		_, none := os.Stat(filepath.Join(broken, "chain_1.checkpoint"))
		if err == nil && none == nil && fi.Size() > complete.Size()/4 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no draws after a minute")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if fi, err := os.Stat(filepath.Join(broken, "chain_1.csv")); err != nil || fi.Size() >= complete.Size() {
		t.Fatalf("the run was over before it was killed: %v", err)
	}
}

// A run that is killed and started again comes to the same files, byte for byte, as one
// that is left alone. They hold the draws that Sample makes.
func TestRecordAfterCrash(t *testing.T) {
	whole, broken := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "broken")
	if err := record(context.Background(), whole, eightSchools(), longRun()); err != nil {
		t.Fatal(err)
	}

	recordAndKill(t, whole, broken)

	other := eightSchools()
	other.Y[0]++
	err := record(context.Background(), broken, other, longRun())
	if err == nil || !strings.Contains(err.Error(), "another data set") {
		t.Errorf("other data: %v", err)
	}
	// Once more when it is complete changes nothing.
	for range 2 {
		if err := record(context.Background(), broken, eightSchools(), longRun()); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"chain_1.csv", "chain_2.csv", "run.json"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(broken, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from that of a run without a break: %v", name, err)
		}
	}

	set, err := draws.Load(broken)
	if err != nil {
		t.Fatal(err)
	}
	all, err := sample(context.Background(), eightSchools(), longRun())
	if err != nil {
		t.Fatal(err)
	}
	for c, chain := range set.Chains {
		var tau []float64
		for _, p := range all[c] {
			tau = append(tau, p.Tau)
		}
		if !slices.Equal(chain.Column("tau"), tau) {
			t.Errorf("chain %d: the file has other draws than Sample", c+1)
		}
	}
	// More draws go on from there, and fewer are an error.
	more := longRun()
	more.Draws += 10
	if err := record(context.Background(), broken, eightSchools(), more); err != nil {
		t.Fatal(err)
	}
	if set, err = draws.Load(broken); err != nil || set.Chains[1].Draws() != more.Draws {
		t.Errorf("a longer run: %v", err)
	}
	if err := record(context.Background(), broken, eightSchools(), longRun()); err == nil || !strings.Contains(err.Error(), "40010 draws already") {
		t.Errorf("a shorter run: %v", err)
	}
}
