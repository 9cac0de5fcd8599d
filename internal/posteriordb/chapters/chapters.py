"""Compares the models of this folder with the Stan programs beside them: log densities and gradients at random points.

python chapters.py --env DIR --hamc FILE [--work DIR] [NAME …]

Data are those of data.py. Points and Stan's values go to points, the results to table.tsv. With --compiled
the code that hamc writes is built and compared too, as it always is where differential equations are solved.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import data as synthetic  # noqa: E402
from stan import POINTS, Bridge, Builder, digest, error, linked, row_major, run, without_generated  # noqa: E402

# Where Stan's own derivatives are inexact, of normal_lcdf and gamma_lccdf: differences of its density stand for them.
DIFFERENCES = {"selection", "gamma_waits"}
TOLERANCE = 1e-13  # of the solvers of differential equations, in both languages
# Points of these are about another centre, or nearer to it: where Stan's inv_Phi is exact. Centre and scale.
ABOUT = {"joined_margins": (0, 0.2)}


def order_of(program, names, text):
    """For each coordinate of hamc's the position of Stan's. A model may say `// order a b c`: Stan's parameters in hamc's order."""
    order = row_major(program, names)
    if said := re.search(r"^// order (.+)$", text, re.MULTILINE):
        rank = {n: i for i, n in enumerate(said.group(1).split())}
        blocks = [rank[names[i].split(".")[0]] for i in order]
        order = order[np.argsort(blocks, kind="stable")]
    return order


def stan_values(builder, name, program, data, text):
    """Points and Stan's values there, in hamc's order of coordinates."""
    model = Bridge(builder.library(name, program), data)
    order = order_of(program, model.coordinates, text)
    random, found, skipped = np.random.default_rng(int(digest(name), 16)), [], 0
    centre, scale = ABOUT.get(name, (0, 0.5))
    while len(found) < POINTS and skipped < 50:
        q = np.round(centre + scale * random.standard_normal(model.size), 6)
        if (values := model.density(q)) is None:
            skipped += 1
            continue
        slope = model.differences(q) if name in DIFFERENCES else values[1]
        found.append({"q": q[order].tolist(), "log_density": values[0], "gradient": slope[order].tolist()})
    return {"skipped": skipped, "points": found}


def differences(ours, points):
    """The largest difference of log densities, and that of gradients."""
    return (error([o["log_density"] for o in ours], [p["log_density"] for p in points]),
            max(error(o["gradient"], p["gradient"]) for o, p in zip(ours, points)))


def compare(options, builder, about, name):
    chapter, how, note = about
    ham, program = (HERE / "models" / f"{name}.{x}" for x in ("ham", "stan"))
    if not program.exists():  # what has no program tells in its note why
        return [chapter, name, how, "", "", "", "", note]
    given = HERE / "data" / f"{name}.json"
    values = stan_values(builder, name, without_generated(program.read_text()), json.loads(given.read_text()), ham.read_text())
    points = values["points"]
    at = options.work / f"{name}.at.json"
    at.write_text(json.dumps([{"q": p["q"]} for p in points]))
    (HERE / "points" / f"{name}.json").write_text(json.dumps(values) + "\n")
    lp, slope = 0, 0
    stated = re.search(r"^let .* = solve ", ham.read_text(), re.MULTILINE)
    if not stated:
        ours = json.loads(run(options.hamc, "log-prob", ham, "--data", given, "--at", at, "--evaluate", timeout=options.limit))
        lp, slope = differences(ours, points)
    if stated or options.compiled:
        built = linked(options, name, "gradient.go.txt", "points", ham)
        told = json.loads(run(built, given, at, TOLERANCE, timeout=options.limit))
        number = lambda x: float(x) if x not in ("NaN", "+Inf", "-Inf") else x
        told = [{"log_density": number(t["log_density"]), "gradient": [number(g) for g in t["gradient"]]} for t in told]
        lp, slope = np.maximum((lp, slope), differences(told, points))
    if name in DIFFERENCES:
        note = "; ".join(filter(None, ["gradient against differences of Stan's density", note]))
    if values["skipped"]:
        note = "; ".join(filter(None, [f"{values['skipped']} points skipped, where Stan has no finite value", note]))
    return [chapter, name, how, str(len(points[0]["q"])), str(len(points)), f"{lp:.1e}", f"{slope:.1e}", note]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--env", type=Path, required=True, help="what internal/benchmarks/corpus/setup.sh made")
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/chapters"), help="keeps libraries of Stan")
    parser.add_argument("--compiled", action="store_true", help="compare the code that hamc writes too")
    parser.add_argument("--limit", type=float, default=300, help="seconds for hamc")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    for folder in (options.work, HERE / "points", HERE / "data"):
        folder.mkdir(parents=True, exist_ok=True)
    notes = {n: (chapter, how, note) for n, chapter, how, note in
             (line.split("\t") for line in (HERE / "notes.tsv").read_text().splitlines()[1:])}
    table = HERE / "table.tsv"
    rows = {r[1]: r for r in (line.split("\t") for line in table.read_text().splitlines()[1:])} if table.exists() else {}
    builder = Builder(options.env, options.work)
    for name in notes:
        if options.names and name not in options.names:
            continue
        try:
            if name in synthetic.MADE:
                synthetic.write(name)
            row = compare(options, builder, notes[name], name)
        except Exception as e:  # one model's trouble must not stop the others
            row = [notes[name][0], name, "failed", "", "", "", "", re.sub(r"\s+", " ", str(e))[:1000]]
        print("\t".join(row), file=sys.stderr, flush=True)
        rows[name] = row
        head = ["chapter", "model", "said", "coordinates", "points", "density", "gradient", "note"]
        table.write_text("".join("\t".join(r) + "\n" for r in [head, *(rows[n] for n in notes if n in rows)]))


if __name__ == "__main__":
    main()
