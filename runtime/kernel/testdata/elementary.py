"""Writes elementary.txt: values of elementary functions to about 106 bits.

Each line is `function x hi lo`, hexadecimal floating-point numbers: x exact,
hi the float64 nearest to f(x), lo the float64 nearest to f(x) - hi.
"""
import random

from mpmath import exp, log, log1p, mp, mpf

mp.dps = 60
random.seed(1)
N = 400
uniform, gauss = random.uniform, random.gauss


def row(name, x, value):
    hi = float(value)
    return f"{name} {float(x).hex()} {hi.hex()} {float(value - mpf(hi)).hex()}\n"


with open("elementary.txt", "w") as out:
    xs = [uniform(-0.36, 0.36) for _ in range(N)]
    xs += [gauss(0, 5) for _ in range(N)]
    xs += [uniform(-708, 709) for _ in range(N)]
    xs += [k * 0.6931471805599453 / 2 for k in range(-41, 42, 2)]
    xs += [k * 0.6931471805599453 / 256 for k in range(-257, 258, 2)]  # ends of the reduced range
    xs += [0.0, 1e-300, -1e-300, 1e-20, 709.5, 709.78, -708.0, -708.3, 709.0]
    xs += [-709.0, -720.5, -741.3, -743.0, -744.4, -745.1]  # subnormal results
    for x in xs:
        out.write(row("exp", x, exp(mpf(x))))

    xs = [uniform(0.5, 2) for _ in range(N)]
    xs += [2 ** uniform(-1000, 1000) for _ in range(N)]
    xs += [1 + random.choice([-1, 1]) * 2 ** uniform(-50, -3) for _ in range(N)]
    xs += [1.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308, 0.5**0.5, 2**0.5]
    for x in xs:
        out.write(row("log", x, log(mpf(x))))

    xs = [uniform(-3, 3) for _ in range(N)]
    xs += [gauss(0, 12) for _ in range(N)]
    xs += [uniform(-707, 707) for _ in range(N)]
    xs += [0.0, 1e-300, -1e-300, 36.7, -36.7, -708.3, -709.9, -720.5, -740.0, 800.0]
    for x in xs:
        e = exp(-abs(mpf(x)))
        out.write(row("inv_logit", x, (1 if x >= 0 else e) / (1 + e)))
        out.write(row("log1p_exp", x, max(mpf(x), 0) + log1p(e)))

    xs = [uniform(-0.3, 0.45) for _ in range(N)]
    xs += [uniform(-1, 3) for _ in range(N)]
    xs += [random.choice([-1, 1]) * 2 ** uniform(-70, -1) for _ in range(N)]
    xs += [2 ** uniform(0, 1000) for _ in range(N)]
    xs += [-1 + 2 ** uniform(-53, -1) for _ in range(N)]
    xs += [0.0, 5e-324, -5e-324, 1e-310, -1e-310, 1e-300, -1e-300, -1 + 2**-53, 2.0**53, 2.0**54]
    xs += [8.9e307, 9e307, 1.7976931348623157e308, 2**0.5 - 1, 0.5**0.5 - 1]
    for x in xs:
        out.write(row("log1p", x, log1p(mpf(x))))
