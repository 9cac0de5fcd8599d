package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hamc-dev/hamc/runtime"
	"github.com/hamc-dev/hamc/runtime/driver"
)

// record samples into a directory, and goes on with the run that it finds there.
func record(ctx context.Context, dir string, data Data, opt runtime.Options) error {
	model, err := New(data)
	if err != nil {
		return err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	_, err = os.Stat(filepath.Join(dir, driver.ManifestName))
	request := driver.Request{
		Output:  dir,
		Options: opt,
		Resume:  err == nil,
		// What a run was begun with cannot go on with other data.
		Origin: driver.Origin{DataSum: fmt.Sprintf("%x", sha256.Sum256(text))},
	}
	return driver.Run(ctx, model, &request, nil)
}
