// The loop of the handout on one core of your CPU: how long does it take?
//
//   gcc -O3 labs/vecadd/one_core.c -o one_core && ./one_core [NUMBER_OF_ELEMENTS]
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kRuns = 15 };

// Not inlined, so that the compiler cannot see that the same sums are computed again and again.
__attribute__((noinline)) static void vec_add(const float* a, const float* b, float* restrict c, size_t n) {
  for (size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
}

static double now_ms(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int ascending(const void* left, const void* right) {
  const double l = *(const double*)left, r = *(const double*)right;
  return (l > r) - (l < r);
}

int main(int count, char** words) {
  const size_t n = count > 1 ? strtoull(words[1], NULL, 10) : (size_t)1 << 26;
  float* a = malloc(n * sizeof *a);
  float* b = malloc(n * sizeof *b);
  float* c = malloc(n * sizeof *c);
  if (n == 0 || a == NULL || b == NULL || c == NULL) {
    fprintf(stderr, "one_core: %s\n", n == 0 ? "the number of elements must be at least 1" : "too little memory");
    return 1;
  }
  // The first access to a page maps it, which takes longer than the additions: every page is written before.
  for (size_t i = 0; i < n; ++i) a[i] = 1, b[i] = 2, c[i] = 0;

  double milliseconds[kRuns];
  for (int run = 0; run < kRuns; ++run) {
    const double start = now_ms();
    vec_add(a, b, c, n);
    milliseconds[run] = now_ms() - start;
  }
  if (c[n - 1] != 3) return fprintf(stderr, "one_core: a sum is wrong\n"), 1;
  qsort(milliseconds, kRuns, sizeof *milliseconds, ascending);
  const double median = milliseconds[kRuns / 2];
  printf("%zu elements on one core: %.1f ms, %.1f GB/s\n", n, median, 12e-6 * (double)n / median);
  free(a);
  free(b);
  free(c);
  return 0;
}
