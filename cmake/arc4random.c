// For systems with glibc 2.35: libstdc++.a and libarchive.a as Debian 12 has them take random numbers from functions
// that came with 2.36.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

void arc4random_buf(void* to, size_t bytes);
void arc4random_buf(void* to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = getrandom((char*)to + done, bytes - done, 0);
    if (got >= 0) {
      done += (size_t)got;
    } else if (errno != EINTR) {
      abort();
    }
  }
}

uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t number;
  arc4random_buf(&number, sizeof(number));
  return number;
}
