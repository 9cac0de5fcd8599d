"""Samples a library of BridgeStan's with nutpie: LIBRARY DATA SEED CHAINS DRAWS OUT. Prints CPU seconds, divergences and steps per draw."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import nutpie
from nutpie import _lib
from nutpie.compile_stan import CompiledStanModel


def columns(variable):
    """The elements of a variable, by the names that Stan gives them."""
    shape = variable.shape[2:]
    for index in np.ndindex(*shape):
        yield ".".join([str(variable.name), *(str(i + 1) for i in index)]), variable.values[(slice(None), slice(None), *index)]


def no_transform(*_, **__):
    raise NotImplementedError("the default of nutpie asks for none")


def main():
    library, data, seed, chains, draws, out = sys.argv[1:]
    loaded = _lib.StanLibrary(library)
    model = _lib.StanModel(loaded, {}, {}, {}, int(seed), Path(data).read_text(), no_transform)
    compiled = CompiledStanModel(code="", library=loaded, dims={}, _coords={}, model_name="model", model=model, data=None)
    start = time.process_time()
    trace = nutpie.sample(compiled, draws=int(draws), chains=int(chains), cores=1, seed=int(seed), progress_bar=False)
    cpu = time.process_time() - start
    found = {}
    for variable in trace.posterior.data_vars.values():
        found |= dict(columns(variable))
    np.savez(out, **found)
    stats = trace.sample_stats
    print(json.dumps({"cpu": cpu, "divergences": int(stats.diverging.values.sum()), "steps": float(stats.n_steps.values.mean())}))


main()
