"""Compares the pairs of programs of docs/pymc.md: log densities and gradients at random points.

python guide_pymc.py --hamc FILE [--work DIR] [SECTION …]

Needs PyMC. A pair is a block `python` and the block `ham` behind it. The first pair of the page is the head, which each other pair
continues. Data stand in guide.json, and numbers of groups count from 0 for PyMC; the table goes to guide_pymc.tsv.
"""

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

from guide import POINTS, digest, error, pairs, run

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs" / "pymc.md"
NUMBERS = {"g", "region", "h", "answer", "which", "g_mis", "pair_a", "pair_b"}  # count from 1 in the data


def build(code, data):
    known = {k: np.array(v) - 1 if k in NUMBERS else np.array(v) if isinstance(v, list) else v for k, v in data.items()}
    known |= {"pm": pm, "np": np, "pt": pt}
    exec(code, known)
    return known["model"]


def declared(ham):
    """The parameters in the order of their declarations."""
    found = re.findall(r"^param (.*?) (?:real|simplex|ordered|positive_ordered)\b", ham, re.MULTILINE)
    return [name.strip() for names in found for name in names.split(",")]


def stick(u):
    """A simplex by stick breaking, and the log-Jacobian."""
    left, x, jacobian = 1.0, [], 0.0
    for k, v in enumerate(u):
        z = 1 / (1 + np.exp(-(v - np.log(len(u) - k))))
        x.append(left * z)
        jacobian += np.log(z) + np.log1p(-z) + np.log(left)
        left *= 1 - z
    return np.array([*x, left]), jacobian


def values(model, ham, at):
    """Log density and gradient at points, in the order of the ham's coordinates; the gradient is None where coordinates differ."""
    names = declared(ham)
    of = {model.values_to_rvs[v].name: v for v in model.value_vars}
    assert sorted(of) == sorted(names), f"parameters {sorted(of)} against {sorted(names)}"
    own = [n for n in names if re.search(rf"^param {n} simplex", ham, re.MULTILINE)]
    start = model.initial_point()
    logp = model.compile_logp(jacobian=not own)
    slope = None if own else model.compile_dlogp([model[n] for n in names])
    for q in at:
        point, i, jacobian = {}, 0, 0.0
        for n in names:
            shape = start[of[n].name].shape
            size = int(np.prod(shape))
            value = q[i : i + size].reshape(shape)
            if n in own:
                x, j = stick(value)
                jacobian += j
                value = model.rvs_to_transforms[model.values_to_rvs[of[n]]].forward(pt.as_tensor(x)).eval()
            elif own and of[n].name.endswith("_log__"):
                jacobian += value.sum()
            point[of[n].name], i = value, i + size
        yield float(logp(point)) + jacobian, None if own else np.asarray(slope(point)).ravel()


def compare(options, label, code, ham, data):
    model = build(code, data)
    size = sum(int(np.prod(v.shape)) for v in model.initial_point().values())
    random = np.random.default_rng(int(digest([], label), 16))
    at = [np.round(0.5 * random.standard_normal(size), 6) for _ in range(POINTS)]
    theirs = list(values(model, ham, at))
    work = options.work / "pymc"
    work.with_suffix(".ham").write_text(ham)
    work.with_suffix(".data.json").write_text(json.dumps(data))
    work.with_suffix(".at.json").write_text(json.dumps([{"q": q.tolist()} for q in at]))
    ours = json.loads(run(options.hamc, "log-prob", work.with_suffix(".ham"), "--at", work.with_suffix(".at.json"), "--evaluate"))
    offset = np.mean([o["log_density"] - lp for o, (lp, _) in zip(ours, theirs)])
    lp = max(error(o["log_density"], v + offset) for o, (v, _) in zip(ours, theirs))
    slopes = [error(o["gradient"], s) for o, (_, s) in zip(ours, theirs) if s is not None]
    return offset, lp, max(slopes) if slopes else None


def told(offset):
    """A constant in words."""
    halves = offset / np.log(2)
    if abs(offset) < 1e-10:
        return "0"
    return f"{round(halves)} log 2" if abs(halves - round(halves)) < 1e-10 else f"{offset:.6g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hamc", default="hamc")
    parser.add_argument("--work", type=Path, default=Path("/tmp/guide"))
    parser.add_argument("--table", type=Path, default=HERE / "guide_pymc.tsv", help="where to write")
    parser.add_argument("sections", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    pytensor.config.mode = "FAST_COMPILE"  # few points need no speed
    pytensor.config.cast_policy = "numpy+floatX"  # else constants such as sqrt(2) have single precision
    data = json.loads((HERE / "guide.json").read_text())["page"]
    (_, head, ham), *rest = pairs(PAGE, "python")
    sections = {}
    for section, code, h in rest:
        sections.setdefault(section, []).append((code, h))
    rows = {r[0]: r for r in (line.split("\t") for line in options.table.read_text().splitlines()[1:])} if options.table.exists() else {}
    for section, list_ in sections.items():
        if options.sections and section not in options.sections:
            continue
        found, failed = [], 0
        for i, (code, h) in enumerate(list_):
            try:
                found.append(compare(options, f"{section} {i + 1}", head + textwrap.indent(code, "    "), ham + h, data))
                print(section, i + 1, *found[-1], file=sys.stderr, flush=True)
            except Exception as e:  # one pair's trouble must not stop the others
                failed += 1
                print(section, i + 1, "failed:", re.sub(r"\s+", " ", str(e))[:600], file=sys.stderr, flush=True)
        texts = [head, *(code for code, _ in list_)]
        constants = [f"pair {i + 1}: {told(o)}" for i, (o, _, _) in enumerate(found) if told(o) != "0"]
        slopes = [s for _, _, s in found if s is not None]
        note = "; ".join([*constants, *(["one without gradient, since coordinates of simplexes differ"] if len(slopes) < len(found) else []),
                          *([f"{failed} failed"] if failed else [])])
        rows[section] = [section, str(len(list_)), digest(texts, ham + "".join(h for _, h in list_)), f"{max((lp for _, lp, _ in found), default=np.nan):.1e}", f"{max(slopes, default=np.nan):.1e}", note]
        head_ = ["section", "pairs", "digest", "density", "gradient", "note"]
        options.table.write_text("".join("\t".join(r) + "\n" for r in [head_, *(rows[x] for x in sections if x in rows)]))


if __name__ == "__main__":
    main()
