"""Checks that what Python's readers get from files of hamc is what is in them.

readers.py WORK, in an environment with the old ArviZ and Zarr or with the new.
The directories in WORK are runs with draws.zarr, draws.npz and draws.csv, or
copies of runs, see copies.py. What a reader ought to get comes from the chains,
split at commas and converted by float(). Numbers are compared bit by bit.
"""

import json
import logging
import sys
import warnings
from pathlib import Path

warnings.simplefilter("error")  # what a reader warns of is not in order
warnings.filterwarnings("ignore", category=DeprecationWarning)

import numpy as np
import pandas as pd

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # ArviZ 0.x announces ArviZ 1
    import arviz as az
import cmdstanpy
import xarray as xr
import zarr

logging.disable(logging.WARNING)  # CmdStanPy tells of divergences
OLD = int(az.__version__.split(".")[0]) == 0

# ArviZ's names of statistics, and the types that the export gives them.
STATS = {
    "lp__": ("lp", "float64"), "accept_stat__": ("acceptance_rate", "float64"), "stepsize__": ("step_size", "float64"),
    "treedepth__": ("tree_depth", "int64"), "n_leapfrog__": ("n_steps", "int64"), "divergent__": ("diverging", "bool"),
    "energy__": ("energy", "float64"), "solver_iterations__": ("solver_iterations", "int64"),
    "failure__": ("failure", "int64"), "irreversible__": ("irreversible", "bool"),
}

# The largest depths of trajectories, where they are not the default. Static ones have none.
MAX_DEPTH = {"shallow": 2, "funnel": None}

# The groups of generated quantities, and the data that are observed.
GROUPS = {"schools": {"log_lik": "log_likelihood", "y_rep": "posterior_predictive", "effect_new": "posterior_predictive"}}
OBSERVED = {"banana": ["y"], "shallow": ["y"], "schools": ["y"], "volatility": ["y"]}
REAL = {"schools": ["y", "sigma"]}  # data that are real, though the file has integers
checks = 0


def same(got, want, what):
    """Fails unless two arrays have equal types, shapes and bits; NaNs are equal."""
    global checks
    checks += 1
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype, f"{what}: type {got.dtype}, want {want.dtype}"
    assert got.shape == want.shape, f"{what}: shape {got.shape}, want {want.shape}"
    if got.dtype == np.float64:
        nan = np.isnan(want)
        assert (np.isnan(got) == nan).all(), f"{what}: other NaNs"
        got, want = np.where(nan, 0, got).view(np.int64), np.where(nan, 0, want).view(np.int64)
    assert (got == want).all(), f"{what}: {(got != want).sum()} of {got.size} values differ"


class Run:
    """The chains of a directory, read without any of the readers."""

    def __init__(self, path):
        self.name = path.name
        self.data = {}
        if (path / "run.json").exists():
            file = json.loads((path / "run.json").read_text())["origin"].get("data")
            for name, x in json.loads(Path(file).read_text()).items() if file else ():
                group = "observed_data" if name in OBSERVED.get(self.name, []) else "constant_data"
                x = np.array(x)
                self.data.setdefault(group, {})[name] = x.astype(float) if name in REAL.get(self.name, []) else x
        self.files = sorted(path.glob("chain_*.csv"), key=lambda p: int(p.stem.split("_")[1]))
        self.numbers, self.draws, self.warmup = [], [], []
        for f in self.files:
            rows, adapted, columns = [], 0, None
            for line in f.read_text().splitlines():
                if line == "# Adaptation terminated":
                    adapted = len(rows)
                if line.startswith("#"):
                    continue
                if columns is None:
                    columns = line.split(",")
                else:
                    rows.append([float(x) for x in line.split(",")])
            self.columns = columns
            self.numbers.append(int(f.stem.split("_")[1]))
            rows = np.array(rows)
            self.warmup.append(rows[:adapted])
            self.draws.append(rows[adapted:])

    def stack(self):
        """Chains that can be compared, as many draws of each as all have."""
        longest = max(len(d) for d in self.draws)
        kept = [i for i, d in enumerate(self.draws) if 2 * len(d) >= longest]
        n = min(len(self.draws[i]) for i in kept)
        return [self.numbers[i] for i in kept], np.stack([self.draws[i][:n] for i in kept])

    def groups(self):
        """The groups of an export, in order."""
        drawn = GROUPS.get(self.name, {})
        return list(dict.fromkeys(["posterior", *(drawn[p] for p in self.parameters() if p in drawn), "sample_stats"])) + \
            [g for g in ("observed_data", "constant_data") if g in self.data]

    def group(self, parameter):
        return GROUPS.get(self.name, {}).get(parameter, "posterior")

    def parameters(self):
        """Name, shape, and for each element its index and column."""
        out = {}
        for k, c in enumerate(self.columns):
            if not c.endswith("__"):
                name, *index = c.split(".")
                out.setdefault(name, []).append((tuple(int(i) - 1 for i in index), k))
        return out

    def array(self, stack, elements):
        shape = np.max([i for i, _ in elements], axis=0) + 1 if elements[0][0] else ()
        a = np.empty(stack.shape[:2] + tuple(int(n) for n in shape))
        for index, k in elements:
            a[(slice(None), slice(None), *index)] = stack[:, :, k]
        return a

    def statistics(self):
        """Column, name and type."""
        for k, c in enumerate(self.columns):
            if c.endswith("__"):
                if c in STATS:
                    yield k, *STATS[c]
                    continue
                own = max((s for s in STATS if c.endswith("_" + s)), key=len)
                yield k, c[: -len(own)] + STATS[own][0], STATS[own][1]


def check_dataset(ds, run, what):
    """A group of the Zarr store."""
    group = what.split()[-1]
    if group in run.data:
        want = {name: (a, [f"{name}_dim_{d}" for d in range(a.ndim)]) for name, a in run.data[group].items()}
        assert set(ds.dims) == {d for _, dims in want.values() for d in dims}, ds.dims
        for name, (a, dims) in want.items():
            for d, dim in enumerate(dims):
                same(ds.coords[dim].values, np.arange(a.shape[d]), f"{what} {dim}")
        check_variables(ds, want, what)
        return
    numbers, stack = run.stack()
    same(ds.coords["chain"].values, np.array(numbers) - 1, what + " chain")
    same(ds.coords["draw"].values, np.arange(stack.shape[1]), what + " draw")
    if what.endswith("sample_stats"):
        want = {name: (stack[:, :, k].astype(t), ["chain", "draw"]) for k, name, t in run.statistics()}
    else:
        want = {}
        for name, elements in run.parameters().items():
            if run.group(name) != group:
                continue
            a = run.array(stack, elements)
            dims = [f"{name}_dim_{d}" for d in range(a.ndim - 2)]
            for d, dim in enumerate(dims):
                same(ds.coords[dim].values, np.arange(a.shape[2 + d]), f"{what} {dim}")
            want[name] = (a, ["chain", "draw"] + dims)
    check_variables(ds, want, what)


def check_variables(ds, want, what):
    assert set(ds.data_vars) == set(want), (what, set(ds.data_vars) ^ set(want))
    for name, (a, dims) in want.items():
        assert list(ds[name].dims) == dims, (what, name, ds[name].dims)
        same(ds[name].values, a, f"{what} {name}")
    assert ds.attrs["inference_library"] == "hamc" and "created_at" not in ds.attrs, ds.attrs


def check_zarr(path, run):
    store = str(path / "draws.zarr")
    for group in run.groups():
        with xr.open_zarr(store, group=group, consolidated=True) as ds:
            check_dataset(ds, run, f"{path.name} xarray {group}")
    if OLD:
        data = az.from_zarr(store)
        assert set(data.groups()) == set(run.groups()), data.groups()
    else:
        data = az.convert_to_datatree(store)
        assert set(data.groups) == {"/", *("/" + g for g in run.groups())}, data.groups
        same(xr.open_datatree(store, engine="zarr")["sample_stats"]["lp"].values, data["sample_stats"]["lp"].values, "datatree")
    for group in run.groups():
        ds = data[group]
        check_dataset(ds if OLD else ds.to_dataset(), run, f"{path.name} ArviZ {group}")
    root = zarr.open_consolidated(store, mode="r") if OLD else zarr.open_consolidated(store)
    assert root["posterior"].attrs["inference_library"] == "hamc"
    return data


def check_npz(path, run):
    _, stack = run.stack()
    with np.load(path / "draws.npz") as z:
        want = {}
        for group in run.groups():
            for name, e in run.parameters().items():
                if run.group(name) == group:
                    want[name if group == "posterior" else f"{group}.{name}"] = run.array(stack, e)
        want |= {"sample_stats." + name: stack[:, :, k].astype(t) for k, name, t in run.statistics()}
        data = {f"{group}.{name}": a for group, arrays in run.data.items() for name, a in arrays.items()}
        assert z.files[: len(want)] == list(want) and sorted(z.files[len(want) :]) == sorted(data), (z.files, list(want), list(data))
        want |= data
        for name, a in want.items():
            same(z[name], a, f"{path.name} npz {name}")


def check_table(path, run):
    numbers, stack = run.stack()
    table = pd.read_csv(path / "draws.csv", float_precision="round_trip")
    chains, n = stack.shape[:2]
    same(table[".chain"], np.repeat(numbers, n), "table .chain")
    same(table[".iteration"], np.tile(np.arange(1, n + 1), chains), "table .iteration")
    same(table[".draw"], np.arange(1, chains * n + 1), "table .draw")
    names = [".chain", ".iteration", ".draw"]
    for name, elements in run.parameters().items():
        for index, k in sorted(elements):
            column = name + ("[" + ",".join(str(i + 1) for i in index) + "]" if index else "")
            names.append(column)
            same(table[column].astype(float), stack[:, :, k].ravel(), f"{path.name} table {column}")
    for k, c in enumerate(run.columns):
        if c.endswith("__"):
            names.append(c)
            same(table[c].astype(float), stack[:, :, k].ravel(), f"{path.name} table {c}")
    assert list(table.columns) == names, table.columns


def check_cmdstanpy(path, run):
    fit = cmdstanpy.from_csv([str(f) for f in run.files])
    stack = np.stack(run.draws)
    same(fit.draws(), stack.transpose(1, 0, 2), f"{path.name} cmdstanpy draws")
    both = np.concatenate([np.stack(run.warmup), stack], axis=1) if len(run.warmup[0]) else stack
    same(fit.draws(inc_warmup=True), both.transpose(1, 0, 2), f"{path.name} cmdstanpy warm-up")
    for name, elements in run.parameters().items():
        a = run.array(stack, elements)
        same(fit.stan_variable(name), a.reshape(-1, *a.shape[2:]), f"{path.name} cmdstanpy {name}")
    for k, _, _ in run.statistics():
        same(fit.method_variables()[run.columns[k]], both[:, :, k].T, f"{path.name} cmdstanpy {run.columns[k]}")
    divergent = stack[:, :, run.columns.index("divergent__")].sum(axis=1)
    same(np.asarray(fit.divergences, dtype=float), divergent, f"{path.name} cmdstanpy divergences")
    depth = stack[:, 1:, run.columns.index("treedepth__")]  # it leaves out the first draw
    largest = (depth == MAX_DEPTH.get(path.name, 10)).sum(axis=1)
    same(np.asarray(fit.max_treedepths, dtype=float), largest.astype(float), f"{path.name} cmdstanpy largest depths")
    assert largest.any() or path.name != "shallow", "no trajectory of the largest depth to look for"
    if path.name == "metric":
        same(fit.inv_metric[0], np.array([0.8123456789012345, 1.3e-05]), "inverse metric")
    return fit


def check_arviz(path, run, fit):
    """ArviZ's own way from the chains gives the same as the exported Zarr."""
    if OLD:
        data = az.from_cmdstan([str(f) for f in run.files], save_warmup=True)
    else:
        data = az.from_cmdstanpy(fit, save_warmup=True)
    stack = np.stack(run.draws)
    for name, elements in run.parameters().items():
        group = "log_likelihood" if OLD and name == "log_lik" else "posterior"  # all that it knows of groups
        same(data[group][name].values, run.array(stack, elements), f"{path.name} ArviZ {name}")
    # ArviZ 1 takes the statistics of saved warm-up draws for those of draws.
    warm = np.stack(run.warmup)
    stats = stack if OLD or not warm.size else np.concatenate([warm, stack], axis=1)
    same(data["sample_stats"]["diverging"].values, stats[:, :, run.columns.index("divergent__")].astype(bool), "diverging")
    if warm.size:
        for name, elements in run.parameters().items():
            same(data["warmup_posterior"][name].values, run.array(warm, elements), f"{path.name} ArviZ warm-up {name}")
    store = path / "draws.zarr"
    if not store.exists():
        return
    if path.name in GROUPS:
        return
    ours = az.from_zarr(str(store)) if OLD else az.convert_to_datatree(str(store))
    for group in ("posterior", "sample_stats") if stats is stack else ("posterior",):
        mine, theirs = ours[group], data[group]
        assert set(mine.data_vars) >= set(theirs.data_vars) - {c[:-2] for c in run.columns if c.endswith("__")}, group
        for name in theirs.data_vars:
            if name in mine.data_vars:
                assert mine[name].dims == theirs[name].dims, (name, mine[name].dims, theirs[name].dims)
                for dim in theirs[name].coords:
                    same(mine[name].coords[dim].values, theirs[name].coords[dim].values, f"{name} {dim}")
                # ArviZ does not know the types of our own statistics.
                same(mine[name].values.astype(theirs[name].dtype), theirs[name].values, f"{path.name} both {name}")
                if name in ("diverging", "n_steps", "tree_depth", "lp", "energy", "acceptance_rate", "step_size"):
                    assert mine[name].dtype == theirs[name].dtype, (name, mine[name].dtype)


def main():
    work = Path(sys.argv[1])
    for path in sorted(p for p in work.iterdir() if p.is_dir()):
        run = Run(path)
        before = checks
        if (path / "draws.zarr").exists():
            data = check_zarr(path, run)
            check_npz(path, run)
            if path.name == "long":
                chunks = zarr.open_group(str(path / "draws.zarr"), mode="r")["posterior/x"].chunks
                assert chunks[0] == 1 and 12 % chunks[1] > 0, chunks
            else:
                check_table(path, run)
            if path.name == "banana":
                az.summary(data)
            if path.name == "schools":
                # What ArviZ does with data by itself: it finds those that y_rep repeats.
                same(data["observed_data"]["y"].values, np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), "schools y")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # 200 draws are few
                    assert np.isfinite(az.loo(data).elpd_loo if OLD else az.loo(data).elpd)
        if path.name == "funnel":
            assert sum(d[:, run.columns.index("divergent__")].sum() for d in run.draws) > 0, "no divergences to look for"
        if path.name not in ("awkward", "long"):  # CmdStanPy and ArviZ want chains of one length, and header lines
            check_arviz(path, run, check_cmdstanpy(path, run))
        assert checks > before, f"{path} was not looked at"
        print(f"  {path.name}: {checks - before} arrays")
    print(f"ArviZ {az.__version__}, xarray {xr.__version__}, Zarr {zarr.__version__}, NumPy {np.__version__}, "
          f"pandas {pd.__version__}, CmdStanPy {cmdstanpy.__version__}: {checks} arrays are the same")


main()
