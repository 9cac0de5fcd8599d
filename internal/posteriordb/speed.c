// speed LIBRARY DATA POINTS
//
// Times log density and gradient of a Stan model in a library of BridgeStan's. POINTS holds the number of points, that of
// coordinates, and the coordinates. Each line of the input is "CALLS PROPTO": CALLS evaluations, the points in turn. The
// answer is the nanoseconds of processor time that one took, and the log density at the last point.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void *construct(const char *, unsigned, char **);
typedef int evaluate(const void *, bool, bool, const double *, double *, double *, char **);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void fail(const char *why) {
  fprintf(stderr, "%s\n", why ? why : "no reason given");
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 4) fail("usage: speed LIBRARY DATA POINTS");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) fail(dlerror());
  construct *make = (construct *)dlsym(library, "bs_model_construct");
  evaluate *gradient = (evaluate *)dlsym(library, "bs_log_density_gradient");
  char *error = NULL;
  void *model = make(argv[2], 1, &error);
  if (!model) fail(error);
  FILE *in = fopen(argv[3], "r");
  int points, size;
  if (!in || fscanf(in, "%d %d", &points, &size) != 2) fail("no points");
  double *q = malloc(sizeof(double) * points * size), *g = malloc(sizeof(double) * size), value = 0;
  for (int i = 0; i < points * size; i++)
    if (fscanf(in, "%lf", q + i) != 1) fail("too few coordinates");
  long calls;
  int propto;
  while (scanf("%ld %d", &calls, &propto) == 2) {
    double begun = now();
    for (long i = 0, at = 0; i < calls; i++, at = at + 1 < points ? at + 1 : 0)
      if (gradient(model, propto, true, q + at * size, &value, g, &error)) fail(error);
    printf("%.17g %.17g\n", (now() - begun) / calls, value);
    fflush(stdout);
  }
}
