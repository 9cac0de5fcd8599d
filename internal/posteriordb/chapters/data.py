"""Makes the data of the models of this folder: synthetic, from a seed that the name gives.

python data.py [NAME …]
"""

import hashlib
import json
import math
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
MADE = {}


def made(f):
    MADE[f.__name__] = f
    return f


def plain(x):
    """What JSON holds, with numbers of six digits."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    if isinstance(x, np.ndarray):
        return plain(x.tolist())
    if isinstance(x, (bool, int, np.integer)):
        return int(x)
    return float(f"{x:.6g}")


def write(name):
    seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
    (HERE / "data" / f"{name}.json").write_text(json.dumps(plain(MADE[name](np.random.default_rng(seed)))) + "\n")


# Regression models


@made
def qr_regression(r):
    n, k = 24, 4
    x = r.normal(size=(n, k)) + r.normal(size=(n, 1))
    return {"n": n, "k": k, "x": x, "y": 1 + x @ [0.5, -1, 0.3, 0.8] + 0.7 * r.normal(size=n)}


@made
def graded_response(r):
    people, items, grades = 20, 5, 4
    skill, load = r.normal(size=people), r.lognormal(0, 0.3, items)
    cut = np.sort(r.normal(0, 1.2, (items, grades - 1)), axis=1)
    who, what = (a.ravel() for a in np.meshgrid(np.arange(people), np.arange(items), indexing="ij"))
    p = 1 / (1 + np.exp(-(load[what] * skill[who])[:, None] + cut[what]))
    grade = 1 + (r.uniform(size=len(who))[:, None] < p).sum(axis=1)
    return {"n": len(who), "people": people, "items": items, "grades": grades, "who": who + 1, "what": what + 1, "grade": grade}


@made
def multivariate_probit(r):
    n, d, k = 15, 3, 2
    x = np.c_[np.ones(n), r.normal(size=n)]
    z = x @ r.normal(0, 0.7, (k, d)) + r.multivariate_normal(np.zeros(d), 0.5 * np.eye(d) + 0.5, n)
    yes = (z > 0).astype(int)
    count = lambda k: np.cumsum(k.ravel()).reshape(k.shape)
    return {"n": n, "d": d, "k": k, "x": x, "yes": yes, "up": yes.sum(), "down": (1 - yes).sum(), "rank": np.where(yes, count(yes), count(1 - yes))}


@made
def group_slopes(r):
    n, groups, k, l = 40, 6, 3, 2
    x, u, g = r.normal(size=(n, k)), np.c_[np.ones(groups), r.normal(size=groups)], r.integers(1, groups + 1, n)
    b = u @ r.normal(size=(l, k)) + 0.5 * r.normal(size=(groups, k))
    p = 1 / (1 + np.exp(-(x * b[g - 1]).sum(axis=1)))
    return {"n": n, "groups": groups, "k": k, "l": l, "x": x, "u": u, "g": g, "hit": (r.uniform(size=n) < p).astype(int)}


@made
def r2d2(r):
    n, k = 30, 6
    x = r.normal(size=(n, k))
    return {"n": n, "k": k, "x": x, "y": x @ [1.5, 0, 0, -0.7, 0, 0] + r.normal(size=n)}


@made
def pooled_rates(r):
    J = 12
    trials = r.integers(10, 60, J)
    return {"J": J, "trials": trials, "hits": r.binomial(trials, r.beta(6, 18, J))}


@made
def pivot_categories(r):
    n, K, D = 30, 4, 3
    x = r.normal(size=(n, D))
    b = np.r_[np.zeros((1, D)), r.normal(size=(K - 1, D))]
    u = x @ b.T + r.gumbel(size=(n, K))
    return {"n": n, "K": K, "D": D, "x": x, "kind": 1 + u.argmax(axis=1)}


# Time series


@made
def covariance_of_each_group(r):
    n, J, K = 45, 3, 3
    g = np.arange(n) % J
    roots = [np.tril(r.normal(0, 0.5, (K, K))) + np.eye(K) * (0.5 + j) for j in range(J)]
    return {"n": n, "J": J, "K": K, "g": g + 1, "Y": [roots[j] @ r.normal(0, 1, K) + 0.5 * j for j in g]}


@made
def arch_lags(r):
    T, K = 40, 3
    e = np.zeros(T)
    for t in range(T):
        e[t] = np.sqrt(0.3 + sum(0.2 * e[t - k - 1] ** 2 for k in range(min(t, K)))) * r.normal()
    return {"T": T, "K": K, "r": 0.1 + e}


@made
def moving_average(r):
    T, e = 40, r.normal(size=42)
    return {"T": T, "Q": 2, "y": 0.5 + e[2:] + 0.6 * e[1:-1] - 0.3 * e[:-2]}


@made
def vector_autoregression(r):
    T, d = 25, 3
    A, y = np.array([[0.5, 0.1, 0], [0.2, 0.4, -0.2], [0, 0.1, 0.6]]), [r.normal(size=3)]
    while len(y) < T:
        y.append(A @ y[-1] + 0.5 * r.multivariate_normal(np.zeros(3), 0.6 * np.eye(3) + 0.4))
    return {"T": T, "d": d, "y": np.array(y)}


@made
def leverage(r):
    T, h, y = 30, 0.0, []
    for _ in range(T):
        e = r.normal()
        y.append(np.exp(h / 2) * e)
        h = 0.9 * h + 0.3 * (-0.5 * e + np.sqrt(0.75) * r.normal())
    return {"T": T, "y": y}


@made
def partly_labelled_states(r):
    T, K, s = 40, 3, [0]
    P = np.array([[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    while len(s) < T:
        s.append(r.choice(K, p=P[s[-1]]))
    s = np.array(s)
    return {"T": T, "K": K, "count": r.poisson(np.array([1, 5, 12])[s]), "label": np.where(r.uniform(size=T) < 0.25, s + 1, 0)}


@made
def local_trend(r):
    T, level, slope, y = 20, 0.0, 0.3, []
    for _ in range(T):
        y.append(level + 0.5 * r.normal())
        level, slope = level + slope + 0.3 * r.normal(), slope + 0.1 * r.normal()
    return {"T": T, "y": y, "obs": [y]}


@made
def switching_regimes(r):
    T, s, y = 40, 0, [0.0]
    while len(y) < T:
        s = s if r.uniform() < 0.9 else 1 - s
        y.append([0.2, -0.5][s] + [0.8, -0.3][s] * y[-1] + [0.4, 1.2][s] * r.normal())
    return {"T": T, "y": y}


# Missing data and partially known parameters


@made
def pairs_with_gaps(r):
    n = 24
    Y = np.c_[np.zeros(n), np.zeros(n)] + r.multivariate_normal([1, -1], [[1, 0.6], [0.6, 1.5]], n)
    has = np.where(r.uniform(size=n) < 0.6, 3, r.integers(1, 3, n))
    return {"n": n, "Y": np.where(np.c_[has % 2 == 1, has >= 2], Y, 0), "has": has}


@made
def factor_loadings(r):
    n, d, k = 20, 5, 2
    at = [[0] * k for _ in range(d)]
    count = 0
    for i in range(d):
        for j in range(min(i, k)):
            count += 1
            at[i][j] = count
    W = np.tril(r.normal(0, 0.7, (d, k)), -1) + np.eye(d, k)
    return {"n": n, "d": d, "k": k, "free": count, "at": at,
            "Y": r.normal(size=(n, k)) @ W.T + 0.5 * r.normal(size=(n, d))}


@made
def tall_factor(r):
    return {k: v for k, v in factor_loadings(r).items() if k in ("n", "d", "k", "Y", "at", "free")}


@made
def one_variance_known(r):
    n = 20
    return {"n": n, "Y": r.multivariate_normal([0, 0], [[4, 1.2], [1.2, 1]], n), "s1": 2.0}


@made
def impute_regression(r):
    n, k = 30, 3
    x = r.multivariate_normal(np.zeros(k), 0.5 * np.eye(k) + 0.5, n)
    y = x @ [1, -0.5, 0.2] + 0.5 * r.normal(size=n)
    gone = r.uniform(size=(n, k)) < 0.15
    which = np.where(gone, np.cumsum(gone.ravel()).reshape(gone.shape), 0)
    return {"n": n, "k": k, "x": np.where(gone, 0, x), "gaps": gone.sum(), "which": which, "y": y}


# Truncated or censored data


@made
def unknown_limits(r):
    z = r.normal(2, 1.5, 400)
    y = z[(z > 0.8) & (z < 4)][:30]
    return {"n": len(y), "y": y, "y_min": y.min(), "y_max": y.max()}


@made
def selection(r):
    n = 40
    x, w = r.normal(size=n), r.normal(size=n)
    u, e = r.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n).T
    chosen = (0.3 + w + u > 0).astype(int)
    return {"n": n, "x": x, "w": w, "chosen": chosen, "wage": np.where(chosen == 1, 1 + 0.5 * x + 0.8 * e, 0)}


@made
def interval_waits(r):
    n = 30
    t = 3 * r.weibull(1.5, n)
    lo = np.floor(t)
    kind = np.where(t > 5, 2, np.where(r.uniform(size=n) < 0.5, 3, 1))  # exact, beyond, between
    return {"n": n, "x": r.normal(size=n), "kind": kind, "from_": np.where(kind == 2, 5, np.where(kind == 3, lo + 0.01, t)), "to": np.where(kind == 3, lo + 1.01, 100)}


@made
def clipped_counts(r):
    z = r.poisson(5, 200)
    return {"n": 30, "lo": 3, "hi": 9, "y": z[(z >= 3) & (z <= 9)][:30]}


# Finite mixtures


@made
def shaped_clusters(r):
    n = 30
    k = r.integers(0, 2, n)
    return {"n": n, "d": 2, "Y": np.where(k[:, None] == 0, r.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], n), r.multivariate_normal([3, 1], [[0.5, -0.2], [-0.2, 0.5]], n))}


@made
def hurdle_visits(r):
    n, g = 40, 5
    group = r.integers(1, g + 1, n)
    x = r.normal(size=n)
    mu = np.exp(0.8 + 0.3 * x + 0.2 * r.normal(size=g)[group - 1])
    y = r.negative_binomial(2, 2 / (2 + mu))
    return {"n": n, "g": g, "group": group, "x": x, "visits": np.where(r.uniform(size=n) < 0.3, 0, y)}


@made
def gated_experts(r):
    n, K, d = 40, 3, 2
    x = np.c_[np.ones(n), r.uniform(-2, 2, n)]
    k = np.where(x[:, 1] < -0.5, 0, np.where(x[:, 1] < 1, 1, 2))
    return {"n": n, "K": K, "d": d, "x": x, "y": np.array([[1, 1], [-1, 0.5], [2, -1]])[k, 0] + np.array([1, 0.5, -1])[k] * x[:, 1] + 0.3 * r.normal(size=n)}


@made
def inflated_at_both_ends(r):
    n = 40
    y = r.beta(3, 2, n)
    u = r.uniform(size=n)
    kind = np.where(u < 0.15, 1, np.where(u > 0.9, 3, 2))
    return {"n": n, "x": r.normal(size=n), "share": np.where(kind == 2, y, kind == 3), "kind": kind}


# Measurement error and meta-analysis


@made
def errors_in_both(r):
    n = 20
    z = r.normal(5, 2, n)
    return {"n": n, "k": 2, "X": z[:, None] + 0.5 * r.normal(size=(n, 2)), "y": 1 + 0.7 * z + 0.3 * r.normal(size=n), "ratio": 1.5}


@made
def rounded_weights(r):
    return {"n": 25, "w": np.round(r.normal(4, 0.7, 25)), "x": r.normal(size=25)}


@made
def network_of_trials(r):
    S, arms, treatments = 10, 2, 4
    pairs = [sorted(r.choice(treatments, 2, replace=False) + 1) for _ in range(S)]
    study, treat, base, hits, size = [], [], [], [], []
    for s, (a, b) in enumerate(pairs):
        m = r.normal(-1, 0.3)
        for t in (a, b):
            N = int(r.integers(40, 120))
            study.append(s + 1), treat.append(t), base.append(a), size.append(N)
            hits.append(r.binomial(N, 1 / (1 + np.exp(-(m + 0.3 * (t - a))))))
    return {"n": len(study), "S": S, "treatments": treatments, "study": study, "treat": treat, "base": base, "size_": size, "hits": hits}


@made
def tests_and_truth(r):
    S = 8
    diseased, well = r.integers(20, 80, S), r.integers(30, 100, S)
    return {"S": S, "diseased": diseased, "well": well, "tp": r.binomial(diseased, 0.85), "tn": r.binomial(well, 0.9)}


# Latent discrete parameters


@made
def recaptures(r):
    n, T = 20, 6
    X = np.zeros((n, T), int)
    for i in range(n):
        f = r.integers(0, T - 1)
        X[i, f], alive = 1, True
        for t in range(f + 1, T):
            alive = alive and r.uniform() < 0.75
            X[i, t] = alive and r.uniform() < 0.5
    first, last = X.argmax(axis=1) + 1, T - X[:, ::-1].argmax(axis=1)
    return {"n": n, "T": T, "X": X, "first": first, "last": last}


@made
def arrivals_and_departures(r):
    M, T = 18, 5
    X = np.zeros((M, T), int)
    for i in range(11):
        a = r.integers(0, T)
        alive = True
        for t in range(a, T):
            X[i, t] = alive and r.uniform() < 0.6
            alive = alive and r.uniform() < 0.8
    return {"M": M, "T": T, "X": X}


@made
def raters(r):
    I, J, K = 15, 4, 3
    z = r.integers(0, K, I)
    item, coder = (a.ravel() + 1 for a in np.meshgrid(np.arange(I), np.arange(J), indexing="ij"))
    rating = [z[i - 1] + 1 if r.uniform() < 0.7 else r.integers(1, K + 1) for i in item]
    return {"n": I * J, "I": I, "J": J, "K": K, "item": item, "coder": coder, "rating": rating, "conc": np.ones((K, K)) + 2 * np.eye(K)}


@made
def two_changes(r):
    T = 20
    return {"T": T, "y": r.poisson(np.r_[np.full(6, 6), np.full(8, 2), np.full(6, 9)])}


@made
def abundance(r):
    R, V = 10, 3
    N = r.poisson(6, R)
    return {"R": R, "V": V, "y": r.binomial(N[:, None], 0.4, (R, V)), "K": 30}


@made
def overlooked(r):
    R, V = 20, 3
    x = r.normal(size=R)
    there = r.uniform(size=R) < 1 / (1 + np.exp(-x))
    return {"R": R, "V": V, "x": x, "w": r.normal(size=(R, V)), "seen": (there[:, None] & (r.uniform(size=(R, V)) < 0.4)).astype(int)}


# Sparse and ragged data structures


@made
def sparse_rows(r):
    n, k = 20, 12
    X = np.where(r.uniform(size=(n, k)) < 0.2, np.round(r.normal(size=(n, k)), 2), 0)
    rows, columns = np.nonzero(X)
    return {"n": n, "k": k, "nz": len(rows), "w": X[rows, columns], "row": rows + 1, "col": columns + 1,
            "start": np.r_[0, np.cumsum((X != 0).sum(axis=1))] + 1, "y": r.poisson(np.exp(0.5 + X @ r.normal(0, 0.4, k)))}


@made
def ragged_paths(r):
    lengths = r.integers(3, 9, 6)
    first = np.r_[1, 1 + np.cumsum(lengths)[:-1]]
    t = np.concatenate([np.sort(r.uniform(0, 5, m)) for m in lengths])
    return {"n": lengths.sum(), "J": 6, "length": lengths, "first": first, "last": first + lengths - 1, "g": np.repeat(np.arange(1, 7), lengths),
            "t": t, "y": np.sin(t) + 0.3 * r.normal(size=len(t)), "counts": r.poisson(4, len(t))}


# Clustering models


@made
def soft_clusters(r):
    c = np.array([[0, 0], [3, 0], [0, 3]])
    return {"n": 24, "d": 2, "K": 3, "Y": c[r.integers(0, 3, 24)] + r.normal(size=(24, 2))}


@made
def bayes_of_documents(r):
    M, V, K, N = 12, 8, 3, 90
    phi = r.dirichlet(np.full(V, 0.5), K)
    z, doc = r.integers(0, K, M), r.integers(0, M, N)
    return {"M": M, "V": V, "K": K, "N": N, "doc": doc + 1, "word": [r.choice(V, p=phi[z[d]]) + 1 for d in doc],
            "topic": np.where(r.uniform(size=M) < 0.4, z + 1, 0), "alpha": np.full(K, 1.5), "beta": np.full(V, 0.8)}


@made
def correlated_topics(r):
    M, V, K, N = 8, 7, 3, 80
    phi = r.dirichlet(np.full(V, 0.5), K)
    eta = np.exp(r.normal(size=(M, K)))
    doc = r.integers(0, M, N)
    return {"M": M, "V": V, "K": K, "N": N, "doc": doc + 1, "word": [r.choice(V, p=phi[r.choice(K, p=eta[d] / eta[d].sum())]) + 1 for d in doc]}


# Gaussian processes


@made
def relevance(r):
    n, d = 18, 3
    x = r.uniform(-2, 2, (n, d))
    return {"n": n, "d": d, "x": x, "y": np.sin(x[:, 0]) + 0.3 * x[:, 1] + 0.1 * r.normal(size=n)}


@made
def seasons_and_trend(r):
    t = np.arange(1, 25)
    return {"n": 24, "t": t, "cases": r.poisson(np.exp(1 + 0.6 * np.sin(2 * np.pi * t / 12) + 0.02 * t)), "period": 12.0}


@made
def several_outputs(r):
    n, d = 12, 3
    x = np.sort(r.uniform(0, 5, n))
    return {"n": n, "d": d, "x": x, "Y": np.c_[np.sin(x), np.cos(x), np.sin(x) - 0.5] + 0.2 * r.normal(size=(n, d))}


@made
def votes_on_a_plane(r):
    n = 16
    x = r.uniform(0, 3, (n, 2))
    return {"n": n, "x": x, "yes": (r.uniform(size=n) < 1 / (1 + np.exp(-2 * np.sin(2 * x[:, 0])))).astype(int)}


@made
def heavy_process(r):
    n = 16
    x = np.sort(r.uniform(0, 6, n))
    return {"n": n, "x": x, "y": np.where(x > 3, 1.0, 0) + 0.2 * r.standard_t(3, n)}


# Directions, rotations, and hyperspheres


@made
def wind(r):
    n = 30
    x = r.normal(size=n)
    return {"n": n, "x": x, "angle": r.vonmises(0.8 + 0.5 * x, 3), "nodes": 64}


@made
def landmarks(r):
    n = 8
    a = r.normal(size=(n, 3))
    q = np.array([0.8, 0.2, -0.4, 0.4])
    w, x, y, z = q / np.sqrt(q @ q)
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    return {"n": n, "a": a, "b": a @ R.T + 0.1 * r.normal(size=(n, 3))}


@made
def poles(r):
    n = 24
    v = r.normal(size=(n, 3)) * 0.4 + np.where(r.uniform(size=n) < 0.6, 1, -1)[:, None] * np.array([0.3, 0.5, 0.8])
    return {"n": n, "v": v / np.linalg.norm(v, axis=1)[:, None]}


# Solving algebraic equations


@made
def orbit(r):
    t = np.sort(r.uniform(0, 10, 25))
    M, e = 2 * np.pi * t / 4 - 0.5, 0.4
    E = M
    for _ in range(50):
        E = E - (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
    return {"n": 25, "t": t, "v": 3 * (1 - e * e) ** 0.5 * np.cos(E) / (1 - e * np.cos(E)) + 0.2 * r.normal(size=25)}


@made
def equilibrium(r):
    n = 12
    A, B = r.uniform(0.5, 3, n), r.uniform(0.5, 3, n)
    K1, K2 = 2.0, 0.8
    a, b = A / 2, B / 2
    for _ in range(200):  # a + K1 a b + K2 a^2 = A, b + K1 a b = B
        b = B / (1 + K1 * a)
        a = 2 * A / (1 + K1 * b + np.sqrt((1 + K1 * b) ** 2 + 4 * K2 * A))
    return {"n": n, "A": A, "B": B, "signal": K1 * a * b * np.exp(0.1 * r.normal(size=n)), "a0": A / 2, "b0": B / 2}


# Differential equations


@made
def seen_from_later(r):
    t = np.arange(1, 13) * 0.5
    v = 1.5 * np.exp(-0.1 * t) * np.cos(1.8 * t + 0.4)
    return {"n": 12, "t": t, "y": v + 0.1 * r.normal(size=12)}


@made
def doses(r):
    n = 6
    t = np.array([0.5, 1, 2, 3, 4, 6])
    return {"n": n, "t1": t, "t2": t + 6, "c1": 2 * np.exp(-0.3 * t) * np.exp(0.1 * r.normal(size=n)), "c2": 2.5 * np.exp(-0.3 * t) * np.exp(0.1 * r.normal(size=n)), "D": [3.0, 2.0]}


@made
def outbreak(r):
    t = np.arange(1, 13) * 3.0
    return {"n": 12, "t": t, "cases": r.poisson(60 * np.exp(-0.5 * ((t - 18) / 6) ** 2) + 2), "N": 1000.0}


@made
def doses_of_subjects(r):
    n, T = 6, 5
    t = np.sort(r.uniform(0.5, 4, size=(n, T)), axis=1).round(2)
    t[3, 4] = t[3, 3]  # one time fewer
    dose = r.uniform(200, 400, size=n).round()
    ka, ke, V = 1.1, np.exp(-2 + 0.3 * r.normal(size=n)), np.exp(2.5 + 0.2 * r.normal(size=n))
    seen = [(i, k) for i in range(n) for k in range(T) if (i, k) != (3, 4)]
    c = [dose[i] * ka / (ka - ke[i]) * (np.exp(-ke[i] * t[i, k]) - np.exp(-ka * t[i, k])) / V[i] * np.exp(0.1 * r.normal()) for i, k in seen]
    return {"n": n, "T": T, "t": t, "dose": dose, "N": len(seen), "subject": [i + 1 for i, _ in seen], "place": [k + 1 for _, k in seen], "c": np.array(c)}


@made
def stiff_reaction(r):
    t = np.array([0.1, 0.5, 1, 2, 4, 7, 10])
    return {"n": 7, "t": t, "y": np.exp(-0.04 * t) * np.exp(0.02 * r.normal(size=7))}


# One-dimensional integrals


@made
def averaged_counts(r):
    return {"n": 15, "y": r.poisson(np.exp(1 + 0.6 * r.normal(size=15)))}



# Complex numbers


@made
def spectrum(r):
    T, y = 32, [0.0, 0.0]
    while len(y) < T:
        y.append(1.2 * y[-1] - 0.7 * y[-2] + r.normal())
    return {"T": T, "y": y, "F": 15}


@made
def damped_roots(r):
    T, y = 30, [0.5, 1.0]
    while len(y) < T:
        y.append(2 * 0.85 * np.cos(0.9) * y[-1] - 0.85**2 * y[-2] + 0.4 * r.normal())
    return {"T": T, "y": y}


# Differential-algebraic equations


@made
def quick_equilibrium(r):
    t = np.arange(1, 9) * 0.7
    return {"n": 8, "t": t, "y": 2 * np.exp(-0.3 * t) * np.exp(0.05 * r.normal(size=8))}


# Survival models


@made
def hazards_with_ties(r):
    n = 24
    x = r.normal(size=(n, 2))
    t = np.ceil(3 * r.exponential(np.exp(-x @ [0.7, -0.4])))
    event = (r.uniform(size=n) < 0.75).astype(int)
    order = np.lexsort((-event, t))
    t, event, x = t[order], event[order], x[order]
    first = np.searchsorted(t, t) + 1  # the first with the same time: all from there on are at risk
    rank = np.array([(event[:i] * (t[:i] == t[i])).sum() for i in range(n)])  # events of the same time before it
    ties = np.array([(event * (t == t[i])).sum() for i in range(n)])
    last = np.searchsorted(t, t, side="right")
    return {"n": n, "k": 2, "x": x, "event": event, "first": first, "last": last, "part": rank / np.maximum(ties, 1)}


@made
def frail_families(r):
    J, n = 8, 30
    g, x = r.integers(1, J + 1, n), r.normal(size=n)
    z = r.gamma(2, 0.5, J)
    t = (r.exponential(size=n) / (0.3 * z[g - 1] * np.exp(0.5 * x))) ** (1 / 1.3)
    late = r.uniform(0, 0.5, n)
    return {"n": n, "J": J, "g": g, "x": x, "entry": np.minimum(late, t / 2), "t": np.minimum(t, 5), "gone": (t < 5).astype(int)}


@made
def stepwise_hazard(r):
    n, K = 25, 4
    t = r.exponential(2, n)
    return {"n": n, "K": K, "cut": [0, 0.5, 1, 2, 100], "x": r.normal(size=n), "t": np.minimum(t, 4), "gone": (t < 4).astype(int)}


@made
def cured(r):
    n = 30
    x = r.normal(size=n)
    well = r.uniform(size=n) < 1 / (1 + np.exp(-x))
    t = 2 * r.lognormal(0, 0.6, n)
    gone = (~well & (t < 6)).astype(int)
    return {"n": n, "x": x, "t": np.where(gone == 1, t, 6), "gone": gone}


# Spatial models, and what is about programs


@made
def proper_field(r):
    side = 4
    n = side * side
    at = lambda i, j: i * side + j
    W = np.zeros((n, n), int)
    for i in range(side):
        for j in range(side):
            for a, b in ((i + 1, j), (i, j + 1)):
                if a < side and b < side:
                    W[at(i, j), at(a, b)] = W[at(a, b), at(i, j)] = 1
    return {"n": n, "W": W, "expected": r.uniform(3, 10, n), "cases": r.poisson(6, n)}


@made
def far_tails(r):
    n = 20
    return {"n": n, "x": 40 * r.normal(size=n), "hit": r.integers(0, 2, n), "m": r.integers(5, 10, n), "k": r.integers(0, 5, n)}


@made
def crossed_cells(r):
    n, A, B = 40, 5, 4
    return {"n": n, "A": A, "B": B, "a": r.integers(1, A + 1, n), "b": r.integers(1, B + 1, n), "y": r.normal(size=n), "P": 7, "pa": r.integers(1, A + 1, 7), "pb": r.integers(1, B + 1, 7), "total": r.normal(size=7)}


@made
def splines(r):
    n, k = 30, 6
    x = np.sort(r.uniform(0, 1, n))
    return {"n": n, "k": k, "x": x, "t": [0, 0, 0, 0, 1 / 3, 2 / 3, 1, 1, 1, 1], "y": np.sin(6 * x) + 0.2 * r.normal(size=n)}


@made
def dispersed_counts(r):
    return {"n": 25, "x": r.normal(size=25), "y": r.poisson(3, 25), "top": 60}


@made
def exceedances(r):
    u = r.uniform(size=30)
    return {"n": 30, "x": 1.0 * (u ** -0.3 - 1) / 0.3, "x_max": 1.0 * (u.min() ** -0.3 - 1) / 0.3}


@made
def cut_prior(r):
    n, K = 30, 4
    return {"n": n, "K": K, "x": r.normal(size=n), "answer": r.integers(1, K + 1, n), "alpha": [2.0, 3.0, 3.0, 2.0]}


@made
def bounds_of_each(r):
    n = 10
    lo = r.normal(size=n)
    return {"n": n, "lo": lo, "hi": lo + r.uniform(0.5, 2, n), "y": lo + 0.5 + 0.2 * r.normal(size=n)}


@made
def heavy_by_hand(r):
    return {"n": 20, "y": 1 + r.standard_t(3, 20)}


@made
def two_scales(r):
    n = 20
    x = r.normal(size=n)
    return {"n": n, "x1": x, "x2": x + 0.01 * r.normal(size=n), "hit": r.integers(0, 2, n), "J": 5, "g": r.integers(1, 6, n)}


@made
def paired_contests(r):
    K, n = 6, 60
    skill = r.normal(size=K)
    pairs = np.array([r.choice(K, 2, replace=False) for _ in range(n)])
    lead = 0.3 + skill[pairs[:, 0]] - skill[pairs[:, 1]] + r.logistic(size=n)
    return {"K": K, "n": n, "home": pairs[:, 0] + 1, "away": pairs[:, 1] + 1, "result": 1 + (lead > -0.5).astype(int) + (lead > 0.5)}


@made
def polls(r):
    n, ages, states, regions = 40, 4, 6, 2
    return {"n": n, "ages": ages, "states": states, "regions": regions, "region": r.integers(1, regions + 1, states), "age": r.integers(1, ages + 1, n),
            "state": r.integers(1, states + 1, n), "yes": r.integers(0, 2, n), "cells": ages * states, "share": r.dirichlet(np.ones(ages * states)),
            "cell_age": np.repeat(np.arange(1, ages + 1), states), "cell_state": np.tile(np.arange(1, states + 1), ages)}


# Others, by the constructs that they need


@made
def gamma_waits(r):
    t = r.gamma(2.5, 1.2, 25)
    return {"n": 25, "x": r.normal(size=25), "t": np.minimum(t, 4), "gone": (t < 4).astype(int)}


@made
def joined_margins(r):
    z = r.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 20)
    u = np.array([[0.5 * (1 + math.erf(v / math.sqrt(2))) for v in row] for row in z])
    return {"n": 20, "x": 2 * (-np.log1p(-u[:, 0])) ** (1 / 1.4), "y": 1 + np.log(u[:, 1] / (1 - u[:, 1]))}


@made
def stages_of_illness(r):
    gaps = np.array([0.5, 1.0, 1.5, 2.0, 3.0])
    n = 40
    before = r.integers(1, 3, n)
    after = np.minimum(3, before + r.integers(0, 3, n))
    return {"n": n, "m": 5, "gap": gaps, "which": r.integers(1, 6, n), "before": before, "after": after}


@made
def shares_of_counts(r):
    n, K = 14, 4
    x = r.normal(size=n)
    a = np.exp(0.5 + np.outer(x, [0.5, -0.3, 0, 0.2]))
    return {"n": n, "K": K, "x": x, "counts": np.array([r.multinomial(40, r.dirichlet(row)) for row in a])}


@made
def compositions(r):
    n, K = 16, 3
    x = r.normal(size=n)
    Y = np.array([r.dirichlet(6 * np.exp([0.3 * v, 0, -0.4 * v])) for v in x])
    return {"n": n, "K": K, "x": x, "Y": np.round(Y, 4) + (1 - np.round(Y, 4).sum(axis=1))[:, None] * np.eye(K)[0]}


@made
def rankings(r):
    n, K = 12, 5
    return {"n": n, "K": K, "order": np.array([np.argsort(-(np.arange(K) * 0.5 + r.gumbel(size=K))) + 1 for _ in range(n)])}


@made
def simultaneous_field(r):
    n = 15
    W = np.zeros((n, n))
    for i in range(n):
        near = [j for j in (i - 2, i - 1, i + 1) if 0 <= j < n]
        W[i, near] = 1 / len(near)
    x = r.normal(size=n)
    return {"n": n, "W": W, "x": x, "y": np.linalg.solve(np.eye(n) - 0.4 * W, 1 + 0.5 * x + 0.4 * r.normal(size=n))}


@made
def self_exciting(r):
    t, now = [], 0.0
    while len(t) < 40:
        rate = 1 + 0.8 * sum(np.exp(-2 * (now - s)) for s in t) + 0.8
        now += r.exponential(1 / rate)
        if r.uniform() * rate < 1 + 0.8 * sum(np.exp(-2 * (now - s)) for s in t):
            t.append(now)
    return {"n": 40, "t": t, "end": t[-1] + 0.3}


@made
def irregular_times(r):
    n = 30
    t = np.cumsum(r.exponential(0.5, n))
    x = [r.normal()]
    for d in np.diff(t):
        k = np.exp(-d / 2)
        x.append(k * x[-1] + np.sqrt(1 - k * k) * r.normal())
    return {"n": n, "t": t, "y": r.poisson(np.exp(1 + 0.7 * np.array(x)))}


@made
def path_model(r):
    n, d = 25, 4
    B = np.tril(r.normal(0, 0.5, (d, d)), -1)
    return {"n": n, "d": d, "free": d * (d - 1) // 2, "Y": np.linalg.solve(np.eye(d) - B, 0.7 * r.normal(size=(d, n))).T}


@made
def steps_of_income(r):
    n, K = 30, 4
    x = r.integers(0, K + 1, n)
    climb = 2 * np.array([0, 0.5, 0.6, 0.9, 1])[x]
    return {"n": n, "K": K, "x": x, "y": 1 + climb + 0.5 * r.normal(size=n), "hit": (r.uniform(size=n) < 1 / (1 + np.exp(1 - climb))).astype(int)}


@made
def drifting_coefficients(r):
    T, K = 30, 2
    X = np.c_[np.ones(T), r.normal(size=T)]
    b = np.cumsum(0.2 * r.normal(size=(T, K)), axis=0) + [1, 0.5]
    return {"T": T, "K": K, "X": X, "y": (X * b).sum(axis=1) + 0.5 * r.normal(size=T)}


@made
def covariances_in_time(r):
    T = 30
    return {"T": T, "Y": 0.8 * r.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]], T)}


@made
def shared_goals(r):
    n = 25
    both = r.poisson(0.4, n)
    return {"n": n, "x": both + r.poisson(1.2, n), "y": both + r.poisson(0.9, n), "most": 12}


@made
def age_groups(r):
    t = np.arange(1, 9) * 2.0
    I = np.exp(-0.5 * ((t - 9) / 4) ** 2)
    return {"n": 8, "t": t, "y1": r.poisson(1 + 20 * I), "y2": r.poisson(1 + 12 * I), "N": [1.0, 0.6], "scale": 200.0}


if __name__ == "__main__":
    for each in sys.argv[1:] or MADE:
        write(each)
