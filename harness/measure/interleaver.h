// Who is timed when: entries take turns sample by sample, in an order nobody can count on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace lanewise::measure {

/// Gives each round its order. Over `rounds_of_a_cycle()` rounds every entry comes after every other equally often, so
/// that nobody always runs on a device that the same neighbour has warmed, or on a clock it has pulled down (rows of a
/// Williams design: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of
/// treatments", Australian Journal of Scientific Research A 2, 1949). Which entry is which of the design's letters, and
/// the order of its rows, are drawn anew for each cycle.
class Interleaver {
 public:
  /// `strides`: one an entry; entry e takes part in every strides[e]th round, 1 in all of them. All take part in the
  /// first.
  Interleaver(std::vector<std::size_t> strides, std::uint64_t seed);

  /// The entries of the next round, in order.
  std::vector<std::size_t> next_round();

  std::size_t rounds_of_a_cycle() const { return rows_.size(); }

 private:
  void draw_cycle();

  std::vector<std::size_t> strides_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::size_t>> rows_;
  std::size_t round_ = 0;
};

/// How seldom an entry should take part, so that it does not use up the time of all: every round that has it costs what
/// several without it do. 1 up to four times what the others of a round cost together. `costs`: seconds of a sample,
/// preparations included.
std::size_t stride_of(double cost, double cost_of_others);

}  // namespace lanewise::measure
