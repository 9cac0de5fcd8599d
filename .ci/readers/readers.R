# Checks that what R's readers get from files of hamc is what is in them.
#
# readers.R WORK: the directories of WORK are as readers.py wants them, and hold
# diagnostics.csv beside: hamc's own diagnostics of the draws. What a reader ought
# to get comes from the chains, split at commas and converted by as.numeric.
suppressPackageStartupMessages({
  library(rstan)
  library(posterior)
})
options(warn = 2) # what a reader warns of is not in order
work <- commandArgs(trailingOnly = TRUE)[1]
checks <- 0

same <- function(got, want, what) {
  checks <<- checks + 1
  if (!identical(dim(got), dim(want)) || !identical(as.vector(got), as.vector(want)))
    stop(what, ": ", sum(as.vector(got) != as.vector(want), na.rm = TRUE), " values differ, shape ",
         paste(dim(got), collapse = " x "), ", want ", paste(dim(want), collapse = " x "))
}

# The draws of a chain and those of its warm-up, without any of the readers.
chain <- function(file) {
  lines <- readLines(file)
  adapted <- which(lines == "# Adaptation terminated")
  comment <- startsWith(lines, "#")
  columns <- strsplit(lines[!comment][1], ",")[[1]]
  rows <- setdiff(which(!comment), which(!comment)[1])
  split <- function(i) matrix(as.numeric(unlist(strsplit(lines[i], ","))), ncol = length(columns), byrow = TRUE,
                              dimnames = list(NULL, columns))
  list(draws = split(rows[rows > adapted]), warmup = if (any(rows < adapted)) split(rows[rows < adapted]))
}

# x.1.2 as x[1,2]
bracketed <- function(column) {
  vector <- grepl("\\.", column) & !endsWith(column, "__")
  column[vector] <- paste0(sub("\\.", "[", column[vector]), "]")
  gsub("\\.", ",", column)
}

# The long table, as a draws_df.
check_table <- function(dir, chains) {
  table <- read.csv(file.path(dir, "draws.csv"), check.names = FALSE)
  draws <- as_draws_df(table)
  stopifnot(nchains(draws) == length(chains), niterations(draws) == nrow(chains[[1]]))
  array <- as_draws_array(draws)
  stopifnot(setequal(variables(array), bracketed(colnames(chains[[1]]))))
  for (i in seq_along(chains)) {
    got <- array[, i, bracketed(colnames(chains[[1]]))]
    same(matrix(as.vector(got), nrow(got)), unname(chains[[i]]), paste(dir, "table, chain", i))
  }
  array
}

# rstan's reader. It knows Stan's own statistics only and takes the others, which
# end in two underscores as well, for parameters.
check_rstan <- function(dir, files, chains, warmup) {
  # It misses the elapsed times, in as many words, and needs them for nothing.
  untimed <- function(w) if (grepl("Elapsed Time", conditionMessage(w))) invokeRestart("muffleWarning")
  fit <- withCallingHandlers(read_stan_csv(files), warning = untimed)
  all <- rstan::extract(fit, permuted = FALSE, inc_warmup = !is.null(warmup[[1]]))
  params <- get_sampler_params(fit, inc_warmup = !is.null(warmup[[1]]))
  for (i in seq_along(chains)) {
    want <- rbind(warmup[[i]], chains[[i]])
    for (column in colnames(want)) {
      if (column %in% c("accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"))
        got <- params[[i]][, column]
      else
        got <- all[, i, bracketed(column)]
      same(unname(got), unname(want[, column]), paste(dir, "rstan", column, "chain", i))
    }
  }
  # Which trajectories: dynamic of a largest depth, or static.
  for (args in fit@stan_args) {
    static <- basename(dir) == "funnel"
    stopifnot(args$sampler_t == if (static) "HMC" else "NUTS(diag_e)",
              identical(args$max_depth, if (static) NA_integer_ else if (basename(dir) == "shallow") 2L else 10L))
  }
  stopifnot(get_num_divergent(fit) == sum(sapply(chains, function(x) sum(x[, "divergent__"]))))
  as_draws_array(fit)
}

# Whether an effective sample size hangs on the sign of a sum of autocorrelations
# that is zero, as happens to indicators of a quantile in short chains. Rounding
# decides then, and two programs may differ.
tied <- function(x) {
  any(sapply(c(0.05, 0.95), function(p) {
    i <- posterior:::.split_chains(1 * (x <= quantile(x, p, names = FALSE)))
    acov <- rowMeans(apply(i, 2, autocovariance))
    w <- acov[1] * nrow(i) / (nrow(i) - 1)
    rho <- 1 - (w - acov) / (acov[1] + var(colMeans(i)))
    pairs <- rho[c(TRUE, FALSE)][seq_len(nrow(i) %/% 2)] + rho[c(FALSE, TRUE)][seq_len(nrow(i) %/% 2)]
    end <- pairs[pairs < 1e-12][1] # the first that ends the sum
    !is.na(end) && end > -1e-12
  }))
}

# R-hat with the two middle draws of an even number of them in each order and tied. Both are as far from the median, which is their
# mean, but for rounding; and R, which reads decimal digits with an error of an ulp now and then, may round otherwise.
rhat_middle <- function(x) {
  far <- abs(x - median(x))
  middle <- order(as.numeric(far))[1:2]
  bulk <- rhat_basic(posterior:::z_scale(posterior:::.split_chains(x)), split = FALSE)
  sapply(list(c(0, 0), c(0, 1), c(1, 0)), function(add) {
    far[middle] <- min(far) * (1 + 1e-12 * add)
    max(bulk, rhat_basic(posterior:::z_scale(posterior:::.split_chains(far)), split = FALSE))
  })
}

# hamc's diagnostics are those of posterior.
check_diagnostics <- function(dir, draws) {
  ours <- read.csv(file.path(dir, "diagnostics.csv"))
  # posterior says where it caps an effective sample size, as hamc does.
  capped <- function(w) if (grepl("ESS has been capped", conditionMessage(w))) invokeRestart("muffleWarning")
  theirs <- withCallingHandlers(summarise_draws(subset_draws(draws, bracketed(ours$name)), mean, sd, mcse = mcse_mean, q5 = ~ quantile(.x, 0.05, names = FALSE),
                            median, q95 = ~ quantile(.x, 0.95, names = FALSE), rhat, ess_bulk, ess_tail),
                                warning = capped)
  theirs <- theirs[match(bracketed(ours$name), theirs$variable), ]
  worst <- 0
  for (what in setdiff(colnames(ours), "name")) {
    a <- ours[[what]]
    b <- as.numeric(theirs[[what]])
    stopifnot(is.na(a) == is.na(b))
    if (what == "ess_tail") {
      ties <- sapply(bracketed(ours$name), function(v) tied(extract_variable_matrix(draws, v)))
      stopifnot(mean(ties) < 0.02)
      a <- a[!ties]
      b <- b[!ties]
    }
    if (what == "rhat") {
      for (i in which(abs(a - b) > 1e-9)) {
        either <- rhat_middle(extract_variable_matrix(draws, bracketed(ours$name)[i]))
        b[i] <- either[which.min(abs(either - a[i]))]
      }
    }
    worst <- max(worst, abs(a - b) / pmax(1, abs(b)), na.rm = TRUE)
    checks <<- checks + 1
  }
  if (worst > 1e-9) stop(dir, ": diagnostics differ by ", worst)
  worst
}

for (dir in setdiff(list.dirs(work, recursive = FALSE), file.path(work, "long"))) {
  before <- checks
  files <- list.files(dir, "^chain_.*csv$", full.names = TRUE)
  files <- files[order(as.integer(gsub("\\D", "", basename(files))))]
  read <- lapply(files, chain)
  draws <- lapply(read, `[[`, "draws")
  lengths <- sapply(draws, nrow)
  kept <- 2 * lengths >= max(lengths)
  cut <- lapply(draws[kept], function(x) x[seq_len(min(lengths[kept])), , drop = FALSE])
  worst <- ""
  if (file.exists(file.path(dir, "draws.csv"))) check_table(dir, cut)
  if (basename(dir) != "awkward") { # rstan wants chains of one length
    fit <- check_rstan(dir, files, draws, lapply(read, `[[`, "warmup"))
    worst <- paste(", diagnostics within", signif(check_diagnostics(dir, fit), 2))
  }
  stopifnot(checks > before)
  cat("  ", basename(dir), ": ", checks - before, " columns", worst, "\n", sep = "")
}
cat(R.version.string, ", rstan ", as.character(packageVersion("rstan")), ", posterior ", as.character(packageVersion("posterior")),
    ": ", checks, " columns are the same\n", sep = "")
