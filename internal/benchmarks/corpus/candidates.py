"""What a user may fix by hand: flags of `hamc run`, or a line behind the model. `identity` is without the maps of latent vectors."""

CANDIDATES = {
    "low_rank": {"flags": ("--metric", "low_rank")},
    "unbent": {"flags": ("--bends=false",)},
    "diag_e": {"flags": ("--metric", "diag_e")},
    "dense_e": {"flags": ("--metric", "dense_e")},
    "fisher": {"flags": ("--metric", "fisher")},
    "declared": {"flags": ("--coordinates", "declared")},
    "identity": {"line": "metric identity"},
}
