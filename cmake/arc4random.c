// For systems with glibc 2.35: libstdc++.a as Debian 12 has it takes random numbers from a function that came
// with 2.36.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number)) abort();
  return number;
}
