"""Samples the posteriors that have reference draws in posteriordb, and compares means and standard deviations.

python reference.py --posteriordb DIR [--hamc FILE] [--work DIR] [--seed N] [--table FILE] [POSTERIOR …]

Each is sampled by `hamc run` with no options but a seed and a directory. Needs ArviZ. Rows of posteriors that are not named stay in the table.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import time
import zipfile
from pathlib import Path

import arviz
import numpy as np

from stan import prepare

HERE = Path(__file__).resolve().parent
LIMIT = 4  # of |z|
R_HAT = 1.01
# Of a program whose reference has transformed parameters: what computes them, put behind the model. It does not change the density.
TRANSFORMED = {
    "eight_schools_noncentered": "generate { theta = mu + tau*theta_trans }",
    "gp_pois_regr": "generate { f = cholesky(C)*f_tilde }",
}
# Of parameters that have other names: hamc's for a pattern of posteriordb's.
NAMES = {x: (r"theta(\d)\[(\d)\]", r"theta.\1.\2") for x in ("hmm_example", "hmm_drive_0", "hmm_drive_1")}
# What is known of disagreements, by hand.
NOTES = {
    "mcycle_gp-accel_gp": "slow, see README.md",
    "one_comp_mm_elim_abs-one_comp_mm_elim_abs": "heavy tails of V_m and K_m: their upper ends are visited too seldom, see README.md",
}
HEAD = ["posterior", "agrees", "parameters", "max_z", "at", "sd_ratio_least", "sd_ratio_most", "max_z_sd", "r_hat", "least_ess_bulk", "divergent",
        "wall_s", "cpu_s", "sampling_s", "metric", "draws_by", "note"]


def ours(name, model):
    """hamc's name of a parameter of posteriordb's."""
    if model in NAMES:
        name = re.sub(*NAMES[model], name)
    return name.replace("[", ".").replace(",", ".").replace("]", "")


def effective(x):
    return float(arviz.ess(np.asarray(x), method="mean"))


class Draws:
    """The draws of a reference, by chain."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            chains = json.loads(archive.read(archive.namelist()[0]))
        self.draws = {name: np.array([c[name] for c in chains]) for name in chains[0]}

    def names(self):
        return list(self.draws)

    def mean(self, name):
        """The mean, its standard error, and the standard deviation."""
        x = self.draws[name]
        sd = x.std(ddof=1)
        return x.mean(), sd / np.sqrt(min(effective(x), x.size)), sd

    def square(self, name):
        """The mean square about the mean, and its standard error."""
        u = (self.draws[name] - self.draws[name].mean()) ** 2
        return u.mean(), u.std() / np.sqrt(min(effective(u), u.size))


class Statistics:
    """A reference whose draws are missing in the clone (a large file): its means and mean squares, out of git."""

    def __init__(self, clone, name):
        def read(kind):
            path = f"posterior_database/reference_posteriors/summary_statistics/{kind}/{kind}/{name}.json"
            return json.loads(subprocess.run(["git", "-C", clone, "show", f"HEAD:{path}"], check=True, capture_output=True, text=True).stdout)

        self.first, self.second = read("mean_value"), read("mean_squared_value")
        assert self.first["names"] == self.second["names"]

    def names(self):
        return self.first["names"]

    def mean(self, name):
        i = self.first["names"].index(name)
        mean = self.first["mean_value"][i]
        return mean, self.first["mcse_mean"][i], np.sqrt(self.second["mean_squared_value"][i] - mean**2)

    def square(self, name):
        return None


def sample(options, name, model, data):
    """Runs hamc: its draws by name, the summary by name, and what it told."""
    folder = options.work / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program, given = folder / f"{model}.ham", folder / "data.json"
    program.write_text((HERE / "models" / f"{model}.ham").read_text() + "\n" + TRANSFORMED.get(model, "") + "\n")
    given.write_text(json.dumps(prepare(model, data)))
    environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}  # so that the sampler is built, and its time counted
    environment["GOCACHE"] = subprocess.run(["go", "env", "GOCACHE"], check=True, capture_output=True, text=True).stdout.strip()
    begun = time.monotonic()
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        run = subprocess.Popen([options.hamc, "run", program, "--data", given, "--seed", str(options.seed), "--output-dir", folder / "draws"],
                               stdout=out, stderr=err, env=environment, start_new_session=True)
        while True:
            pid, status, usage = os.wait4(run.pid, os.WNOHANG)
            wall = time.monotonic() - begun
            if pid:
                break
            if wall > options.limit:
                os.killpg(run.pid, signal.SIGKILL)
                os.wait4(run.pid, 0)
                return None
            time.sleep(0.02)
    run.returncode = os.waitstatus_to_exitcode(status)
    out, err = (folder / "out").read_text(), (folder / "err").read_text()
    if run.returncode not in (0, 1) or not (folder / "draws" / "time.json").exists():  # 1: a warning
        raise RuntimeError(f"hamc ends with {run.returncode}: {(err or out).strip()[-500:]}")
    summary = subprocess.run([options.hamc, "summary", "--all", folder / "draws"], capture_output=True, text=True).stdout
    chains = []
    for path in sorted((folder / "draws").glob("chain_*.csv")):
        lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        chains.append((lines[0].split(","), np.array([line.split(",") for line in lines[1:]], float)))
    draws = {column: np.array([rows[:, i] for _, rows in chains]) for i, column in enumerate(chains[0][0])}
    table = {}
    for line in summary.splitlines():
        words = line.split()
        if len(words) == 10 and words[0] in draws:
            table[words[0]] = {"ess_bulk": float(words[7]), "r_hat": float(words[9])}
    about = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime}
    times = json.loads((folder / "draws" / "time.json").read_text())["chains"]
    about["sampling"] = sum(c["warmup_seconds"] + c["sampling_seconds"] for c in times)
    checked = re.search(r"^checked .*?: \d+ parameters?(?: of \d+ coordinates?)?(?:, )?(.*)$", err, re.MULTILINE)
    about["metric"] = checked.group(1) if checked else ""
    integrator = re.search(r"^\d+ chains of \d+ draws in .*?, integrator (\S+?)[,.]?$", out, re.MULTILINE)
    by = re.search(r"^acceptance .*? steps? per draw(?:, )?(.*)$", out, re.MULTILINE)
    about["by"] = ", ".join(x for x in (integrator and integrator.group(1), by and by.group(1)) if x)
    about["warnings"] = [line.split(": ")[1] for line in out.splitlines() if line.startswith("warning: ")]
    return draws, table, about


def compare(options, about):
    """The row of a posterior."""
    name, model, reference_name = about["name"], about["model_name"], about["reference_posterior_name"]
    base = options.posteriordb / "posterior_database"
    path = base / "reference_posteriors" / "draws" / "draws" / f"{reference_name}.json.zip"
    note = [NOTES[name]] if name in NOTES else []
    if reference_name != name:
        note.append(f"reference of {reference_name}")
    if path.exists():
        reference = Draws(path)
    else:
        reference = Statistics(options.posteriordb, reference_name)
        note.append("draws missing in the clone: against posteriordb's means and mean squares")
    with zipfile.ZipFile(base / "data" / "data" / f"{about['data_name']}.json.zip") as archive:
        data = json.loads(archive.read(archive.namelist()[0]))
    got = sample(options, name, model, data)
    if got is None:
        return [name, "skipped"] + [""] * (len(HEAD) - 3) + ["; ".join([f"takes more than {options.limit:.0f} s", *note])]
    draws, table, told = got
    rows = []
    for parameter in reference.names():
        column = ours(parameter, model)
        mean, error, sd = reference.mean(parameter)
        x = draws[column]
        z = (x.mean() - mean) / np.hypot(x.std(ddof=1) / np.sqrt(table[column]["ess_bulk"]), error)
        z_sd, square = 0.0, reference.square(parameter)
        if square:
            u = (x - mean) ** 2
            z_sd = (u.mean() - square[0]) / np.hypot(u.std() / np.sqrt(effective(u)), square[1])
        rows.append((parameter, z, x.std(ddof=1) / sd, z_sd))
        if options.verbose:
            print(f"  {parameter:20} {x.mean():12.5g} {mean:12.5g} sd {x.std(ddof=1):10.4g} {sd:10.4g}  z {z:6.2f}  z_sd {z_sd:6.2f}  {table[column]}")
    worst = max(rows, key=lambda r: abs(r[1]))
    r_hat = max(t["r_hat"] for t in table.values())
    divergent = sum(int(d.sum()) for n, d in draws.items() if n.endswith("divergent__"))
    agrees = abs(worst[1]) < LIMIT and r_hat < R_HAT
    note += told["warnings"]
    return [name, "yes" if agrees else "no", str(len(rows)), f"{abs(worst[1]):.2f}", worst[0], f"{min(r[2] for r in rows):.3f}",
            f"{max(r[2] for r in rows):.3f}", f"{max(abs(r[3]) for r in rows):.2f}" if path.exists() else "", f"{r_hat:.3f}",
            f"{min(t['ess_bulk'] for t in table.values()):.0f}", str(divergent), f"{told['wall']:.1f}", f"{told['cpu']:.1f}", f"{told['sampling']:.2f}",
            told["metric"], told["by"], "; ".join(note)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posteriordb", type=Path, required=True, help="a clone of posteriordb")
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/posteriordb-reference"), help="keeps draws and data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120, help="seconds for a run")
    parser.add_argument("--table", type=Path, default=HERE / "reference.tsv", help="where to write")
    parser.add_argument("--verbose", action="store_true", help="print every parameter")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    posteriors = [json.loads(p.read_text()) for p in sorted((options.posteriordb / "posterior_database" / "posteriors").glob("*.json"))]
    for about in posteriors:
        if not about.get("reference_posterior_name") or options.names and about["name"] not in options.names:
            continue
        try:
            row = compare(options, about)
        except Exception as e:  # one's trouble must not stop the others
            row = [about["name"], "failed"] + [""] * (len(HEAD) - 3) + [f"{type(e).__name__}: {e}".replace("\n", " ").replace("\t", " ")[:400]]
        print("\t".join(row), flush=True)
        rows = [line.split("\t") for line in options.table.read_text().splitlines()[1:]] if options.table.exists() else []
        rows = sorted([r for r in rows if r[0] != row[0]] + [row], key=lambda r: (r[1] == "yes", r[0]))
        options.table.write_text("".join("\t".join(r) + "\n" for r in [HEAD, *rows]))
    rows = [line.split("\t") for line in options.table.read_text().splitlines()[1:]]
    count = {state: sum(r[1] == state for r in rows) for state in ("yes", "no", "skipped", "failed")}
    print(f"{len(rows)} posteriors: {count['yes']} agree, {count['no']} do not, {count['skipped']} skipped, {count['failed']} failed")


if __name__ == "__main__":
    main()
