// The digests, and what typical mistakes give. Pointers are to host memory.
#include "overlap.cuh"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

// A few keys at a time, which a compiler keeps in registers: race cases have a hundred thousand million operations.
void digest(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  constexpr std::size_t kTogether = 64;
  std::uint32_t x[kTogether];
  for (std::size_t first = 0; first < n; first += kTogether) {
    const std::size_t count = std::min(kTogether, n - first);
    std::fill(std::begin(x), std::end(x), 0);
    std::copy_n(keys + first, count, x);
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < kTogether; ++i) {
        const std::uint32_t mixed = (x[i] ^ (x[i] >> 15)) * kFactor + kTerm;
        x[i] = mixed ^ (mixed >> 13);
      }
    std::copy_n(x, count, digests + first);
  }
}

// Cells beyond either end count as `beyond`; without it, the ring is closed.
void ring(const std::uint32_t* start, std::uint32_t* end, int n, int steps, const std::uint32_t* beyond = nullptr) {
  std::vector<std::uint32_t> cells(start, start + n);
  std::vector<std::uint32_t> next(n);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      const std::uint32_t left = i > 0 ? cells[i - 1] : beyond != nullptr ? *beyond : cells[n - 1];
      const std::uint32_t right = i + 1 < n ? cells[i + 1] : beyond != nullptr ? *beyond : cells[0];
      next[i] = (left ^ (cells[i] >> 3)) + 5 * right;
    }
    cells.swap(next);
  }
  std::copy(cells.begin(), cells.end(), end);
}

}  // namespace

void stretch(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  digest(keys, digests, n, rounds);
}

void evolve(const std::uint32_t* start, std::uint32_t* end, int n, int steps) { ring(start, end, n, steps); }

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in the kernel and its launch. `block` is how many threads a block has.
void whole_blocks(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds, std::size_t block) {
  digest(keys, digests, n / block * block, rounds);
}

void one_round_less(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  digest(keys, digests, n, std::max(rounds - 1, 0));
}

void one_round_more(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  digest(keys, digests, n, rounds + 1);
}

void keys_themselves(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int) {
  std::copy_n(keys, n, digests);
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in moving the data, whole or in pieces. `pieces` is how many there are.
void nothing_written(const std::uint32_t*, std::uint32_t*, std::size_t, int) {}

void first_quarter_of_the_bytes(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds) {
  std::vector<std::uint32_t> all(n);
  digest(keys, all.data(), n, rounds);
  std::memcpy(digests, all.data(), n);
}

void whole_pieces(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds, std::size_t pieces) {
  digest(keys, digests, n / pieces * pieces, rounds);
}

// Pieces are rounded up, and the last one begins where it should.
void last_piece_missing(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds,
                        std::size_t pieces) {
  const std::size_t items = (n + pieces - 1) / pieces;
  digest(keys, digests, std::min(n, items * (pieces - 1)), rounds);
}

void first_piece_only(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds,
                      std::size_t pieces) {
  digest(keys, digests, std::min(n, (n + pieces - 1) / pieces), rounds);
}

// Every piece is computed from the keys of the first.
void first_piece_everywhere(const std::uint32_t* keys, std::uint32_t* digests, std::size_t n, int rounds,
                            std::size_t pieces) {
  const std::size_t items = (n + pieces - 1) / pieces;
  for (std::size_t first = 0; first < n; first += items)
    digest(keys, digests + first, std::min(items, n - first), rounds);
}

// ---------------------------------------------------------------------------------------------------------------------
// Mistakes in the ring, and in how often it is told to go on.
// A step behind where the number of steps is even (parity 0), odd (1), or always (2).
void one_step_less(const std::uint32_t* start, std::uint32_t* end, int n, int steps, int parity) {
  const bool is_behind = steps > 0 && (parity == 2 || steps % 2 == parity);
  ring(start, end, n, is_behind ? steps - 1 : steps);
}

void one_step_more(const std::uint32_t* start, std::uint32_t* end, int n, int steps) { ring(start, end, n, steps + 1); }

// What a graph of `steps_of_graph` steps leaves over is never done.
void whole_graphs(const std::uint32_t* start, std::uint32_t* end, int n, int steps, int steps_of_graph) {
  ring(start, end, n, steps / steps_of_graph * steps_of_graph);
}

// Nothing but what a graph of `steps_of_graph` steps leaves over is done.
void left_over_steps(const std::uint32_t* start, std::uint32_t* end, int n, int steps, int steps_of_graph) {
  ring(start, end, n, steps % steps_of_graph);
}

void no_step_at_all(const std::uint32_t* start, std::uint32_t* end, int n, int) { std::copy_n(start, n, end); }

void zeros_beyond_the_ends(const std::uint32_t* start, std::uint32_t* end, int n, int steps) {
  const std::uint32_t zero = 0;
  ring(start, end, n, steps, &zero);
}

void neighbours_swapped(const std::uint32_t* start, std::uint32_t* end, int n, int steps) {
  std::vector<std::uint32_t> mirrored(start, start + n);
  std::reverse(mirrored.begin(), mirrored.end());
  ring(mirrored.data(), end, n, steps);
  std::reverse(end, end + n);
}

void no_cell_written(const std::uint32_t*, std::uint32_t*, int, int) {}
