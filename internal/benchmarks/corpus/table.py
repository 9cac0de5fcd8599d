"""Renders the records that corpus.py writes as a table in Markdown, losses first."""

from math import exp, hypot, inf, log, sqrt
from statistics import NormalDist, mean, median, stdev

from candidates import CANDIDATES

RIVALS = ("stan", "nutpie")
MOST_RHAT = 1.01

# Quantiles 0.9 of Student's t, by degrees of freedom.
T90 = [0, 3.078, 1.886, 1.638, 1.533, 1.476, 1.440, 1.415, 1.397, 1.383, 1.372]


def merit(row):
    """Effective draws per CPU second: the lesser of bulk and tail, of the worst quantity."""
    return min(row["bulk"], row["tail"]) / row["cpu"]


def pooled(rows):
    """Of each moment: the mean over the seeds, and its standard error by those of the runs."""
    found = {}
    for key in rows[0]["moments"]:
        pairs = [row["moments"][key] for row in rows if key in row["moments"]]
        within = sqrt(sum(e**2 for _, e in pairs)) / len(pairs)
        found[key] = mean(x for x, _ in pairs), within
    return found


def differ(a, b):
    """Whether moments differ by more than chance explains: 0.1 % for a model."""
    keys = [key for key in a if key in b]
    if not keys:
        return False
    limit = NormalDist().inv_cdf(1 - 0.0005 / len(keys))
    return any(abs(a[k][0] - b[k][0]) > limit * hypot(a[k][1], b[k][1]) for k in keys)


class Entry:
    """What is known of a model."""

    def __init__(self, name, records, rivals, each_seed):
        """The others are the best right one of each seed, or the one that is best over all."""
        self.name, self.rivals, self.each_seed = name, rivals, each_seed
        self.rows, self.failed, reference = {}, {}, None
        for record in records:
            if record["who"] == "reference":
                reference = {k: tuple(v) for k, v in record["moments"].items()}
            elif "failed" in record:
                self.failed[record["who"]] = record["failed"].splitlines()[0] if record["failed"] else "failed"
            else:
                self.rows.setdefault(record["who"], []).append(record)
        self.moments = {who: pooled(rows) for who, rows in self.rows.items()}
        self.reference = reference
        self.wrong = {who for who in self.rows if who in self.failed or self.unmixed(who) or reference and differ(self.moments[who], reference)}
        self.ratio, self.low = self.compared()

    def unmixed(self, who):
        return median(row["rhat"] for row in self.rows[who]) > MOST_RHAT

    def compared(self):
        """The ratio of hamc to the best right one of the others: geometric mean and lower 90 % bound."""
        mine = {row["seed"]: merit(row) for row in self.rows.get("hamc", [])}
        right = [who for who in self.rivals if who in self.rows and who not in self.wrong]
        if right and not self.each_seed:
            right = [max(right, key=lambda who: mean(log(merit(row)) for row in self.rows[who]))]
        best = {}
        for who in right:
            for row in self.rows[who]:
                best[row["seed"]] = max(best.get(row["seed"], 0), merit(row))
        if not mine or not best:
            return (0, 0) if not mine else (inf, inf)
        logs = [log(mine[seed] / m) for seed, m in best.items() if seed in mine and m > 0]
        error = stdev(logs) / sqrt(len(logs)) if len(logs) > 1 else 0
        return exp(mean(logs)), exp(mean(logs) - T90[min(len(logs) - 1, 10)] * error)

    def lost(self):
        """Losses first: no right draws, then the ratio."""
        return ("hamc" not in self.wrong and "hamc" in self.rows, self.ratio)

    def cell(self, who):
        if who not in self.rows:
            return "–" if who not in self.failed else "failed"
        value = number(median(map(merit, self.rows[who])))
        return value + ("!" if who in self.wrong else "")

    def disagreement(self):
        names = [who for who in self.rows if self.reference and differ(self.moments[who], self.reference)]
        told = [f"{who} ≠ reference" for who in names]
        if not self.reference and "hamc" in self.rows:
            told = [f"hamc ≠ {who}" for who in RIVALS if who in self.rows and not self.unmixed(who) and differ(self.moments["hamc"], self.moments[who])]
        return ", ".join(told) or ("reference" if self.reference else "agree")

    def line(self):
        whos = ("hamc", *RIVALS)
        rhat = " / ".join(f"{median(r['rhat'] for r in self.rows[w]):.3f}" if w in self.rows else "–" for w in whos)
        divergent = " / ".join(f"{median(r['divergences'] for r in self.rows[w]):.0f}" if w in self.rows else "–" for w in whos)
        ratio = "no right rival" if self.ratio == inf else f"{number(self.ratio)} [{number(self.low)}]"
        seconds = number(median(r["cpu"] for r in self.rows["hamc"])) if "hamc" in self.rows else "–"
        return [self.name, *map(self.cell, whos), ratio, seconds, rhat, divergent, self.disagreement()]

    def beside(self):
        """The line of a table of candidates."""
        ratio = "no right candidate" if self.ratio == inf else f"{number(self.ratio)} [{number(self.low)}]"
        rhat = f"{median(r['rhat'] for r in self.rows['hamc']):.3f}" if "hamc" in self.rows else "–"
        return [self.name, self.cell("hamc"), *map(self.cell, self.rivals), ratio, rhat]


def number(x):
    """Three figures, or as many as the integer part has."""
    return f"{x:.0f}" if abs(x) >= 100 else f"{x:.3g}"


HEAD = ["posterior", "hamc", "stan", "nutpie", "ratio [90 %]", "hamc, CPU s", "R-hat", "divergent", "moments"]


def entries_of(records, rivals, each_seed):
    models = {}
    for record in records:
        models.setdefault(record["model"], []).append(record)
    return sorted((Entry(name, rows, rivals, each_seed) for name, rows in models.items()), key=Entry.lost)


def right(entries, who):
    return sum(who not in e.wrong and who in e.rows for e in entries)


def ratios(entries):
    """Those to a right one of the others, 0 where hamc is not right."""
    all_ = [e.ratio if "hamc" not in e.wrong else 0 for e in entries]
    return [r for r in all_ if r < inf]


def middle(x):
    return number(median(x)) if x else "–"


def markdown(head, rows):
    return ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]]


def shared(records):
    """Candidates with the same draws are the same work, and have the least of their CPU times: the differences are the machine's."""
    same = lambda r: (r["model"], r["seed"], r["bulk"], r["tail"], r["rhat"], r["steps"])
    least = {}
    for r in records:
        if "cpu" in r:
            least[same(r)] = min(least.get(same(r), inf), r["cpu"])
    return [r | {"cpu": least[same(r)]} if "cpu" in r else r for r in records]


def chosen(records):
    """What hamc chooses beside what can be fixed by hand."""
    entries = entries_of(shared(records), tuple(CANDIDATES), each_seed=False)
    lines = markdown(["posterior", "hamc", *CANDIDATES, "ratio [90 %]", "R-hat"], (e.beside() for e in entries))
    counted = ratios(entries)
    lines += ["", f"{len(entries)} posteriors. hamc is right in {right(entries, 'hamc')}. Against the best right candidate: "
              f"median ratio {middle(counted)}, at least 0.8 in {sum(r >= 0.8 for r in counted)} of {len(counted)}."]
    return "\n".join(lines)


def render(records):
    entries = entries_of(records, RIVALS, each_seed=True)
    lines = markdown(HEAD, (e.line() for e in entries))
    counted = ratios(entries)
    lines += ["", f"{len(entries)} posteriors. hamc is right in {right(entries, 'hamc')}, Stan in {right(entries, 'stan')}, nutpie in {right(entries, 'nutpie')}. "
              f"Against the best right rival, where there is one ({len(counted)}): median ratio {middle(counted)}, at least 1 in {sum(r >= 1 for r in counted)}."]
    for e in entries:
        lines += [f"- {e.name}: {who} failed: {why}" for who, why in e.failed.items()]
    return "\n".join(lines)
