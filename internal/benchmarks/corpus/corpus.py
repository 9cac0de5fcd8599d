#!/usr/bin/env python3
"""Measures hamc, Stan and nutpie on the posteriors of models/. See README.md."""

import argparse
import json
import os
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from candidates import CANDIDATES
from table import chosen, render

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


class Model:
    """A folder of models/: NAME.ham, and NAME.stan with NAME.data.json or the name of a posterior of posteriordb.

    Where the folder has no NAME.ham, or no data, they are those of internal/posteriordb or of examples/.
    """

    def __init__(self, name, options):
        self.name, self.folder = name, HERE / "models" / name
        self.stan = self.reference = None
        if (self.folder / "posteriordb.txt").exists():
            self.from_posteriordb((self.folder / "posteriordb.txt").read_text().strip(), options)
        else:
            self.ham = self.own(".ham", ROOT / "examples" / f"{name}.ham")
            self.stan = (self.folder / f"{name}.stan").read_text()
            self.data = self.own(".data.json", ROOT / "examples" / f"{name}.data.json")
            if not self.data.exists():  # a posterior without data
                self.data = options.work / f"{name}.data.json"
                self.data.write_text("{}")

    def own(self, ending, otherwise):
        path = self.folder / (self.name + ending)
        return path if path.exists() else otherwise

    def from_posteriordb(self, posterior, options):
        base = options.env / "posteriordb" / "posterior_database"
        about = json.loads((base / "posteriors" / f"{posterior}.json").read_text())
        program = about["model_name"]
        self.ham = self.own(".ham", ROOT / "internal" / "posteriordb" / "models" / f"{program}.ham")
        self.stan = (base / "models" / "stan" / f"{program}.stan").read_text()
        self.data = options.work / f"{self.name}.data.json"
        self.data.write_bytes(unzipped(base / "data" / "data" / f"{about['data_name']}.json.zip"))
        draws = base / "reference_posteriors" / "draws" / "draws" / f"{about.get('reference_posterior_name')}.json.zip"
        if draws.exists():
            self.reference = json.loads(unzipped(draws))


def unzipped(path):
    with zipfile.ZipFile(path) as archive:
        return archive.read(archive.namelist()[0])


def reference_columns(chains):
    """The reference draws of posteriordb by Stan's names of columns."""
    import numpy as np

    name = lambda key: key.replace("[", ".").replace(",", ".").replace("]", "")
    return {name(key): np.array([chain[key] for chain in chains]) for key in chains[0]}


def moments(columns, names):
    """Mean, 5 % and 95 % quantile of quantities, each with its standard error."""
    import arviz
    import numpy as np

    found = {}
    for name in names:
        x = columns[name]
        found[f"mean {name}"] = float(x.mean()), np.squeeze(arviz.mcse(x)).item()
        for p in (0.05, 0.95):
            found[f"{p} {name}"] = float(np.quantile(x, p)), np.squeeze(arviz.mcse(x, method="quantile", prob=p)).item()
    return found


def measure(columns, names):
    """Least effective sample sizes, worst R-hat and moments, by arviz."""
    import arviz
    import numpy as np

    vary = [name for name in names if np.ptp(columns[name]) > 0]
    found = {"rhat": float(max(np.nan_to_num(arviz.rhat(columns[n]), nan=np.inf) for n in vary))}
    for kind in ("bulk", "tail"):
        sizes = {n: float(np.nan_to_num(arviz.ess(columns[n], method=kind))) for n in vary}
        found |= {kind: min(sizes.values()), f"{kind}_at": min(sizes, key=sizes.get)}
    return found | {"moments": moments(columns, vary[:40])}


def compete(model, options):
    """Yields the records of a model, seed by seed and contestant by contestant."""
    from contestants import CONTESTANTS

    common = {"model": model.name, "load": os.getloadavg()[0], "when": time.strftime("%FT%T")}
    ready, failed = {}, {}
    for who in options.who.split(","):
        try:
            ready[who] = CONTESTANTS[who](model, options)
        except Exception as error:  # of any library; the others go on
            failed[who] = str(error)
    quantities = None
    for seed in options.seeds.split(","):
        for who in ready:
            if who in failed:
                continue
            try:
                run = ready[who].sample(int(seed))
            except Exception as error:
                failed[who] = str(error)
                continue
            mine = {n: x for n, x in run.columns.items() if not n.endswith("__")}
            if quantities is None:  # of the first, which is hamc: its parameters
                quantities = list(mine)
                if model.reference:
                    draws = reference_columns(model.reference)
                    yield common | {"who": "reference", "seed": 0, "moments": moments(draws, [n for n in quantities if n in draws][:40])}
            names = [n for n in quantities if n in mine]
            record = common | {"who": who, "seed": int(seed), "cpu": run.cpu, "build_cpu": ready[who].build_cpu}
            record |= {"quantities": len(names), "divergences": run.divergences, "steps": run.steps}
            yield record | measure(mine, names)
    for who, why in failed.items():
        yield common | {"who": who, "failed": why}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("names", nargs="*", metavar="MODEL", help="folders of models/; default: all")
    add("--env", type=Path, help="the environment that setup.sh made")
    add("--hamc", default="hamc", help="the program; default: that of the PATH")
    add("--who", default="hamc,stan,nutpie", help="default: %(default)s; hamc first")
    add("--seeds", default="1,2,3,4,5", help="default: %(default)s")
    add("--limit", type=int, default=300, help="CPU seconds of a run; default: %(default)s")
    add("--build", action="store_true", help="only build the Stan programs")
    add("--out", type=Path, default="records.jsonl", help="append here; default: %(default)s")
    add("--table", type=Path, metavar="FILE", help="only render the records in FILE")
    add("--candidates", action="store_true", help="measure, or render, what hamc chooses beside what can be fixed by hand")
    options = parser.parse_args()
    if options.candidates:
        options.who = ",".join(("hamc", *CANDIDATES))
    if not options.table and not options.env:
        parser.error("needs --env or --table")
    options.names = options.names or sorted(f.name for f in HERE.glob("models/*") if f.is_dir())
    return options


def enter(env):
    """Goes on in the Python of the environment."""
    if Path(sys.prefix).resolve() != env.resolve():
        python = env / "bin" / "python"
        os.execv(python, [str(python), *sys.argv])


def main():
    options = arguments()
    if options.table:
        print((chosen if options.candidates else render)([json.loads(line) for line in options.table.read_text().splitlines()]))
        return
    enter(options.env)
    options.env = options.env.resolve()
    with tempfile.TemporaryDirectory() as work:
        options.work = Path(work)
        for name in options.names:
            model = Model(name, options)
            if options.build:
                from contestants import Nutpie, Stan

                print(name, *(f"{kind(model, options).build_cpu:.0f}" for kind in (Stan, Nutpie)), flush=True)
                continue
            with options.out.open("a") as out:
                for record in compete(model, options):
                    print(json.dumps(record), file=out, flush=True)
                    brief = {k: v for k, v in record.items() if k in ("model", "who", "seed", "cpu", "bulk", "tail", "rhat", "failed")}
                    print(*(f"{v:.4g}" if isinstance(v, float) else str(v)[:150] for v in brief.values()), file=sys.stderr)


if __name__ == "__main__":
    main()
