"""Times log density and gradient of the models of this folder against Stan's programs in posteriordb.

python speed.py --posteriordb DIR --env DIR --hamc FILE [--work DIR] [NAME …]
"""

import argparse
import copy
import json
import os
import platform
import statistics
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import stan
from stan import HERE, Bridge, Builder, linked, posterior, prepare, row_major, run, stan_values, without_generated

# Stan in its best configuration: BridgeStan's flags, instructions of this machine, and the optimisations of stanc; without STAN_THREADS.
FLAGS = [f for f in stan.FLAGS if f != "-O0"] + "-O3 -march=native -fvisibility=hidden -fvisibility-inlines-hidden".split()
STANC = ["--O1"]
FAULTY = {"2pl_latent_reg_irt", "gpcm_latent_reg_irt", "grsm_latent_reg_irt"}  # what stanc makes of these with its optimisations fails
# Relative and absolute tolerances of differential equations, as Stan's programs say them or leave them to Stan.
TOLERANCES = {"sir": (1e-6, 1e-6), "soil_incubation": (1e-6, 1e-6), "one_comp_mm_elim_abs": (1e-10, 1e-10), "lotka_volterra": (1e-5, 1e-3)}
LOOSE = 0.01  # by which their log densities may differ, relative
WANTED = 4  # times as fast as Stan, in the median


class Timed:
    """A process that evaluates a model as often as it is asked to, and tells what that took."""

    def __init__(self, *args):
        self.process = subprocess.Popen([str(a) for a in args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=os.environ | {"GOMAXPROCS": "1"})
        self.propto = 0

    def take(self, calls):
        """Nanoseconds of a call, and the log density at the last point."""
        try:
            self.process.stdin.write(f"{calls} {self.propto}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # what it said tells why
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read().strip()[:300])
        return tuple(map(float, line.split()))

    def warm(self, points, least):
        """The number of calls, a multiple of the points, that take the seconds least."""
        calls = points
        while True:
            spent = self.take(calls)[0] * calls / 1e9
            if spent >= least:
                return calls
            calls = points * max(calls // points + 1, int(calls / points * min(10, 1.2 * least / max(spent, 1e-9))))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def built(options, base, builder, name):
    """What times both sides: two lists of arguments, and the number of points."""
    program = without_generated((base / "models" / "stan" / f"{name}.stan").read_text())
    if name in FAULTY:
        builder = copy.copy(builder)
        builder.stanc = []
    library = builder.library(name, program)
    _, data = posterior(base, name)
    with options.one:  # thread of Python's speaks to libraries
        points = [p["q"] for p in stan_values(options, lambda: builder, name, program, data)["points"]]
        order = row_major(program, Bridge(library, data).coordinates)
    if not points:
        raise RuntimeError("Stan has no finite value")
    files = {x: options.work / f"{name}.{x}" for x in ("stan.json", "hamc.json", "stan.points", "hamc.points")}
    files["stan.json"].write_text(json.dumps(data))
    files["hamc.json"].write_text(json.dumps(prepare(name, data)))
    ours = np.array(points)
    theirs = np.empty_like(ours)
    theirs[:, order] = ours
    for file, q in ("hamc.points", ours), ("stan.points", theirs):
        files[file].write_text(f"{len(q)} {q.shape[1]}\n" + "\n".join(map(repr, q.ravel().tolist())) + "\n")
    hamc = [linked(options, name, "speed.go.txt", "speed"), files["hamc.json"], files["hamc.points"], *TOLERANCES.get(name, ())]
    return hamc, [options.work / "speed", library, files["stan.json"], files["stan.points"]], len(points)


def times(options, name, hamc, theirs, points):
    """Nanoseconds of a call of hamc's and of Stan's, and the median of the ratios of what followed one another."""
    ours, theirs = Timed(*hamc), Timed(*theirs)
    try:
        value = ours.take(points)[1], theirs.take(points)[1]
        if not abs(value[0] - value[1]) < (LOOSE if name in TOLERANCES else 1e-6) * max(1, abs(value[1])):
            raise RuntimeError(f"the log densities differ: {value}")
        calls = ours.warm(points, options.least), theirs.warm(points, options.least)
        trials = {}
        for propto in (0, 1) * 2:  # Stan's without constants is what samplers call; here it has the faster of both
            theirs.propto = propto
            trials.setdefault(propto, []).append(theirs.take(calls[1])[0])
        theirs.propto = min(trials, key=lambda p: min(trials[p]))
        pairs = [(ours.take(calls[0])[0], theirs.take(calls[1])[0]) for _ in range(options.repetitions)]
    finally:
        ours.close()
        theirs.close()
    return [statistics.median(x) for x in zip(*pairs)], statistics.median(b / a for a, b in pairs)


def summary(ratios):
    below = lambda x: sum(r < x for r in ratios)
    return (f"{len(ratios)} programs: median {statistics.median(ratios):.3g}, least {min(ratios):.3g}, "
            f"{below(1)} below 1, {below(WANTED)} below {WANTED}")


def about(options, builder):
    """What was measured, on what."""
    processor = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), platform.processor())
    revision = run("git", "-C", HERE, "describe", "--always", "--dirty").strip()
    return "; ".join([f"hamc {revision}", run("go", "env", "GOVERSION").strip(), run(builder.stan / "stanc", "--version").strip(),
                      run("g++", "--version").splitlines()[0], " ".join([*STANC, *FLAGS]), processor,
                      f"{options.repetitions} repetitions of {options.least * 1e3:g} ms"])


def write(table, rows, head):
    """The table, losses first: rows that were there and are not measured now stay."""
    old = [line.split("\t") for line in table.read_text().splitlines() if line[:1] != "#"][1:] if table.exists() else []
    rows = rows + [r for r in old if r[0] not in {s[0] for s in rows}]
    rows.sort(key=lambda r: (float(r[3]) if r[3] else 0, r[0]))
    found = summary([float(r[3]) for r in rows if r[3]])
    lines = [f"# {found}", *(f"# {h}" for h in head), "program\thamc ns\tstan ns\tstan/hamc", *("\t".join(r) for r in rows)]
    table.write_text("\n".join(lines) + "\n")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posteriordb", type=Path, required=True, help="a clone of posteriordb")
    parser.add_argument("--env", type=Path, required=True, help="what internal/benchmarks/corpus/setup.sh made")
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/posteriordb-speed"), help="keeps libraries; another than that of stan.py")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs that are compiled at once")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--least", type=float, default=0.03, help="seconds of a repetition")
    parser.add_argument("--table", type=Path, default=HERE / "speed.tsv", help="where to write")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.one = threading.Lock()
    base = options.posteriordb / "posterior_database"
    names = options.names or sorted(p.stem for p in (HERE / "models").glob("*.ham"))
    options.work.mkdir(parents=True, exist_ok=True)
    run("cc", "-O2", "-o", options.work / "speed", "-x", "c", HERE / "speed.c.txt", "-ldl")
    builder = Builder(options.env, options.work, FLAGS, STANC)
    rows = []

    def attempt(name, what, *args):
        try:
            return what(*args)
        except Exception as e:  # one model's trouble must not stop the others
            print(f"{name}: {e}", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        programs = dict(zip(names, pool.map(lambda n: attempt(n, built, options, base, builder, n), names)))
    for name, made in programs.items():
        measured = made and attempt(name, times, options, name, *made)
        if measured:
            (ours, theirs), ratio = measured
            rows.append([name, f"{ours:.4g}", f"{theirs:.4g}", f"{ratio:.3g}"])
        else:
            rows.append([name, "", "", ""])
        print("\t".join(rows[-1]), file=sys.stderr, flush=True)
    print(write(options.table, rows, [about(options, builder)]))


if __name__ == "__main__":
    main()
