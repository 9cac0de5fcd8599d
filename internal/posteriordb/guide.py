"""Compares the pairs of programs of docs/stan.md: log densities and gradients at random points.

python guide.py --env DIR --hamc FILE [--work DIR] [NAME …]

A pair is a block `stan` and the block `ham` behind it. The first pair of the page is the head. Pairs whose ham
has no line `model` continue the head: those of a section are put together, the Stan ones block by block. A pair of whole
models stands alone. Data stand in guide.json; the table goes to guide.tsv.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np

from stan import POINTS, Bridge, Builder, error, row_major, run, without_generated

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "stan.md"
# Where Stan's own gradients are inexact, of normal_lcdf and ordered_probit: differences of its density stand for them.
DIFFERENCES = {"Counts and categories", "Truncation, censoring, missing data"}
BLOCKS = ["functions", "data", "transformed data", "parameters", "transformed parameters", "model", "generated quantities"]


def fences(page):
    """The fenced blocks of a page: their section, kind and text."""
    section, kind, out = "", None, []
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            if kind is None:
                kind, lines = line[3:].split()[0], []
            else:
                out.append((section, kind, "\n".join(lines) + "\n"))
                kind = None
        elif kind is not None:
            lines.append(line)
        elif line.startswith("## "):
            section = line[3:]
    return out


def pairs(page, kind):
    """The pairs of a page: section, text of the other language, ham."""
    all_ = fences(page)
    found = [(s, text, all_[i + 1][2]) for i, (s, k, text) in enumerate(all_) if k == kind and all_[i + 1 : i + 2] and all_[i + 1][1] == "ham"]
    assert len(found) == sum(k == kind for _, k, _ in all_), f"a block {kind} without a block ham behind it"
    return found


def programs(page, kind):
    """By name, the texts of each program in the other language, and its ham."""
    (_, head, ham), *rest = pairs(page, kind)
    out = {}
    for section, text, h in rest:
        if name := re.search(r"^model (\w+)$", h, re.MULTILINE):
            out[name.group(1)] = [text], h
        else:
            texts, sofar = out.get(section, ([head], ham))
            out[section] = texts + [text], sofar + h
    return out


def digest(texts, ham):
    return hashlib.sha256("".join([*texts, ham]).encode()).hexdigest()[:12]


def merged(texts):
    """One Stan program of fragments. Each model block keeps its local variables to itself."""
    parts = {b: [] for b in BLOCKS}
    for text in texts:
        found = re.findall(r"^([a-z ]+?) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
        for name, body in found:
            parts[name].append("{\n" + body + "}\n" if name == "model" else body)
    return "".join(f"{b} {{\n{''.join(parts[b])}}}\n" for b in BLOCKS if parts[b])


def compare(options, builder, name, texts, ham, data):
    program = merged(texts)
    slug = re.sub(r"\W+", "_", name.lower())
    work = options.work / slug
    work.parent.mkdir(parents=True, exist_ok=True)
    whole = work.with_suffix(".stan")  # with the generated quantities, for the syntax
    whole.write_text(program)
    run(builder.stan / "stanc", f"--o={work}.cpp", whole)
    model = Bridge(builder.library(slug, without_generated(program)), data)
    order = row_major(program, model.coordinates)
    random, points, skipped = np.random.default_rng(int(digest([], name), 16)), [], 0
    while len(points) < POINTS and skipped < 50:
        q = np.round(0.5 * random.standard_normal(model.size), 6)
        if values := model.density(q):
            gradient = model.differences(q) if name in DIFFERENCES else values[1]
            points.append((q[order], values[0], gradient[order]))
        else:
            skipped += 1
    work.with_suffix(".ham").write_text(ham)
    work.with_suffix(".data.json").write_text(json.dumps(data))
    at = work.with_suffix(".at.json")
    at.write_text(json.dumps([{"q": q.tolist()} for q, _, _ in points]))
    ours = json.loads(run(options.hamc, "log-prob", work.with_suffix(".ham"), "--at", at, "--evaluate", timeout=options.limit))
    lp = max(error(o["log_density"], value) for o, (_, value, _) in zip(ours, points))
    slope = max(error(o["gradient"], gradient) for o, (_, _, gradient) in zip(ours, points))
    notes = ["gradient against differences of Stan's density"] if name in DIFFERENCES else []
    if skipped:
        notes.append(f"{skipped} points skipped, where Stan has no finite value")
    return [str(model.size), str(len(points)), f"{lp:.1e}", f"{slope:.1e}", "; ".join(notes)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--env", type=Path, required=True, help="what internal/benchmarks/corpus/setup.sh made")
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/guide"), help="keeps libraries of Stan")
    parser.add_argument("--limit", type=float, default=300, help="seconds for hamc")
    parser.add_argument("--table", type=Path, default=HERE / "guide.tsv", help="where to write")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    data = json.loads((HERE / "guide.json").read_text())
    builder = Builder(options.env, options.work)
    head = ["program", "pairs", "digest", "coordinates", "points", "density", "gradient", "note"]
    rows = {r[0]: r for r in (line.split("\t") for line in options.table.read_text().splitlines()[1:])} if options.table.exists() else {}
    all_ = programs(PAGE, "stan")
    for name, (texts, ham) in all_.items():
        if options.names and name not in options.names:
            continue
        count = str(max(1, len(texts) - 1))
        try:
            row = [name, count, digest(texts, ham), *compare(options, builder, name, texts, ham, data.get(name, data["page"]))]
        except Exception as e:  # one program's trouble must not stop the others
            row = [name, count, "failed", "", "", "", "", re.sub(r"\s+", " ", str(e))[:1000]]
        print("\t".join(row), file=sys.stderr, flush=True)
        rows[name] = row
        options.table.write_text("".join("\t".join(r) + "\n" for r in [head, *(rows[x] for x in all_ if x in rows)]))


if __name__ == "__main__":
    main()
