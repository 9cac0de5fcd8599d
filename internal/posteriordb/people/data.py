"""Makes the data of the models of this folder, from seeds that their names give. No number is from anybody else's."""

import json

import numpy as np

MODELS = {}


def model(make):
    """Registers the data of a model by its function's name."""
    MODELS[make.__name__] = make
    return make


class Exact(list):
    """An array that is computed of others, with all digits."""

    def __init__(self, x):
        super().__init__(x.tolist())


def plain(x):
    if isinstance(x, Exact):
        return list(x)
    if isinstance(x, (np.ndarray, list, tuple)):
        return [plain(e) for e in x]
    if isinstance(x, (bool, np.bool_, int, np.integer)):
        return int(x)
    return round(float(x), 4)


def dump(given):
    """A line for each variable."""
    return "{\n" + ",\n".join(f'  "{name}": {json.dumps(plain(x))}' for name, x in given.items()) + "\n}\n"


def numbers(random, n, top):
    """Group numbers 1, …, top, of which each occurs."""
    return random.permutation(np.concatenate([np.arange(top), random.integers(0, top, n - top)])) + 1


def covariance(random, n):
    a = random.normal(size=(n, n + 2))
    return np.round(a @ a.T / n, 3)


@model
def polls(random):
    d = {"N_national_polls": 14, "N_state_polls": 24, "T": 9, "S": 4, "P": 5, "M": 3, "Pop": 3}
    for kind, n in ("national", d["N_national_polls"]), ("state", d["N_state_polls"]):
        d[f"day_{kind}"] = numbers(random, n, d["T"])
        d[f"poll_{kind}"] = numbers(random, n, d["P"])
        d[f"poll_mode_{kind}"] = numbers(random, n, d["M"])
        d[f"poll_pop_{kind}"] = numbers(random, n, d["Pop"])
        d[f"n_two_share_{kind}"] = random.integers(300, 900, n)
        d[f"n_democrat_{kind}"] = random.binomial(d[f"n_two_share_{kind}"], 0.51)
        d[f"unadjusted_{kind}"] = random.integers(0, 2, n)
    return d | {"state": numbers(random, 24, 4), "mu_b_prior": random.normal(0, 0.2, 4), "state_weights": [0.4, 0.3, 0.2, 0.1],
                "sigma_c": 0.06, "sigma_m": 0.04, "sigma_pop": 0.04, "sigma_measure_noise_national": 0.04, "sigma_measure_noise_state": 0.05,
                "sigma_e_bias": 0.05, "state_covariance_0": covariance(random, 4), "random_walk_scale": 0.05, "mu_b_T_scale": 0.18,
                "polling_bias_scale": 0.05}


@model
def hgf(random):
    N, T = 4, 25
    bias = np.where(np.arange(T) // 8 % 2, 0.2, 0.8)
    u = (random.random((N, T)) < bias).astype(int)
    y = np.where(random.random((N, T)) < 0.75, u, 1 - u)
    u[0, 3] = y[1, 7] = y[1, 0] = u[2, 20] = -1
    return {"N": N, "T": T, "L": 3, "u": u, "y": y, "input_first": 0, "mu0": [0, 1], "sigma0": [0.1, 1], "kappa_lower": [0], "kappa_upper": [2],
            "omega_lower": [-6, -8], "omega_upper": [1, 0], "zeta_lower": 0, "zeta_upper": 5}


@model
def football(random):
    N, n, T = 40, 5, 4
    one = numbers(random, N, n)
    two = (one + random.integers(1, n, N) - 1) % n + 1
    when = np.sort(numbers(random, N, T))
    return {"N": N, "N_prev": 0, "y": random.poisson(1.4, (N, 2)), "nteams": n, "team1": one, "team2": two, "team1_prev": [], "team2_prev": [],
            "ntimes": T, "time": [1, 2, 3, 4], "instants": when, "instants_rank": (when + 1) // 2, "ntimes_rank": 2,
            "ranking": random.normal(size=(2, n)), "instants_prev": [], "ind_home": 1, "ind_common_sigma": 0, "mean_home": 0.1, "sd_home": 0.5,
            "prior_dist_num": 2, "prior_dist_sd_num": 2, "hyper_df": 5, "hyper_location": 0, "hyper_sd_df": 4, "hyper_sd_location": 0,
            "hyper_sd_scale": 1.5, "ind_comm_prior": 0, "mu_spike": 100, "sd_spike": 0.1, "mu_slab": 0, "sd_slab": 5, "ind_kl_sd": 1,
            "is_summer_break": [0, 0, 1, 0]}


@model
def hubble(random):
    d = {"n_ch_d": 2, "n_ch_p": 2, "n_ch_c": 1, "n_ch_s": 4, "n_c_tot": 36, "n_s_hi_z": 6, "n_ch": 9}
    n, far = d["n_c_tot"], d["n_s_hi_z"]
    host, period, z = numbers(random, n, 9), random.uniform(0.5, 1.7, n), random.uniform(0.02, 0.14, far)
    mu = np.array([29.4, 24.4, 7.1, 6.8, 24.5, 31, 31.5, 32, 32.2])
    factor = np.tril(random.normal(0, 0.03, (far, 3, 3))) + 0.1 * np.eye(3)
    factor = np.round(factor, 4)
    size = np.concatenate([10 ** (mu[:2] / 5 - 5), 1e-3 / 10 ** (mu[2:4] / 5 - 5)])
    seen = np.stack([5 * np.log10(3e5 / 70 * z * 1e6) - 24.2, random.normal(size=far), random.normal(0, 0.1, far)], 1)
    return d | {"est_d_anc": size, "sig_d_anc": 0.04 * size, "c_ch": host, "sig_app_mag_c": np.full(n, 0.1), "log_p_c": period,
                "est_app_mag_c": mu[host - 1] - 2.6 - 3.2 * period + random.normal(0, 0.15, n), "log_z_c": random.normal(9, 0.1, n),
                "est_app_mag_s": mu[5:] - 19.2 + random.normal(0, 0.15, 4), "sig_app_mag_s": np.full(4, 0.1), "est_z_s_hi_z": z,
                "sig_z_s_hi_z": np.full(far, 0.0002), "sig_v_pec": 250, "data_s_hi_z": seen, "cov_l_s_hi_z": factor,
                "factor": factor.reshape(far, 9), "est_q_0": -0.55, "sig_q_0": 0.1, "sig_zp_off": 0.03,
                "zp_off_mask": random.integers(0, 2, n), "lk_corr": [0.05, 0.02], "period_break": 10, "break_at_intcpt": 1}


@model
def cfr(random):
    S, G, D = 30, 12, 22
    delay = np.exp(-0.5 * ((np.arange(1, G + 1) - 6) / 3) ** 2)
    cases = np.round(40 * np.exp(-0.5 * ((np.arange(D) - 14) / 5) ** 2)).astype(int)
    age = np.array([0.45, 0.38, 0.17])
    return {"K": 3, "age_dist": age, "pop_t": 100000, "tswitch": 18, "D": D, "incidence_cases": random.poisson(cases + 1),
            "incidence_deaths": random.poisson(0.05 * cases), "agedistr_cases": [60, 140, 190], "agedistr_deaths": [1, 4, 18],
            "comorbidity_dist": [0.05, 0.2, 0.5], "k_cases_comorbidity": 60, "n_cases_comorbidity": 180, "k_deaths_comorbidity": 14,
            "n_deaths_comorbidity": 20, "p_beta": 1, "p_eta": [1, 1], "p_pi": [1, 999], "p_epsilon": [1, 1], "p_rho": [1, 1], "p_phi": 0.01,
            "p_xi": 1, "p_nu": 0.2, "p_psi": [71, 18], "p_chi": 5, "p_incubation": 5, "p_infectious": 2.5, "G": G,
            "p_gamma": delay / delay.sum(), "t0": 0, "t_data": 9, "S": S, "ts": np.arange(1, S + 1), "contact": [0.6, 0.3, 0.1, 0.4, 0.5, 0.2, 0.3, 0.4, 0.4],
            "inference": 1, "doprint": 0}


@model
def salmon(random):
    years, ages = 14, 3
    N = 2 * years
    S = np.exp(random.normal(5, 0.5, N))
    return {"N": N, "pop": np.repeat([1, 2], years), "year": np.tile(np.arange(1, years + 1), 2), "SR_fun": 2, "RRS": [0, 0], "A": random.uniform(1, 3, N),
            "K_alpha": 1, "X_alpha": random.normal(size=(N, 1)), "prior_alpha": [1, 0.5], "prior_alpha_W": [1, 0.5], "prior_alpha_H": [1, 0.5],
            "K_Rmax": 1, "X_Rmax": random.normal(size=(N, 1)), "prior_Rmax": [5, 1], "prior_Rmax_W": [5, 1], "prior_Rmax_H": [5, 1],
            "K_R": 2, "X_R": random.normal(size=(N, 2)), "iter": 0, "K_SS": 0, "X_SS": [[]] * N, "prior_mu_SS": [1, 1], "N_S_obs": N - 3,
            "which_S_obs": np.delete(np.arange(1, N + 1), [5, 9, 20]), "S_obs": S, "prior_tau": [0.1, 0.3, 4], "N_age": ages, "max_age": 5,
            "n_age_obs": random.multinomial(40, [0.2, 0.5, 0.3], N), "prior_mu_p": [2, 2, 2], "N_H": 4, "which_H": [8, 9, 12, 25],
            "n_W_obs": [20, 25, 30, 22], "n_H_obs": [5, 3, 8, 2], "F_rate": random.uniform(0.05, 0.3, N), "age_F": [0, 1, 1], "N_B": 3,
            "which_B": [8, 12, 26], "B_take_obs": [9, 14, 6], "age_B": [1, 1, 1]}


@model
def viral(random):
    n, N = 6, 36
    who, day = np.repeat(np.arange(1, n + 1), 6), np.tile([0, 1, 2, 3, 5, 7], n)
    trt = np.zeros((N, 3))
    trt[np.arange(N), who % 3] = 1
    load = 6 - 0.7 * day + 0.3 * (who - 3) + 0.4 * random.standard_t(5, N)
    low = load < 2  # what is below the limit of detection stands last
    order = np.argsort(low, kind="stable")
    who, day, trt, load = who[order], day[order], trt[order], load[order]
    return {"Ntot": N, "N_obs": N - low.sum(), "n_id": n, "id": who, "ind_start": [int(np.argmax(who == i)) + 1 for i in range(1, n + 1)],
            "Time_max": 7, "obs_day": day, "log_10_vl": load, "log10_cens_vl": np.full(N, 2.0), "RNaseP": random.normal(size=N), "K_trt": 3, "trt_mat": trt, "K_cov_intercept": 2,
            "x_intercept": random.normal(size=(N, 2)), "K_cov_slope": 1, "x_slope": random.normal(size=(N, 1)), "alpha_0_prior_mean": 5,
            "alpha_0_prior_sd": 2, "beta_0_prior_mean": 0.5, "beta_0_prior_sd": 1, "trt_effect_sd": 1, "sigma_logvl_mean": 1, "sigma_logvl_sd": 1,
            "slope_coefs_sd": 1, "intercept_coefs_sd": 1, "t_max_pop_mean": -2, "t_max_pop_sd": 1}


@model
def evorates(random):
    n = 7  # tips 1 to 7, nodes 8 to 13: of those, 13 is the root
    pairs = {8: (1, 2), 9: (3, 4), 10: (8, 9), 11: (5, 6), 12: (11, 7), 13: (10, 12)}
    nodes, length = 2 * n - 1, np.zeros(14)
    length[1:13] = np.round(random.uniform(0.3, 1.2, 12), 3)
    above = {child: parent for parent, both in pairs.items() for child in both}

    def path(m):
        return [m] + path(above[m]) if m in above else []

    # The covariance of mean rates of edges: what their paths from the root share, half an edge of its own less a sixth.
    eV = np.zeros((12, 12))
    for i in range(1, 13):
        for j in range(1, 13):
            common = set(path(i)) & set(path(j))
            eV[i - 1, j - 1] = sum(length[m] for m in common)
            if i == j:
                eV[i - 1, j - 1] -= 2 * length[i] / 3
            elif i in path(j) or j in path(i):
                eV[i - 1, j - 1] -= length[i if i in path(j) else j] / 2
    # Stan's program numbers edges by its own order, with a stem of length 0 as the first: edge m + 1 is that above node m here.
    des = [[-1, -1] for _ in range(nodes)]
    des[0] = [pairs[13][0] + 1, pairs[13][1] + 1]
    for m in range(8, 13):
        des[m] = [pairs[m][0] + 1, pairs[m][1] + 1]
    left = [1] * n + [pairs[m][0] for m in range(8, 14)]
    right = [1] * n + [pairs[m][1] for m in range(8, 14)]
    return {"n": n, "e": 12, "eV": np.round(eV, 3), "prune_T": np.concatenate([[0], length[1:13]]), "des_e": des, "tip_e": np.arange(2, n + 2),
            "real_e": np.arange(2, 14), "postorder": [9, 10, 11, 12, 13, 1], "mis_code": [2] * 6, "n_mis_2": 6, "n_mis_1": 0, "which_non_mis": [],
            "X": random.normal(size=n), "p_SE": [0.02, -1, 0.03, 0.01, -1, 0.02, 0.02], "inv_n_obs": [0, 0.25, 0, 0, 0.5, 0, 0], "n_contra": 4,
            "contra": random.normal(0, 0.3, 4), "contra_var": [2, 1.5, 1.3333, 2], "n_mis_SE": 2, "which_mis_SE": [2, 5], "R0_prior_mu": 0,
            "R0_prior_sig": 2, "Ysig2_prior_mu": 0, "Ysig2_prior_sig": 0.5, "Ysig2_prior_df": 0, "Rsig2_prior_sig": 1, "Rmu_prior_mu": 0,
            "Rmu_prior_sig": 1, "constr_Rsig2": 0, "constr_Rmu": 0, "lik_power": 1, "left": left, "right": right,
            "edge": np.minimum(np.arange(1, nodes + 1), 12), "length": length[1:13], "mis_SE": [0, 1, 0, 0, 1, 0, 0]}


@model
def splicing(random):
    N, P, K = 18, 2, 4
    x = np.stack([np.ones(N), np.arange(N) % 2], 1)
    share = np.exp(np.outer(x[:, 1], [0.5, 0, -0.5, 0]))
    y = np.array([random.multinomial(random.integers(20, 90), random.dirichlet(9 * s / s.sum())) for s in share])
    y[5] = [0, 0, 40, 3]
    return {"N": N, "P": P, "K": K, "x": x, "y": y, "concShape": 1.0001, "concRate": 0.0001, "outlier_prior_a": 1.01, "outlier_prior_b": 100}


@model
def wildfire(random):
    N, T, p, n = 5, 6, 4, 24
    cell = random.permutation(N * T)[:n]
    X = np.round(random.normal(size=(n, p)), 3) * (random.random((n, p)) < 0.6)
    X[:, 0] = np.round(random.normal(size=n), 3)
    rows = [np.flatnonzero(r) for r in X]
    ends = np.cumsum([len(r) for r in rows])
    edges = [(1, 2), (2, 3), (3, 4), (4, 5), (1, 5), (2, 5)]
    counts = random.poisson(random.gamma(2, 1, n)) * (random.random(n) < 0.7)
    return {"N": N, "T": T, "p": p, "n_count": n, "counts": counts, "log_area": random.normal(size=N), "er_idx_train": cell % N + 1,
            "er_idx_full": np.tile(np.arange(1, N + 1), T), "n_w": 1, "w": [1], "v": [1], "u": [1] * (N * T + 1), "n_w_tc": ends[-1],
            "w_tc": np.concatenate([r[i] for r, i in zip(X, rows)]), "v_tc": np.concatenate(rows) + 1, "n_u_tc": n + 1,
            "u_tc": np.concatenate([[1], ends + 1]), "M": 2, "slab_df": 5, "slab_scale": 2, "n_holdout_c": 1, "holdout_c_idx": [1],
            "holdout_c": [0], "eps_idx_train": cell + 1, "n_edges": len(edges), "node1": [e[0] for e in edges], "node2": [e[1] for e in edges],
            "month": cell // N + 1}


@model
def dcpo(random):
    K, T, Q, R, N = 4, 5, 3, 3, 40
    n = random.integers(400, 1500, N)
    fixed = np.zeros((Q, R))
    fixed[0, 1] = 1
    return {"K": K, "T": T, "Q": Q, "R": R, "N": N, "kk": numbers(random, N, K), "tt": numbers(random, N, T), "qq": numbers(random, N, Q),
            "rr": numbers(random, N, R), "y_r": random.binomial(n, random.beta(5, 5, N)), "n_r": n, "fixed_cutp": fixed.astype(int),
            "use_delta": (random.random((Q, K)) < 0.7).astype(int)}


@model
def birds(random):
    S, T, n, sites, people = 4, 9, 30, 8, 6
    edges = [(1, 2), (2, 3), (3, 4), (1, 4)]
    year = np.array([1, 2, 3, 4, 5, 6, 8, 9])[numbers(random, n, 8) - 1]  # none in year 7
    site = numbers(random, n, sites)
    gap = np.ones(T)
    gap[[6, 7]] = 0
    return {"n_sites": sites, "n_strata": S, "n_counts": n, "n_years": T, "fixed_year": 4, "n_years_m1": T - 1, "use_likelihood": 1,
            "predict_counts": 0, "count": random.poisson(np.exp(random.normal(1.5, 0.7, n))), "strat": (site - 1) // 2 + 1, "year": year,
            "site": site, "first_year": random.integers(0, 2, n), "observer": numbers(random, n, people), "y_2020": gap.astype(int),
            "n_observers": people, "n_Iy1": 3, "n_Iy2": 5, "Iy1": [3, 2, 1], "Iy2": [5, 6, 7, 8, 9], "zero_betas": [0] * S,
            "n_obs_sites_strata": [2] * S, "max_n_obs_sites_strata": 2, "ste_mat": [[1, 2]] * S, "obs_mat": [[1, 2]] * S,
            "non_zero_weight": [1] * S, "n_edges": len(edges), "node1": [e[0] for e in edges], "node2": [e[1] for e in edges],
            "scaling_factor": 0.4, "heavy_tailed": 1, "calc_nu": 1, "use_pois": 1, "calc_log_lik": 0, "calc_CV": 0, "n_train": n, "n_test": 1,
            "train": np.arange(1, n + 1), "test": [1]}


@model
def cmv(random):
    times = [[2, 4, 7, 10, 14, 20], [1, 3, 6, 9, 15], [2, 5, 8, 11, 15, 19, 24]]
    every = np.concatenate(times)
    return {"nSubjects": 3, "nObs": 18, "nODEs": 3, "s": [6, 5, 7], "gen_time_N": 1, "Y0s": [1000, 1500, 600], "t0": 0, "time": every,
            "obs": 1000 * np.exp(0.05 * every + random.normal(0, 0.4, 18)), "gen_time": [1], "n1": 6, "n2": 5, "n3": 7, "t1": times[0],
            "t2": times[1], "t3": times[2]}


@model
def fields(random):
    knots, locs = random.uniform(0, 3, (4, 2)), random.uniform(0, 3, (7, 2))
    d = lambda a, b: np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 1] - b[None, :, 1])
    N, T = 30, 5
    return {"nKnots": 4, "nLocs": 7, "nT": T, "N": N, "stationID": numbers(random, N, 7), "yearID": numbers(random, N, T),
            "binomialN": [0] * N, "y": [0] * N, "y_int": random.poisson(4, N), "input_offset": random.normal(0, 0.2, N),
            "prior_gp_theta": [3, 0, 3], "prior_gp_sigma": [3, 0, 3], "prior_sigma": [3, 0, 3], "prior_rw_sigma": [3, 0, 3],
            "prior_intercept": [3, 0, 10], "prior_beta": [3, 0, 3], "prior_phi": [1000, 0, 0.5], "distKnots": np.round(d(knots, knots), 3),
            "distKnots21": d(locs, knots), "nCov": 2, "X": np.stack([np.ones(N), random.normal(size=N)], 1), "cov_func": 2, "est_df": 1,
            "est_phi": 1, "norm_params": 0, "gamma_params": 0, "nb2_params": 1, "obs_model": 2, "fixed_df_value": 5, "fixed_phi_value": 0,
            "est_temporalRE": 1, "n_year_effects": T, "lower_truncation": 0, "fixed_intercept": 0, "matern_kappa": 1.5, "nW": T,
            "gp_sigma_scaling_factor": 1, "df_lower_bound": 2}


@model
def bvep(random):
    nn, nt, ns = 4, 30, 3
    SC = random.uniform(0, 1, (nn, nn))
    np.fill_diagonal(SC, 0)
    star = SC - np.diag(SC.sum(1))
    return {"nn": nn, "nt": nt, "ns": ns, "dt": 0.1, "tau0": 10, "I1": 3.1, "Ks": -1, "Obs_seeg": random.normal(size=(nt, ns)), "SC": SC,
            "SC_star": star, "Gain": random.normal(0, 0.5, (ns, nn)), "eigen_vec": np.linalg.qr(random.normal(size=(nn, nn)))[0],
            "eta_mean": -2.5, "eta_spread": 0.5, "x_init_mean": -2, "x_init_spread": 0.3, "z_init_mean": 3.5, "z_init_spread": 0.3, "K_mean": 1,
            "K_spread": 0.5, "amplitude_mean": 1, "offset_mean": 0, "eps_tol": 0.5, "ode_solver": 2, "ode_rtol": 1e-6, "ode_atol": 1e-6,
            "ode_maxstep": 1000}


@model
def survival(random):
    n, m, reaches = 30, 20, 4
    CH = (random.random((n, reaches + 1)) < 0.6).astype(int)
    CH[:, 0] = 1
    CHT = (random.random((m, 3)) < 0.5).astype(int)
    CHT[:, 0] = 1
    last = lambda h: h.shape[1] - np.argmax(h[:, ::-1], 1)
    return {"Nind": n, "Nreaches": reaches, "Ndetlocs": reaches + 1, "Nyrs": 3, "Nrg": 4, "NS_bCov": 2, "UseSizeEffect": 1, "Ntribs": 2,
            "NindT": m, "NrgT": 3, "Nsz": 2, "RmultSac": 1, "RmultT": random.uniform(0.5, 2, m), "RmultTrib": [1, 1.2],
            "Rmult": random.uniform(0.5, 2, (n, reaches)), "CH": CH, "yrind": numbers(random, n, 3), "rgind": numbers(random, n, 4),
            "rch_covind": [1, 2, 3, 3], "CovX": random.integers(0, 3, n), "firstCap": [1] * n, "lastCap": last(CH), "rgwy_ind": [0, 1, 2, 1],
            "trib_ind": numbers(random, m, 2), "firstCapT": [1] * m, "lastCapT": last(CHT), "yrindT": numbers(random, m, 3),
            "rgindT": numbers(random, m, 3), "CHT": CHT, "trib_rg": [1, 2, 2], "CovXT": random.integers(0, 3, m), "rgwy_indT": [0, 1, 2],
            "Sz": random.normal(size=n), "SzT": random.normal(size=m), "Xsz": [-1, 1]}


@model
def pollen(random):
    K, N, T, knots, cores = 3, 5, 4, 3, 2
    where, at = random.uniform(0, 1, (N, 2)), np.array([[0.1, 0.2], [0.8, 0.3], [0.5, 0.9]])
    d = lambda a, b: np.hypot(a[:, None, 0] - b[None, :, 0], a[:, None, 1] - b[None, :, 1])
    w = np.round(random.uniform(0.05, 0.4, (K, cores, N)), 3)
    y = random.multinomial(80, [0.5, 0.3, 0.2], cores * T)
    y[2] = 0
    return {"K": K, "N": N, "T": T, "N_knots": knots, "N_cores": cores, "y": y, "rho": [0.5, 0.8, 0.4], "eta": [1.2, 0.9, 1.1],
            "gamma": [0.6, 0.7, 0.5], "res": 0.5, "phi": [20, 15, 30], "sum_w_pot": [2, 2.5, 1.8], "idx_cores": [2, 5],
            "d_knots": np.round(d(at, at), 4), "d_inter": d(where, at), "w": w, "lag": np.zeros((T, T)), "w_flat": w.reshape(K * cores, N)}


@model
def sccomp(random):
    N, M, C = 10, 4, 2
    X = np.stack([np.ones(N), np.arange(N) % 2 - 0.5 + 0.1 * np.round(random.normal(size=N), 2)], 1)
    Q, R = np.linalg.qr(X)
    sign = np.sign(np.diag(R))
    Q, R = Q * sign, R * sign[:, None]
    n = random.integers(200, 500, N)
    y = np.array([random.multinomial(a, random.dirichlet([8, 6, 4, 2])) for a in n])
    return {"N": N, "M": M, "C": C, "A": C, "A_intercept_columns": 1, "B_intercept_columns": 1, "Ar": 2, "exposure": n, "y": y, "X": X,
            "XA": np.eye(2), "Xa": X, "is_truncated": 0, "truncation_up": np.full((N, M), -1), "truncation_down": np.full((N, M), -1), "TNS": N * M,
            "truncation_not_idx": np.arange(1, N * M + 1), "is_vb": 0, "prior_prec_intercept": [5, 2], "prior_prec_slope": [0, 0.6],
            "prior_prec_sd": [10, 20], "prior_mean_intercept": [0, 1], "prior_mean_coefficients": [0, 1], "exclude_priors": 0,
            "bimodal_mean_variability_association": 1, "use_data": 1, "intercept_in_design": 1, "N_random_intercepts": 0, "N_minus_sum": 0,
            "paring_cov_random_intercept": [], "N_grouping": 0, "X_random_intercept": [[]] * N, "idx_group_random_intercepts": [],
            "how_many_groups": 0, "how_many_factors_in_random_design": 0, "group_factor_indexes_for_covariance": [], "enable_loo": 0,
            "Q": Exact(Q * np.sqrt(N - 1)), "Ri": Exact(np.linalg.inv(R / np.sqrt(N - 1)))}


@model
def reading(random):
    N, I, S = 30, 5, 4
    item, subject = numbers(random, N, I), numbers(random, N, S)
    X = np.stack([np.ones(N), random.choice([-0.5, 0.5], N), random.choice([-0.5, 0.5], N)], 1)
    C = np.stack([random.uniform(200, 5500, N), np.arange(N) % 2], 1)
    d = {"N": N, "I": I, "S": S, "K": 3, "L": 3, "trials": 40, "Y": random.binomial(40, 0.4, N), "item": item, "subject": subject, "X": X, "Z": X,
         "C": C, "tg": np.arange(N) // 10, "KC": 2, "prior_only": 0}
    for part in "asymptote", "invrate", "intercept", "critasymptote", "critintercept", "critinvrate", "critinit":
        d |= {f"K_{part}": 3, f"X_{part}": X}
        for level, g, n in (1, item, I), (2, subject, S):
            end = f"{part}_{level}"
            d |= {f"J_{end}": g, f"N_{end}": n, f"K_{end}": 1 if part.startswith("crit") else 3}
            if part.startswith("crit"):
                d[f"Z_{end}"] = X[:, 0]
            else:
                d |= {f"Z_{end}_{k + 1}": X[:, k] for k in range(3)} | {f"NC_{end}": 3}
    return d


@model
def trials(random):
    N, P, K, clusters = 40, 2, 4, 8
    cluster = numbers(random, N, clusters)
    treatment = (random.random((N, P)) < 0.5).astype(int)
    return {"N": N, "P": P, "K": K, "Nc": 2, "Ncluster": clusters, "X": random.normal(size=(N, 2)), "clustered": 1, "pooling_type": 1,
            "pooling_baseline": 1, "site": (cluster + 1) // 2, "cluster": cluster, "treatment": treatment, "prior_control_fam": 1,
            "prior_control_sd_fam": 6, "prior_control_val": [0, 2, 0], "prior_control_sd_val": [3, 0, 1], "prior_hypermean_fam": [1, 2],
            "prior_hypersd_fam": [5, 6], "prior_hypermean_val": [[0, 1, 0], [0, 2, 0]], "prior_hypersd_val": [[-1, 0.5, 0], [4, 0, 1]],
            "prior_beta_fam": 1, "prior_beta_val": [0, 2, 0], "prior_cluster_fam": 0, "prior_cluster_val": [0, 10, 0], "N_test": 0, "K_test": 0,
            "X_test": [], "test_site": [], "test_treatment": [], "y": random.integers(0, 2, N), "test_y": []}
