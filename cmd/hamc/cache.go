package main

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/hamc-dev/hamc/cmd/hamc/internal/sampler"
)

func newCache(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Say where compiled samplers are kept, and how many",
		Long: fmt.Sprintf(`Say where compiled samplers are kept, and how many. hamc removes those that were not
used for %d days, and the ones not used for longest where all of them have more
than %s; hamc cache clean removes all.`, int(sampler.MaxCacheAge.Hours()/24), sampler.Size(sampler.MaxCacheBytes)),
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			c, err := sampler.OpenCache()
			if err != nil {
				return problem{cacheError(err)}
			}
			list, err := c.Entries()
			if err != nil {
				return problem{err}
			}
			text := fmt.Sprintf("%s: %s", c.Dir, samplers(list))
			if n := len(list); n > 0 {
				text += fmt.Sprintf(", used last %s ago, first %s ago", days(list[0].Used), days(list[n-1].Used))
			}
			_, err = fmt.Fprintf(e.stdout, "%s\nbounds: %s, %d days since the last use\n", text, sampler.Size(sampler.MaxCacheBytes), int(sampler.MaxCacheAge.Hours()/24))
			return wrap(err)
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:               "clean",
		Short:             "Remove all compiled samplers that are not in use",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			c, err := sampler.OpenCache()
			if err != nil {
				return problem{cacheError(err)}
			}
			removed, left, err := c.Clean()
			if err != nil {
				return problem{err}
			}
			text := "removed " + samplers(removed)
			if len(left) > 0 {
				text += fmt.Sprintf("; left: %s, which are in use or may not be removed", samplers(left))
			}
			_, err = fmt.Fprintln(e.stdout, text)
			return wrap(err)
		},
	})
	return cmd
}

// cacheError says why there is no cache.
func cacheError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = fmt.Errorf("%s: %w", path.Path, path.Err)
	}
	return fmt.Errorf("there is no cache of samplers, so each run builds its own: %w", err)
}

// samplers counts samplers and their size.
func samplers(list []sampler.Entry) string {
	sum := int64(0)
	for _, e := range list {
		sum += e.Bytes
	}
	return fmt.Sprintf("%s, %s", plural(len(list), "sampler"), sampler.Size(sum))
}

// days writes the time since something as days.
func days(t time.Time) string { return plural(int(time.Since(t).Hours()/24), "day") }
