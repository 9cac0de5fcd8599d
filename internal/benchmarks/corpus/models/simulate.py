#!/usr/bin/env python3
"""Simulates the data of the everyday models: NAME/NAME.data.json, for every function NAME below.

    simulate.py [NAME ...]     all of them, or those that are named

Each has a generator of its own, seeded by its name, so that one may be changed without the others. Needs numpy.
"""
import json
import sys
import zlib
from pathlib import Path

import numpy as np

MODELS = {}


def model(f):
    MODELS[f.__name__] = f
    return f


def plain(x):
    """As JSON has it: whole numbers as they are, others with 4 significant digits."""
    if isinstance(x, (list, tuple, np.ndarray)):
        return [plain(e) for e in x]
    if isinstance(x, (bool, np.bool_, int, np.integer)):
        return int(x)
    return float(f"{x:.4g}")


def inv_logit(x):
    return 1 / (1 + np.exp(-x))


def standardised(x):
    return (x - x.mean()) / x.std()


@model
def bird_counts(r):
    S, V = 40, 6
    site = np.repeat(np.arange(S), V)
    forest = r.uniform(-1.5, 1.5, S)
    wind = r.normal(0, 1, S * V)
    a = r.normal(0.8, 0.6, S)
    y = r.poisson(np.exp(a[site] + 0.5 * forest[site] - 0.25 * wind))
    return dict(N=S * V, S=S, site=site + 1, forest=forest[site], wind=wind, y=y)


@model
def multicentre_trial(r):
    C = 22
    n = r.integers(15, 90, (2, C))
    a = r.normal(-1.4, 0.7, C)
    d = r.normal(-0.45, 0.35, C)
    return dict(C=C, n_control=n[0], n_treated=n[1], control=r.binomial(n[0], inv_logit(a)),
                treated=r.binomial(n[1], inv_logit(a + d)))


@model
def er_visits(r):
    H, W = 12, 26
    hospital = np.repeat(np.arange(H), W)
    cold = np.tile(np.sin(np.arange(W) / W * 2 * np.pi), H) + r.normal(0, 0.4, H * W)
    a = r.normal(3.2, 0.5, H)
    mu = np.exp(a[hospital] + 0.2 * cold)
    y = r.poisson(mu * r.gamma(6, 1 / 6, H * W))
    return dict(N=H * W, H=H, hospital=hospital + 1, cold=cold, y=y)


@model
def emax_dose(r):
    dose = np.repeat([5, 10, 25, 50, 100, 200], 12).astype(float)
    mu = 2 + 14 * dose**1.6 / (40**1.6 + dose**1.6)
    return dict(N=len(dose), P=14, dose=dose, response=r.normal(mu, 3), placebo=r.normal(2, 3, 14))


@model
def enzyme_kinetics(r):
    J, c = 9, np.array([0.2, 0.5, 1, 2, 4, 8, 16])
    prep = np.repeat(np.arange(J), len(c))
    s = np.tile(c, J)
    vmax = 12 * np.exp(r.normal(0, 0.25, J))
    km = 2.2 * np.exp(r.normal(0, 0.35, J))
    rate = vmax[prep] * s / (km[prep] + s) * np.exp(r.normal(0, 0.07, len(s)))
    return dict(N=len(s), J=J, prep=prep + 1, s=s, rate=rate)


@model
def bearing_life(r):
    N = 90
    load = r.uniform(-1, 1, N)
    t = np.exp(2.3 - 0.8 * load) * r.weibull(1.7, N)
    end = 14.0
    return dict(N=N, load=load, failed=(t < end).astype(int), t=np.minimum(t, end))


@model
def exchange_rate(r):
    T, mu, phi, sigma = 1000, -0.9, 0.97, 0.18
    h = np.empty(T)
    h[0] = mu + r.normal(0, sigma / np.sqrt(1 - phi**2))
    for t in range(1, T):
        h[t] = mu + phi * (h[t - 1] - mu) + r.normal(0, sigma)
    return dict(T=T, y=np.exp(h / 2) * r.normal(0, 1, T))


@model
def unemployment(r):
    T = 160
    y = np.zeros(T)
    y[:2] = 5.4, 5.5
    for t in range(2, T):
        y[t] = 5.5 + 1.35 * (y[t - 1] - 5.5) - 0.42 * (y[t - 2] - 5.5) + r.normal(0, 0.22)
    return dict(T=T, y=y)


@model
def weekly_cases(r):
    T = 104
    x = 2.5 + np.cumsum(r.normal(0, 0.15, T))
    return dict(T=T, cases=r.poisson(np.exp(x)))


@model
def reading_test(r):
    P, I = 120, 18
    person, item = np.divmod(np.arange(P * I), I)
    kept = r.uniform(size=P * I) < 0.7
    person, item = person[kept], item[kept]
    theta, a, b = r.normal(0, 1, P), np.exp(r.normal(0.1, 0.35, I)), r.normal(-0.3, 1, I)
    y = r.binomial(1, inv_logit(a[item] * (theta[person] - b[item])))
    return dict(N=len(y), P=P, I=I, person=person + 1, item=item + 1, y=y)


@model
def meta_analysis(r):
    J = 16
    se = r.uniform(0.1, 0.45, J)
    theta = 0.3 + 0.15 * r.standard_t(4, J)
    return dict(J=J, effect=r.normal(theta, se), se=se)


@model
def sleep_reaction(r):
    J, D = 18, 10
    subject, day = np.divmod(np.arange(J * D), D)
    z = r.normal(0, 1, (2, J))
    a = 251 + 25 * z[0]
    b = 10.4 + 6 * (0.3 * z[0] + np.sqrt(1 - 0.3**2) * z[1])
    y = r.normal(a[subject] + b[subject] * day, 25)
    return dict(N=J * D, J=J, subject=subject + 1, day=day.astype(float), reaction=y)


@model
def lexical_decision(r):
    S, W = 30, 45
    subject, word = np.divmod(np.arange(S * W), W)
    kept = r.uniform(size=S * W) < 0.5
    subject, word = subject[kept], word[kept]
    freq = standardised(r.normal(0, 1, W))
    u, w = r.normal(0, 0.16, S), r.normal(0, 0.07, W)
    y = r.normal(6.4 + u[subject] + w[word] - 0.06 * freq[word], 0.25)
    return dict(N=len(y), S=S, W=W, subject=subject + 1, word=word + 1, freq=freq, log_rt=y)


@model
def hubble_robust(r):
    N = 80
    distance = r.uniform(0.1, 2.5, N)
    v = 70 * distance + r.normal(0, 10, N)
    v[::11] += 12 * r.standard_t(1.5, len(v[::11])) + 60
    return dict(N=N, distance=distance, velocity=v)


@model
def snp_horseshoe(r):
    N, K = 150, 30
    freq = r.uniform(0.15, 0.5, K)
    x = standardised(r.binomial(2, freq, (N, K)))
    b = np.zeros(K)
    b[[3, 11, 20]] = 1.2, -0.8, 0.5
    return dict(N=N, K=K, x=x, y=r.normal(1 + x @ b, 1))


@model
def ozone_gp(r):
    N = 70
    x = np.sort(r.uniform(0, 10, N))
    d = np.abs(x[:, None] - x[None, :]) / 1.3
    K = (1 + np.sqrt(3) * d) * np.exp(-np.sqrt(3) * d)
    f = np.linalg.cholesky(0.8**2 * K + 1e-9 * np.eye(N)) @ r.normal(0, 1, N)
    return dict(N=N, x=x, y=r.normal(3 + 0.1 * x + f, 0.3))


@model
def tree_growth(r):
    J, ages = 12, np.array([4, 8, 13, 18, 24, 30, 38])
    tree = np.repeat(np.arange(J), len(ages))
    age = np.tile(ages, J).astype(float)
    top, mid = r.normal(60, 9, J), r.normal(15, 1.8, J)
    y = top[tree] / (1 + np.exp(-(age - mid[tree]) / 5.5))
    return dict(N=len(age), J=J, tree=tree + 1, age=age, girth=r.normal(y, 1.6))


@model
def frog_occupancy(r):
    S, V = 80, 5
    wet = r.normal(0, 1, S)
    warm = r.normal(0, 1, (S, V))
    there = r.uniform(size=S) < inv_logit(0.3 + 1.1 * wet)
    y = (r.uniform(size=(S, V)) < inv_logit(-0.7 + 0.6 * warm)) & there[:, None]
    return dict(S=S, V=V, wet=wet, warm=warm, y=y.astype(int), seen=y.any(1).astype(int))


@model
def insurance_claims(r):
    N = 400
    age, years = r.normal(0, 1, N), r.uniform(0.3, 1, N)
    none = r.uniform(size=N) < 0.35
    y = np.where(none, 0, r.poisson(years * np.exp(0.5 - 0.4 * age)))
    return dict(N=N, age=age, years=years, y=y, zero=(y == 0).astype(int))


@model
def salt_pressure(r):
    N, R = 60, 2
    salt = r.normal(9, 2, N)
    return dict(N=N, R=R, measured=r.normal(salt[:, None], 1.6, (N, R)), pressure=r.normal(105 + 2.2 * salt, 7))


@model
def food_spending(r):
    N = 235
    income = np.exp(r.normal(0, 0.5, N))
    return dict(N=N, income=income, food=r.normal(1.2 + 4.5 * income, np.exp(-0.6 + 0.9 * np.log(income))))


@model
def tennis_ranking(r):
    P, M = 24, 220
    skill = r.normal(0, 1, P)
    pairs = np.array([r.choice(P, 2, replace=False) for _ in range(M)])
    first = r.uniform(size=M) < inv_logit(0.15 + skill[pairs[:, 0]] - skill[pairs[:, 1]])
    return dict(M=M, P=P, home=pairs[:, 0] + 1, away=pairs[:, 1] + 1, home_won=first.astype(int))


@model
def trade_gravity(r):
    C = 18
    o, d = np.divmod(np.arange(C * C), C)
    o, d = o[o != d], d[o != d]
    gdp, at = r.normal(5, 1.2, C), r.uniform(0, 10, (C, 2))
    dist = np.log(np.linalg.norm(at[o] - at[d], axis=1))
    border = (dist < np.log(2)).astype(int)
    u, v = r.normal(0, 0.4, C), r.normal(0, 0.3, C)
    y = -4 + 0.9 * gdp[o] + 0.8 * gdp[d] - 1.1 * dist + 0.5 * border + u[o] + v[d] + r.normal(0, 0.6, len(o))
    return dict(N=len(o), C=C, origin=o + 1, destination=d + 1, log_gdp=gdp, log_dist=dist, border=border, log_trade=y)


@model
def flu_school(r):
    N, T, beta, gamma = 763, 14, 1.75, 0.46
    s, i, steps, sick = N - 2.0, 2.0, 1000, []
    for t in range(T * steps):
        new, well = beta * s * i / N / steps, gamma * i / steps
        s, i = s - new, i + new - well
        if (t + 1) % steps == 0:
            sick.append(i)
    return dict(T=T, t=np.arange(1, T + 1).astype(float), pupils=float(N), in_bed=r.poisson(sick))


@model
def survey_agreement(r):
    N = 300
    age, treated = r.normal(0, 1, N), r.integers(0, 2, N)
    z = 0.5 * age + 0.8 * treated + r.logistic(0, 1, N)
    y = 1 + np.searchsorted([-1.6, -0.3, 0.9, 2.4], z)
    return dict(N=N, age=age, treated=treated, y=y)


@model
def geyser_waiting(r):
    N = 270
    long = r.uniform(size=N) < 0.64
    return dict(N=N, wait=np.where(long, r.normal(80, 6, N), r.normal(54.5, 5.5, N)))


@model
def batting_average(r):
    J = 60
    n = r.integers(20, 220, J)
    p = r.beta(0.26 * 120, 0.74 * 120, J)
    return dict(J=J, at_bats=n, hits=r.binomial(n, p))


@model
def river_metal(r):
    S, V = 15, 8
    site = np.repeat(np.arange(S), V)
    flow = r.normal(0, 1, S * V)
    y = r.normal(r.normal(0.3, 0.6, S)[site] - 0.4 * flow, 0.5)
    seen = y > 0.0
    return dict(S=S, N=int(seen.sum()), site=site[seen] + 1, flow=flow[seen], log_conc=y[seen], M=int((~seen).sum()),
                site_below=site[~seen] + 1, flow_below=flow[~seen], limit=0.0)


@model
def commute_choice(r):
    N, K = 320, 3
    cost, time = r.gamma(4, 1, (N, K)), r.gamma(5, 6, (N, K)) / 10
    income = r.normal(0, 1, N)
    v = np.array([0, 0.6, -0.5]) - 0.35 * cost - 0.6 * time + income[:, None] * np.array([0, 0.5, -0.2])
    return dict(N=N, K=K, cost=cost, time=time, income=income, y=1 + (v + r.gumbel(0, 1, (N, K))).argmax(1))


@model
def twin_heritability(r):
    n_mz, n_dz = 120, 140

    def pairs(n, shared):
        a = r.normal(0, np.sqrt(0.5), n)[:, None] * np.sqrt(shared)
        own = r.normal(0, np.sqrt(0.5 * (1 - shared)), (n, 2))
        return 1.7 + a + own + r.normal(0, np.sqrt(0.15), n)[:, None] + r.normal(0, np.sqrt(0.35), (n, 2))

    mz, dz = pairs(n_mz, 1.0), pairs(n_dz, 0.5)
    return dict(n_mz=n_mz, n_dz=n_dz, mz1=mz[:, 0], mz2=mz[:, 1], dz1=dz[:, 0], dz2=dz[:, 1])


@model
def tumour_gompertz(r):
    J, days = 10, np.arange(3, 31, 3)
    mouse = np.repeat(np.arange(J), len(days))
    day = np.tile(days, J).astype(float)
    top, rate = np.exp(r.normal(7.5, 0.3, J)), 0.09 * np.exp(r.normal(0, 0.15, J))
    volume = top[mouse] * np.exp(-4.2 * np.exp(-rate[mouse] * day)) * np.exp(r.normal(0, 0.12, len(day)))
    return dict(N=len(day), J=J, mouse=mouse + 1, day=day, volume=volume)


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    for name in sys.argv[1:] or MODELS:
        data = MODELS[name](np.random.default_rng(zlib.crc32(name.encode())))
        lines = ",\n".join(f" {json.dumps(k)}: {json.dumps(plain(v))}" for k, v in data.items())
        (here / name).mkdir(exist_ok=True)
        (here / name / f"{name}.data.json").write_text("{\n" + lines + "\n}\n")
