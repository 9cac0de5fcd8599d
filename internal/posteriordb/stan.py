"""Compares the models of this folder with Stan's programs in posteriordb: log densities and gradients at random points.

python stan.py --posteriordb DIR --env DIR --hamc FILE [--work DIR] [NAME …]
"""

import argparse
import ctypes
import hashlib
import json
import re
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
# Without optimisation a program compiles in seconds, and ten points need no speed.
FLAGS = "-std=c++17 -O0 -w -fPIC -D_REENTRANT -DBOOST_DISABLE_ASSERTS -DEIGEN_NO_DEBUG".split()
POINTS = 10
LARGE = 1000  # coordinates: beyond, and for what is slow, a program of its own evaluates the model
SLOW = {"prophet", "hierarchical_gp"}


def steps(data):
    """Of gpcm_latent_reg_irt: the number of steps of all questions."""
    return {"B": sum(max(y for y, i in zip(data["y"], data["ii"]) if i == question) for question in set(data["ii"]))}


PREPARED = {"gpcm_latent_reg_irt": steps}


def prepare(name, data):
    """Data as the model reads them: those of posteriordb, and what Stan computes from them and the language cannot."""
    made = PREPARED.get(name)
    return data | made(data) if made else data


# Solutions of differential equations are as exact as the solver is asked to be: the comparison asks Stan's for more than its programs do.
TIGHT = {
    "sir": (r"x_r, x_i\);", "x_r, x_i, 1e-12, 1e-12, 1000000);"),
    "soil_incubation": (r"ts, theta, x_r,\s*x_i\);", "ts, theta, x_r, x_i, 1e-12, 1e-12, 1000000);"),
    "one_comp_mm_elim_abs": (r"theta, x_r,\s*x_i\);", "theta, x_r, x_i, 1e-12, 1e-12, 1000000);"),
    "lotka_volterra": (r"1e-5, 1e-3, 5e2", "1e-12, 1e-12, 1e6"),
}
# Where points are drawn about, if not about zero, near which Stan's program has no density.
CENTRES = {"sir": np.log([0.6, 0.1, 7, 0.3])}

# What stands for data that posteriordb lacks.
OTHER = {"nn_rbm1bJ100": "mnist_100"}
# Where Stan's derivatives are inexact themselves: those of eigenvectors, where eigenvalues are almost equal. Differences of its density stand for them.
DIFFERENCES = {"kronecker_gp"}


def run(*args, **kwargs):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, **kwargs)
    if done.returncode:
        raise RuntimeError(f"{Path(args[0]).name}: {(done.stderr or done.stdout).strip()[:600]}")
    return done.stdout


class Builder:
    """Compiles Stan programs to libraries of BridgeStan's, with flags for stanc and for the C++ compiler."""

    def __init__(self, env, work, flags=FLAGS, stanc=()):
        self.out, self.bridge, self.stanc = work / "stan", env / "bridgestan" / "src", stanc
        self.stan = Path(sysconfig.get_paths()["purelib"]) / "httpstan"
        self.include = [f"-I{self.stan / 'include'}", f"-I{self.bridge}"]
        libraries = [self.stan / "lib" / f"libsundials_{x}.a" for x in ("cvodes", "idas", "kinsol", "nvecserial")]
        self.libraries = [*libraries, self.stan / "lib" / "libtbb.so.2", f"-Wl,-rpath,{self.stan / 'lib'}", "-lpthread"]
        self.out.mkdir(parents=True, exist_ok=True)
        header = self.out / "model.hpp"
        override = self.stan / "include" / "stan_sundials_printf_override.hpp"
        header.write_text(f'#include "{override}"\n#include <stan/model/model_header.hpp>\n')
        gch = self.out / "model.hpp.gch"
        self.common = self.out / "bridgestan.o"
        self.compile = ["nice", "g++", *flags, *self.include]
        if not gch.exists():
            run(*self.compile, "-x", "c++-header", header, "-o", gch)
        self.compile += ["-include", header]
        if not self.common.exists():
            run(*self.compile, "-c", self.bridge / "bridgestan.cpp", "-o", self.common)

    def library(self, name, program):
        base = self.out / f"{name}-{digest(program + ''.join(self.stanc))}"
        library = base.with_suffix(".so")
        if not library.exists():
            base.with_suffix(".stan").write_text(program)
            run(self.stan / "stanc", *self.stanc, f"--o={base}.cpp", f"{base}.stan")
            run(*self.compile, "-c", f"{base}.cpp", "-o", f"{base}.o")
            run("g++", "-shared", f"{base}.o", self.common, "-o", f"{base}.part", *self.libraries)
            base.with_suffix(".part").rename(library)
            Path(f"{base}.o").unlink()
        return library


class Bridge:
    """A model of Stan's with its data."""

    def __init__(self, library, data):
        self.lib = ctypes.CDLL(str(library))
        self.lib.bs_model_construct.restype = ctypes.c_void_p
        for f in ("bs_param_names", "bs_param_unc_names"):
            getattr(self.lib, f).restype = ctypes.c_char_p
        self.error = ctypes.c_char_p()
        self.model = self.lib.bs_model_construct(json.dumps(data).encode(), ctypes.c_uint(1), ctypes.byref(self.error))
        if not self.model:
            raise RuntimeError(self.error.value.decode())
        self.model = ctypes.c_void_p(self.model)
        self.size = self.lib.bs_param_unc_num(self.model)
        self.coordinates = self.lib.bs_param_unc_names(self.model).decode().split(",")

    def differences(self, q, step=1e-3):
        """The gradient by differences of fourth order."""
        at = lambda i, h: self.density(q + h * np.eye(self.size)[i])[0]
        return np.array([8 * (at(i, step) - at(i, -step)) - at(i, 2 * step) + at(i, -2 * step) for i in range(self.size)]) / (12 * step)

    def density(self, q):
        """The log density with all constants and Jacobians, and its gradient; None where Stan has none."""
        q, gradient, value = np.ascontiguousarray(q, float), np.zeros(self.size), ctypes.c_double()
        pointer = ctypes.POINTER(ctypes.c_double)
        bad = self.lib.bs_log_density_gradient(self.model, ctypes.c_bool(False), ctypes.c_bool(True), q.ctypes.data_as(pointer),
                                               ctypes.byref(value), gradient.ctypes.data_as(pointer), ctypes.byref(self.error))
        if bad or not np.isfinite(value.value) or not np.isfinite(gradient).all():
            return None
        return value.value, gradient


def without_generated(program):
    return re.split(r"^\s*generated quantities\s*\{", program, flags=re.MULTILINE)[0]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def row_major(program, coordinates):
    """For each coordinate of hamc's the position of Stan's, which keeps a matrix column by column, and all else as hamc does."""
    parameters = re.search(r"^parameters\s*\{(.*?)^\}", program, re.MULTILINE | re.DOTALL).group(1)
    parameters = re.sub(r"//.*", "", parameters)
    declared = re.findall(r"\bmatrix\b[^;]*?\]\s*([\w\s,]+);", parameters)
    matrices = {name.strip() for names in declared for name in names.split(",")}
    order = np.arange(len(coordinates))
    names = [c.split(".") for c in coordinates]
    for m in matrices:
        at = [i for i, c in enumerate(names) if c[0] == m]
        if not at:  # of size 0
            continue
        rows, columns = (max(int(names[i][d]) for i in at) for d in (1, 2))
        order[at] = np.array(at).reshape(columns, rows).T.ravel()
    return order


def posterior(base, name):
    """The name of the smallest data of a program, and the data."""
    best = None
    for path in sorted((base / "posteriors").glob("*.json")):
        about = json.loads(path.read_text())
        data = base / "data" / "data" / f"{about['data_name']}.json.zip"
        if (about["model_name"] == name or OTHER.get(name) == about["data_name"]) and data.exists() and (best is None or data.stat().st_size < best.stat().st_size):
            best = data
    if best is None:
        return None, None
    with zipfile.ZipFile(best) as archive:
        return best.name.removesuffix(".json.zip"), json.loads(archive.read(archive.namelist()[0]))


def stan_values(options, builder, name, program, data):
    """Points and Stan's values there, in hamc's order of coordinates."""
    kept = options.work / "points" / f"{name}-{digest(program)}.json"
    if not kept.exists():
        model = Bridge(builder().library(name, program), data)
        order = row_major(program, model.coordinates)
        random = np.random.default_rng(int(digest(name), 16))
        found, skipped = [], 0
        while len(found) < POINTS and skipped < 50:
            q = np.round(CENTRES.get(name, 0) + 0.5 * random.standard_normal(model.size), 6)
            values = model.density(q)
            if values is None:
                skipped += 1
            else:
                if name in DIFFERENCES:
                    values = values[0], model.differences(q)
                found.append({"q": q[order].tolist(), "log_density": values[0], "gradient": values[1][order].tolist()})
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps({"skipped": skipped, "points": found}))
    return json.loads(kept.read_text())


def hamc_values(options, name, data, points):
    model = HERE / "models" / f"{name}.ham"
    at, given = options.work / f"{name}.at.json", options.work / f"{name}.data.json"
    at.write_text(json.dumps([{"q": p["q"]} for p in points]))
    given.write_text(json.dumps(data))
    args = [options.hamc, "log-prob", model, "--data", given, "--at", at]
    if len(points[0]["q"]) > LARGE or name in SLOW:
        return large(options, name, given, at)
    begun = time.monotonic()
    told = json.loads(run(*args, *(["--evaluate"] if options.evaluate else []), timeout=options.limit))
    return told, time.monotonic() - begun


def linked(options, name, main, built, model=None):
    """The program main, a file of this folder, linked with the model as hamc compiles it for this tree's runtime."""
    folder = options.work / f"{name}.go"
    (folder / "model").mkdir(parents=True, exist_ok=True)
    plain = folder / "model.ham"  # in the coordinates of the declarations, as those of `hamc log-prob` are
    plain.write_text((model or HERE / "models" / f"{name}.ham").read_text() + "\nmetric identity\n")
    (folder / "model" / "model.go").write_text(run(options.hamc, plain, "--pkg", "model", "--output", "-"))
    (folder / "main.go").write_text((HERE / main).read_text())
    root = HERE.parent.parent
    required = (root / "go.mod").read_text().split("\n", 1)[1]
    (folder / "go.mod").write_text(f"module points\n{required}\nrequire github.com/hamc-dev/hamc v0.0.0\nreplace github.com/hamc-dev/hamc => {root}\n")
    (folder / "go.sum").write_text((root / "go.sum").read_text())
    run("go", "build", "-o", built, ".", cwd=folder)
    return folder / built


def large(options, name, data, at):
    """The same by a program of its own, since `hamc log-prob` prints all entries of the metric."""
    program = linked(options, name, "gradient.go.txt", "points")
    begun = time.monotonic()
    told = json.loads(run(program, data, at, timeout=options.limit))
    number = lambda x: x if x in ("NaN", "+Inf", "-Inf") else float(x)
    return [{"log_density": number(t["log_density"]), "gradient": [number(g) for g in t["gradient"]]} for t in told], time.monotonic() - begun


def error(ours, theirs):
    """The largest difference relative to max(1, |value|). What hamc cannot evaluate is no number and has an infinite one."""
    ours = np.array([np.nan if isinstance(x, str) or x is None else x for x in np.ravel(ours)], float)
    theirs = np.array(theirs, float).ravel()
    off = np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))
    return float(np.where(np.isnan(off), np.inf, off).max())


def compare(options, builder, base, notes, name):
    program = without_generated((base / "models" / "stan" / f"{name}.stan").read_text())
    note = notes.get(name, "")
    if name in TIGHT:
        pattern, tight = TIGHT[name]
        program, count = re.subn(pattern, tight, program)
        assert count == 1, "the call of the solver is not found"
        note = "Stan's solver with tolerances of 1e-12" + (note and "; " + note)
    data_name, data = posterior(base, name)
    if data is None:
        return [name, "", "not compared", "", "", "", "posteriordb has no data" + (note and "; " + note)]
    if options.stan or (HERE / "models" / f"{name}.ham").exists():
        stan = stan_values(options, builder, name, program, data)
        size = str(len(stan["points"][0]["q"])) if stan["points"] else ""
    if not (HERE / "models" / f"{name}.ham").exists():
        return [name, data_name, "not said", "", "", "", note]
    points = stan["points"]
    if name in OTHER:
        note = "with the data of another program, since its own are missing" + (note and "; " + note)
    if name in CENTRES:
        note = "points about others than 0" + (note and "; " + note)
    if name in DIFFERENCES:
        note = "gradient against differences of Stan's density" + (note and "; " + note)
    if stan["skipped"]:
        note = f"{stan['skipped']} points skipped, where Stan has no finite value" + (note and "; " + note)
    if not points:
        return [name, data_name, "said", size, "", "", note]
    if not options.stan:
        ours, seconds = hamc_values(options, name, prepare(name, data), points)
        density = np.array([np.nan if isinstance(o["log_density"], str) else o["log_density"] for o in ours], float)
        offset = density - [p["log_density"] for p in points]
        lp = error([o["log_density"] for o in ours], [p["log_density"] for p in points])
        slope = max(error(o["gradient"], p["gradient"]) for o, p in zip(ours, points))
        if lp > 1e-10 and np.ptp(offset) < 1e-9 * max(1, np.abs(density).max()):
            note += f" [constant offset {offset.mean():.12g}]"
        out = json.dumps(stan)
        if len(out) < 20_000:
            (HERE / "points" / f"{name}.json").write_text(out + "\n")
        print(f"   {seconds:.1f} s", end="", file=sys.stderr)
        return [name, data_name, "said", size, f"{lp:.1e}", f"{slope:.1e}", note]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posteriordb", type=Path, required=True, help="a clone of posteriordb")
    parser.add_argument("--env", type=Path, required=True, help="what internal/benchmarks/corpus/setup.sh made")
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/posteriordb"), help="keeps libraries and values of Stan")
    parser.add_argument("--evaluate", action="store_true", help="without the Go toolchain")
    parser.add_argument("--stan", action="store_true", help="compute Stan's values only")
    parser.add_argument("--limit", type=float, default=300, help="seconds for hamc")
    parser.add_argument("--table", type=Path, default=HERE / "table.tsv", help="where to write")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    base = options.posteriordb / "posterior_database"
    names = options.names or sorted(p.stem for p in (base / "models" / "stan").glob("*.stan"))
    notes = dict(line.split("\t", 1) for line in (HERE / "notes.tsv").read_text().splitlines() if line)
    options.work.mkdir(parents=True, exist_ok=True)
    made = []

    def builder():
        if not made:
            made.append(Builder(options.env, options.work))
        return made[0]

    table = options.table
    head = ["program", "data", "state", "coordinates", "density", "gradient", "note"]
    for name in names:
        try:
            row = compare(options, builder, base, notes, name)
        except Exception as e:  # one model's trouble must not stop the others
            row = [name, "", "failed", "", "", "", str(e).replace("\n", " ").replace("\t", " ")[:300]]
        print("\t".join(row) if row else name, file=sys.stderr, flush=True)
        if not options.stan:
            rows = [line.split("\t") for line in table.read_text().splitlines()[1:]] if table.exists() else []
            rows = sorted([r for r in rows if r[0] != name] + [row])
            table.write_text("".join("\t".join(r) + "\n" for r in [head, *rows]))


if __name__ == "__main__":
    main()
