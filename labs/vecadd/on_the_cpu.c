// The loop of the handout on your CPU, with one core and with all of them: how long does it take?
//
//   gcc -O3 -fopenmp labs/vecadd/on_the_cpu.c -o on_the_cpu && ./on_the_cpu [NUMBER_OF_ELEMENTS]
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRuns = 15 };

// Not inlined, so that the compiler cannot see that the same sums are computed again and again.
__attribute__((noinline)) static void vec_add(const float* a, const float* b, float* restrict c, size_t n) {
#pragma omp parallel for simd schedule(static)
  for (size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

static int ascending(const void* left, const void* right) {
  const double l = *(const double*)left, r = *(const double*)right;
  return (l > r) - (l < r);
}

static void time_on(int cores, const float* a, const float* b, float* c, size_t n) {
  double milliseconds[kRuns];
  omp_set_num_threads(cores);
  for (int run = 0; run < kRuns; ++run) {
    const double start = omp_get_wtime();
    vec_add(a, b, c, n);
    milliseconds[run] = 1e3 * (omp_get_wtime() - start);
  }
  qsort(milliseconds, kRuns, sizeof *milliseconds, ascending);
  const double median = milliseconds[kRuns / 2];
  printf("%zu elements, %d core%s: %.1f ms, %.1f GB/s\n", n, cores, cores == 1 ? "" : "s", median,
         12e-6 * (double)n / median);
}

int main(int count, char** words) {
  const size_t n = count > 1 ? strtoull(words[1], NULL, 10) : (size_t)1 << 26;
  float* a = malloc(n * sizeof *a);
  float* b = malloc(n * sizeof *b);
  float* c = malloc(n * sizeof *c);
  if (n == 0 || a == NULL || b == NULL || c == NULL) {
    fprintf(stderr, "on_the_cpu: %s\n", n == 0 ? "the number of elements must be at least 1" : "too little memory");
    return 1;
  }
  // The first access to a page maps it, which takes longer than the additions: every page is written before.
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; ++i) a[i] = 1, b[i] = 2, c[i] = 0;

  time_on(1, a, b, c, n);
  if (omp_get_num_procs() > 1) time_on(omp_get_num_procs(), a, b, c, n);
  if (c[n - 1] != 3) return fprintf(stderr, "on_the_cpu: a sum is wrong\n"), 1;
  free(a);
  free(b);
  free(c);
  return 0;
}
