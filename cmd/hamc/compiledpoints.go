package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// largeData is the size of a file of data from which on building a sampler and asking it is faster than
// the evaluator: of 100,000 numbers or so, for which the evaluator takes a second or two.
const largeData = 1 << 20

// compiledAt answers log-prob with compiled code, where the data are large and there is a Go toolchain.
// It returns false, and has done nothing, where the evaluator is to answer: for blocks too.
func (e *env) compiledAt(parent context.Context, path string, f *modelFlags, tensor, evaluator bool) (done bool, err error) {
	if evaluator || f.block != "" || f.at == "" {
		return false, nil
	}
	quiet := &env{stdin: e.stdin, stdout: e.stdout, stderr: io.Discard} // the evaluator would say all again
	m, err := quiet.load(path, f.consts, false)
	if err != nil {
		return false, nil // which the evaluator tells
	}
	data, err := m.dataPath(f.data)
	if err != nil || data == "" {
		return false, nil
	}
	if fi, err := os.Stat(data); err != nil || fi.Size() < largeData {
		return false, nil
	}
	var guard guard
	ctx, stop := guard.watch(parent)
	defer stop()
	code, err := m.plain().generate("model")
	if err != nil {
		return false, err
	}
	bin, err := sampler.Build(ctx, "", func() ([]byte, error) { return code, nil })
	if ctx.Err() != nil {
		return false, interruption(ctx)
	}
	if err != nil {
		fmt.Fprintf(e.stderr, "%v; evaluating without compiled code, which is much slower\n", err)
		return false, nil
	}
	defer bin.Remove()
	if _, err := e.load(path, f.consts, false); err != nil { // for its warnings
		return false, err
	}
	if data, err = filepath.Abs(data); err != nil {
		return false, problem{err}
	}
	out, err := e.askCompiled(ctx, bin.Path, f.at, &driver.PointsRequest{Data: data, Tensor: tensor})
	if ctx.Err() != nil {
		return true, interruption(ctx)
	}
	if err != nil {
		return true, err
	}
	_, err = e.stdout.Write(out)
	return true, wrap(err)
}

// askCompiled asks a compiled sampler for its model at the points of a file, and returns its answer.
func (e *env) askCompiled(ctx context.Context, bin, at string, request *driver.PointsRequest) ([]byte, error) {
	cmd := exec.CommandContext(ctx, bin, driver.PointsCommand)
	var said bytes.Buffer
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, problem{err}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, problem{err}
	}
	if err := cmd.Start(); err != nil {
		return nil, problem{err}
	}
	failed := func(err error) error {
		in.Close()
		_ = cmd.Process.Kill() // it may have ended
		ended := cmd.Wait()
		if why := sampler.OutOfMemory(said.String(), ended); why != "" && said.Len() > 0 {
			return problem{fmt.Errorf("the model ended: %s", why)}
		}
		if text := strings.TrimSpace(said.String()); text != "" {
			return internal{fmt.Errorf("the model ended: %v\n%s", ended, text)}
		}
		return err
	}
	_ = json.NewEncoder(in).Encode(request) // if nobody reads it, nobody answers either
	answers := bufio.NewReader(out)
	line, err := answers.ReadBytes('\n')
	var info driver.PointsInfo
	if err == nil {
		err = json.Unmarshal(line, &info)
	}
	if err != nil {
		return nil, failed(internal{fmt.Errorf("the model does not say what it is: %w", err)})
	}
	if info.Error != "" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, problem{errors.New(info.Error)}
	}
	own := &runtime.Info{Name: info.Model, Params: info.Params}
	points, err := e.readPoints(at, own, own)
	if err != nil { // not the model's fault, whatever it says of an end that it did not expect
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	list := make([]driver.Point, len(points))
	for i, p := range points {
		list[i] = driver.Point{Q: p.q, P: p.p}
	}
	_ = json.NewEncoder(in).Encode(list)
	in.Close()
	text, err := io.ReadAll(answers)
	if err != nil {
		return nil, failed(problem{err})
	}
	if err := cmd.Wait(); err != nil {
		if why := sampler.OutOfMemory(said.String(), err); why != "" {
			return nil, problem{fmt.Errorf("the model ended: %s", why)}
		}
		return nil, internal{fmt.Errorf("the model ended: %w\n%s", err, strings.TrimSpace(said.String()))}
	}
	return text, nil
}
