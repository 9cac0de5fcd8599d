"""The contestants. Each is made for a model, and then samples it seed by seed: 4 chains of 1000 draws in one thread, by its own defaults."""

import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from build import Builder, without_generated
from candidates import CANDIDATES

CHAINS, DRAWS = 4, 1000
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "NUMBA", "MKL", "OPENBLAS", "RAYON")}


@dataclass
class Run:
    columns: dict  # of each quantity: [chain, draw]
    cpu: float  # seconds, user and system, of warm-up and sampling
    divergences: int
    steps: float  # per draw


class TimeOut(RuntimeError):
    pass


def timed(args, limit, accept=(0,), env=None):
    """Runs a program. Returns what it printed, and its CPU seconds, of which it has no more than limit."""

    def bounded():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | ONE_THREAD | (env or {})
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, env=environment, preexec_fn=bounded)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if cpu >= limit:
        raise TimeOut(f"more than {limit} CPU seconds")
    if done.returncode not in accept:
        raise RuntimeError(f"{Path(args[0]).name}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout, cpu


class Hamc:
    """hamc as it comes, or with flags, or with a line after the model."""

    def __init__(self, model, options, flags=(), line=""):
        self.options, self.out = options, options.work / f"{model.name}-hamc"
        ham = model.ham
        if line:
            ham = options.work / model.ham.name
            ham.write_text(model.ham.read_text() + f"\n{line}\n")
        self.args = [options.hamc, "run", ham, "--data", model.data, "--quiet", "--overwrite", "--output-dir", self.out]
        self.args += ["--chains", CHAINS, "--workers", 1, *flags]
        go = subprocess.run(["go", "env", "GOCACHE"], capture_output=True, text=True, check=True).stdout.strip()
        self.env = {"XDG_CACHE_HOME": str(options.work / f"{model.name}-cache"), "GOCACHE": go}
        self.build_cpu = self.run(1, "--warmup", 1, "--draws", 1)
        if not flags and not line:  # what starting takes is not building
            self.build_cpu -= self.run(1, "--warmup", 1, "--draws", 1)

    def run(self, seed, *lengths):
        return timed([*self.args, "--seed", seed, *lengths], self.options.limit, (0, 1), self.env)[1]  # 1: warnings

    def sample(self, seed):
        shutil.rmtree(self.out, ignore_errors=True)
        cpu = self.run(seed, "--draws", DRAWS)
        if not self.out.exists():
            raise RuntimeError("no draws")
        chains = []
        for path in sorted(self.out.glob("chain_*.csv")):
            rows = [line.split(",") for line in path.read_text().splitlines() if line and line[0] != "#"]
            chains.append(np.array(rows[1:], float))
        columns = dict(zip(rows[0], np.moveaxis(np.array(chains), 2, 0)))
        return Run(columns, cpu, int(columns["divergent__"].sum()), float(columns["n_leapfrog__"].mean()))


class Stan:
    def __init__(self, model, options):
        self.model, self.options, self.out = model, options, options.work / f"{model.name}-stan"
        self.driver, self.build_cpu = Builder(options.env).sampler(model.name, without_generated(model.stan))

    def sample(self, seed):
        cpu = timed([self.driver, self.model.data, seed, CHAINS, 1000, DRAWS, self.out], self.options.limit)[1]
        names = self.out.with_suffix(".names").read_text().split()
        columns = dict(zip(names, np.moveaxis(np.fromfile(self.out).reshape(CHAINS, DRAWS, -1), 2, 0)))
        return Run(columns, cpu, int(columns["divergent__"].sum()), float(columns["n_leapfrog__"].mean()))


class Nutpie:
    """nutpie on the density of Stan, which all models have. What Python needs to start is not counted."""

    def __init__(self, model, options):
        self.model, self.options, self.out = model, options, options.work / f"{model.name}-nutpie.npz"
        self.library, self.build_cpu = Builder(options.env).library(model.name, without_generated(model.stan))

    def sample(self, seed):
        worker = Path(__file__).with_name("nutpie_worker.py")
        args = [sys.executable, worker, self.library, self.model.data, seed, CHAINS, DRAWS, self.out]
        told = json.loads(timed(args, self.options.limit)[0].splitlines()[-1])
        return Run(dict(np.load(self.out)), told["cpu"], told["divergences"], told["steps"])


CONTESTANTS = {"hamc": Hamc, "stan": Stan, "nutpie": Nutpie} | {name: partial(Hamc, **how) for name, how in CANDIDATES.items()}
