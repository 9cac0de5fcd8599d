package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/codegen"
	"github.com/hamc-dev/hamc/dsl"
	"github.com/hamc-dev/hamc/runtime/draws"
	"github.com/hamc-dev/hamc/runtime/driver"
	"github.com/hamc-dev/hamc/runtime/export"
	"github.com/hamc-dev/hamc/symbolic/interpret"
)

// exportFormat is a format of `hamc export`.
type exportFormat struct {
	name, file string // file is the default name
	write      func(w io.Writer, s *draws.Set, o export.Options) error
	// writeDir is there instead of write if the format is a directory.
	writeDir func(ctx context.Context, dir string, s *draws.Set, o export.Options) error

	data  bool   // it has a place for the data of the run
	begin string // what its files begin with
}

var exportFormats = []exportFormat{
	{name: "zarr", file: "draws.zarr", writeDir: export.Zarr, data: true},
	{name: "npz", file: "draws.npz", write: export.NPZ, data: true, begin: "PK\x03\x04"},
	{name: "csv", file: "draws.csv", write: export.Table, begin: ".chain,.iteration,.draw,"},
}

// exportFormatNames lists the names of the formats.
func exportFormatNames() []string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, f.name)
	}
	return names
}

func newExport(e *env) *cobra.Command {
	var format, output, data string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the draws of a run for ArviZ, NumPy or R",
		Args:  exactly(1, "DIR"),

		ValidArgsFunction: completeDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			i := slices.IndexFunc(exportFormats, func(f exportFormat) bool { return f.name == format })
			if i < 0 {
				return usage{fmt.Errorf("unknown format %q: expected one of %s", format, strings.Join(exportFormatNames(), ", "))}
			}
			f := &exportFormats[i]
			if data != "" && !f.data {
				return usage{fmt.Errorf("--format %s has no place for data: --data is for the others", format)}
			}
			if output == "-" && f.write == nil {
				return usage{fmt.Errorf("--format %s is a directory: it cannot go to standard output", format)}
			}
			if output == "" {
				output = filepath.Join(args[0], f.file)
			}
			return e.export(cmd.Context(), args[0], data, f, output, overwrite)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&format, "format", "zarr", "`FORMAT`: zarr (a Zarr directory in ArviZ's InferenceData layout), npz (NumPy arrays, chains × draws × dimensions) or csv (one long table, as a draws_df of R's posterior)")
	fl.StringVarP(&output, "output", "o", "", "`PATH` to write, - for standard output; default draws.zarr, draws.npz or draws.csv in DIR")
	fl.StringVar(&data, "data", "", "`FILE` of the data of the run, if it was moved; they are exported too")
	fl.BoolVar(&overwrite, "overwrite", false, "replace an earlier export")
	completeFlags(cmd)
	return cmd
}

// export writes the draws in a directory to target, and the data that they were made with.
func (e *env) export(ctx context.Context, dir, data string, f *exportFormat, target string, overwrite bool) error {
	if err := runDirectory(dir); err != nil {
		return err
	}
	if target != "-" {
		if err := notOfRun(dir, target); err != nil {
			return err
		}
		if err := free(target, f, overwrite); err != nil {
			return problem{err}
		}
	}
	man, err := driver.Verify(dir)
	if err != nil {
		return problem{err}
	}
	set, err := draws.Load(dir)
	if err != nil {
		return problem{err}
	}
	chains, n := set.Aligned()
	if n == 0 {
		return problem{fmt.Errorf("%s: the files hold no draws", dir)}
	}
	if k := unfinished(set); k > 0 {
		fmt.Fprintf(e.stderr, "%s of %d did not end: the run was interrupted, or goes on\n", plural(k, "chain"), len(set.Chains))
	}
	for _, note := range leftOut(set, chains) {
		fmt.Fprintln(e.stderr, note)
	}
	options := export.Options{Version: codegen.Version}
	if man != nil {
		options.Groups = groups(man, set)
		if f.data {
			if options.Data, err = runData(man, data); err != nil && data != "" {
				return problem{err}
			} else if err != nil {
				fmt.Fprintf(e.stderr, "warning: the export is without the data: %v\n", err)
			}
		}
	} else if data != "" { // draws of another program
		return problem{fmt.Errorf("--data %s: what the data are to the model is not known, for there is no %s in %s", data, driver.ManifestName, dir)}
	}
	if target == "-" {
		return wrap(f.write(e.stdout, set, options))
	}
	// An interrupt leaves nothing behind, so it must not end the program at
	// once.
	var guard guard
	ctx, stop := guard.watch(ctx)
	defer stop()
	err = replace(target, f, overwrite, func(tmp string) error {
		if f.writeDir != nil {
			return f.writeDir(ctx, tmp, set, options)
		}
		return writeFile(tmp, func(w io.Writer) error { return f.write(contextWriter{ctx, w}, set, options) })
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return interruption(ctx)
	case err != nil:
		return problem{unwritten(target, err)}
	}
	if err := noteProduct(dir, target); err != nil {
		return problem{err}
	}
	_, err = fmt.Fprintf(e.stdout, "%s of %s in %s\n", plural(len(chains), "chain"), plural(n, "draw"), target)
	return wrap(err)
}

// groups returns the groups that the manifest gives to the generated quantities.
func groups(man *driver.Manifest, set *draws.Set) map[string]string {
	out := map[string]string{}
	for _, q := range man.Derived {
		if slices.ContainsFunc(set.Parameters, func(p draws.Parameter) bool { return p.Name == q.Name }) {
			out[q.Name] = string(q.Group)
		}
	}
	return out
}

// runData returns the data of a run, from the file that it was begun with or a given one with
// the same content; none of a run that does not tell its model. It is an error if the file is not
// there any more, or has changed.
func runData(man *driver.Manifest, given string) ([]export.Datum, error) {
	origin := &man.Origin
	path, text := origin.Data, "{}"
	switch {
	case origin.Source == "" && given == "": // the run of a program, which alone knows them
		return nil, nil
	case origin.Source == "" || given != "" && path == "":
		return nil, fmt.Errorf("--data %s: the run had no file of data", given)
	case given != "":
		path = given
	}
	if path != "" {
		var err error
		if text, err = readText(path); err != nil {
			return nil, fmt.Errorf("%w; --data FILE names a file that was moved", err)
		}
		if checksum([]byte(text)) != origin.DataSum {
			return nil, fmt.Errorf("%s: the data have changed since the run began", path)
		}
	}
	bindings, err := parseConsts(origin.Consts)
	if err != nil {
		return nil, err
	}
	m, _ := dsl.Load(origin.Model, origin.Source, dsl.Options{Consts: bindings})
	if m == nil {
		return nil, errors.New("this version of hamc does not take the model of the run")
	}
	data, err := interpret.ReadData(m, strings.NewReader(text), path)
	if err != nil {
		return nil, err
	}
	observed := m.Observed()
	var out []export.Datum
	for _, d := range data {
		out = append(out, export.Datum{Name: d.Name, Integer: d.Integer, Shape: d.Shape, Values: d.Values,
			Observed: slices.ContainsFunc(observed, func(o *dsl.Data) bool { return o.ObjectName() == d.Name })})
	}
	return out, nil
}

// free returns an error if target is something that an export must not replace.
// Something is only taken for an earlier export if it looks like one.
func free(target string, f *exportFormat, overwrite bool) error {
	fi, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !overwrite:
		return fmt.Errorf("%s exists already: choose another --output, or give --overwrite", target)
	case f.writeDir == nil && fi.Mode().IsRegular():
		switch like, err := f.looksLike(target); {
		case err != nil:
			return err
		case like:
			return nil
		}
	case f.writeDir != nil && fi.IsDir():
		_, err1 := os.Lstat(filepath.Join(target, ".zgroup"))
		_, err2 := os.Lstat(filepath.Join(target, ".zmetadata"))
		if err1 == nil && err2 == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is not an earlier export of this format, so it is not replaced: remove it, or choose another --output", target)
}

// looksLike reports whether a file begins as an export of this format does.
func (f *exportFormat) looksLike(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	begin := make([]byte, len(f.begin))
	n, err := io.ReadFull(file, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return string(begin[:n]) == f.begin, nil
}

// replace has write fill a file, or an empty directory, under a temporary name
// beside target, and gives it its name when it is whole. Whatever goes wrong,
// target is as it was.
func replace(target string, f *exportFormat, overwrite bool, write func(tmp string) error) error {
	parent, base := filepath.Split(filepath.Clean(target))
	// The names are hidden and not those of files of draws.
	tmp, err := os.MkdirTemp(parent, "."+base+".*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	whole := filepath.Join(tmp, base)
	if f.writeDir != nil {
		if err := os.Mkdir(whole, 0o777); err != nil {
			return err
		}
	}
	if err := write(whole); err != nil {
		return err
	}
	if err := free(target, f, overwrite); err != nil { // it may have appeared meanwhile
		return err
	}
	if f.writeDir == nil {
		if overwrite {
			return os.Rename(whole, target)
		}
		switch err := os.Link(whole, target); {
		case err == nil:
			return nil
		case errors.Is(err, fs.ErrExist):
			return free(target, f, overwrite)
		}
		return os.Rename(whole, target) // a file system without links
	}
	// A directory cannot take the place of one that is not empty.
	old := filepath.Join(tmp, "old")
	err = os.Rename(target, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	moved := err == nil
	if err := os.Rename(whole, target); err != nil {
		if moved {
			err = errors.Join(err, os.Rename(old, target))
		}
		return err
	}
	return nil
}

// unwritten says that target could not be written, and why, without the temporary
// names that the user never gave.
func unwritten(target string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	default:
		return err
	}
	return fmt.Errorf("%s is not written: %w", target, err)
}

// writeFile makes a file and closes it.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// contextWriter is a writer that fails once its context has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c contextWriter) Write(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(b)
}
