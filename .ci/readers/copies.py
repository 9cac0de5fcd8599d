"""Makes the files that hamc itself does not write, or does not write yet.

copies.py RUN OUT makes directories in OUT. Most hold copies of the chains in RUN
with another header or other comments, which readers must take all the same:

  timed     elapsed times at the end, as CmdStan has them
  padded    numbers in the header with blanks after them
  metric    an inverse metric that is not all ones, and comments before it
  warmup    draws of the warm-up before the lines on adaptation

awkward has numbers that get lost easily, a matrix with its elements in the order
of hamc and another in Stan's, chains whose numbers have gaps, and one that hardly
began. long has a vector that is exported in several chunks, the last of which is
not full. Both are made from scratch.
"""

import math
import random
import re
import sys
from pathlib import Path

TIMES = "# \n#  Elapsed Time: 1 seconds (Warm-up)\n#                2 seconds (Sampling)\n#                3 seconds (Total)\n# \n"
ADAPTED = "# Adaptation terminated\n"


def timed(text):
    assert text.endswith("# \n# \n")
    return text.removesuffix("# \n# \n") + TIMES


def padded(text):
    text, n = re.subn(r"(num_samples|num_warmup|seed) = (\d+) *\n", lambda m: f"{m[1]} = {m[2]:20}\n", text)
    assert n == 3, n
    return text


def metric(text):
    text, n = re.subn(r"(inverse mass matrix:\n# )1, 1\n", r"\g<1>0.8123456789012345, 1.3e-05\n", text)
    assert n == 1, n
    return text.replace(ADAPTED, "# warmup windows = 75, 25, 50\n" + ADAPTED)


def warmup(text):
    # The draws stand before all that the warm-up came to.
    head, adapted, rest = re.split(r"((?:# \w+ = \S+\n)*" + ADAPTED + ")", text, maxsplit=1)
    if not adapted.startswith("# extra_doublings"):
        raise ValueError(adapted)
    rows = [line for line in rest.splitlines() if not line.startswith("#")]
    head = head.replace("save_warmup = 0", "save_warmup = 1")
    head, n = re.subn(r"num_warmup = \d+", "num_warmup = 20", head)
    assert n == 1, n
    return head + "".join(r + "\n" for r in rows[19::-1]) + adapted + rest


def awkward(out):
    rng = random.Random(1)
    special = [0.30000000000000004, 1e-320, sys.float_info.max, -0.0, 5e-324, -123456789.123456789, 1 + 2**-52]
    stats = "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__"
    rows = [f"byrow.{i}.{j}" for i in (1, 2) for j in (1, 2, 3)]
    cols = [f"bycol.{i}.{j}" for j in (1, 2, 3) for i in (1, 2)]
    out.mkdir()
    for number, draws in ((1, 40), (3, 38), (4, 2), (10, 40)):
        text = f"# model = awkward\n# method = sample\n#   sample\n#     num_samples = 40\n#     num_warmup = 10\n#     save_warmup = 0\n#     thin = 1\n"
        text += f"#     algorithm = hmc\n#       hmc\n#         engine = nuts\n#           nuts\n#             max_depth = 10\n#         metric = diag_e\n# id = {number}\n"
        text += ",".join([stats, "s"] + rows + cols + ["x.1"]) + "\n" + ADAPTED + "# Step size = 0.5\n# Diagonal elements of inverse mass matrix:\n# 1, 1\n"
        for d in range(draws):
            x = [rng.gauss(0, 1) for _ in range(14)]
            if d < len(special):
                x[d % 3] = special[d]
            if d == 7:
                x[13], x[12] = math.inf, -math.inf
            if d == 8:
                x[13] = math.nan
            text += ",".join(["-1.5", "0.25", "0.5", "0", str(rng.randrange(2**40)), str(d % 2), "2.5"] + [repr(v) for v in x]) + "\n"
        if draws == 40:
            text += TIMES
        (out / f"chain_{number}.csv").write_text(text)


def long(out):
    rng = random.Random(2)
    columns = [f"x.{i + 1}" for i in range(60_000)]
    out.mkdir()
    for number in (1, 2):
        text = ",".join(["lp__", "divergent__"] + columns) + "\n"
        for _ in range(12):
            text += "-1,0," + ",".join(str(rng.randrange(1000) / 8) for _ in columns) + "\n"
        (out / f"chain_{number}.csv").write_text(text + TIMES)


def main():
    run, out = Path(sys.argv[1]), Path(sys.argv[2])
    for change in (timed, padded, metric, warmup):
        (out / change.__name__).mkdir()
        for path in sorted(run.glob("chain_*.csv")):
            (out / change.__name__ / path.name).write_text(change(path.read_text()))
    awkward(out / "awkward")
    long(out / "long")


main()
