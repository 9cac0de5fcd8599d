"""Compares the models of this folder with the Stan programs that they were written after: log densities and gradients at random points.

python people.py --programs DIR --env DIR --hamc FILE [--work DIR] [NAME …]

DIR of --programs has NAME.stan for each, in Stan 2.35's syntax, from where people.tsv says. Without an optimum of a program's own, points
are those of stan.py: normal numbers times 0.5.
"""

import argparse
import json
import re
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from stan import POINTS, Bridge, Builder, digest, error, row_major, run, without_generated  # noqa: E402

import data  # noqa: E402

# Where Stan's own gradients are inexact: differences of its density stand for them.
DIFFERENCES = {}
# Where points are drawn about, if not about zero, and how far: near zero these programs have no density, or one that is no number.
CENTRES = {"cmv": np.array([-17.4, -17.4, -17.4, -17.4, 6.9, 7.3, 6.4, -1])}
SPREAD = {"cmv": 0.1}


def centred(program):
    """Without offset and multiplier, which change the coordinates and not the posterior."""
    return re.sub(r"<\s*offset\s*=[^>]*>", "", program)


def compare(options, builder, name):
    program = centred(without_generated((options.programs / f"{name}.stan").read_text()))
    path = HERE / f"{name}.data.json"
    given = data.MODELS[name](np.random.default_rng(int(digest(name), 16)))
    path.write_text(data.dump(given))
    given = json.loads(path.read_text())
    model = Bridge(builder.library(name, program), given)
    order = row_major(program, model.coordinates)
    random, points, skipped = np.random.default_rng(int(digest(name), 16)), [], 0
    while len(points) < POINTS and skipped < 200:
        q = np.round(CENTRES.get(name, 0) + SPREAD.get(name, 0.5) * random.standard_normal(model.size), 6)
        values = model.density(q)
        if values is None:
            skipped += 1
            continue
        gradient = model.differences(q) if name in DIFFERENCES else values[1]
        points.append({"q": q[order].tolist(), "log_density": values[0], "gradient": gradient[order].tolist()})
    stored = "[\n" + ",\n".join(json.dumps(p) for p in points) + "\n]\n"
    (HERE / f"{name}.points.json").write_text(stored)
    at = options.work / f"{name}.at.json"
    at.write_text(json.dumps([{"q": p["q"]} for p in points]))
    plain = options.work / f"{name}.ham"  # in the coordinates of the declarations, without a metric of the model's own
    text = (HERE / f"{name}.ham").read_text()
    plain.write_text(text if "\nmetric " in text else text + "\nmetric identity\n")
    begun = time.monotonic()
    ours = json.loads(run(options.hamc, "log-prob", plain, "--data", path, "--at", at, "--evaluate", timeout=options.limit))
    seconds = time.monotonic() - begun
    assert len(ours) == len(points) and points, "no points"
    lp = max(error(o["log_density"], p["log_density"]) for o, p in zip(ours, points))
    slope = max(error(o["gradient"], p["gradient"]) for o, p in zip(ours, points))
    offset = np.array([float(o["log_density"]) for o in ours]) - [p["log_density"] for p in points]
    if lp > 1e-10:
        print("   offsets", offset, file=sys.stderr)
        if np.ptp(offset) < 1e-8 * max(1, np.abs(offset).max()):
            print("   constant", file=sys.stderr)
    if slope > 1e-8:
        g, h = np.array(ours[0]["gradient"], float), np.array(points[0]["gradient"])
        worst = np.argsort(-np.abs(g - h) / np.maximum(1, np.abs(h)))[:8]
        print("   ", [(np.array(model.coordinates)[order][i], g[i], h[i]) for i in worst], file=sys.stderr)
    print(f"{name}\t{model.size}\t{len(points)} points, {skipped} skipped\t{lp:.1e}\t{slope:.1e}\t{seconds:.1f} s", file=sys.stderr)
    return [str(model.size), f"{lp:.1e}", f"{slope:.1e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=Path, required=True, help="a folder with NAME.stan")
    parser.add_argument("--env", type=Path, required=True, help="what internal/benchmarks/corpus/setup.sh made")
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/people"), help="keeps libraries of Stan")
    parser.add_argument("--limit", type=float, default=300, help="seconds for hamc")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    builder = Builder(options.env, options.work)
    table = HERE / "people.tsv"
    for name in options.names or sorted(data.MODELS):
        try:
            figures = compare(options, builder, name)
        except Exception as e:  # one program's trouble must not stop the others
            print(name, str(e)[:3000], file=sys.stderr)
            continue
        if table.exists():
            head, *rows = [line.split("\t") for line in table.read_text().splitlines()]
            at = [head.index(c) for c in ("coordinates", "density", "gradient")]
            for row in rows:
                if row[0] == name:
                    for i, x in zip(at, figures):
                        row[i] = x
            table.write_text("".join("\t".join(r) + "\n" for r in [head, *rows]))


if __name__ == "__main__":
    main()
