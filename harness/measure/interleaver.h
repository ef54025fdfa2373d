// Which entry is timed when: entries take turns sample by sample, in an unpredictable order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace lanewise::measure {

/// Gives each round its order. Over `rounds_of_a_cycle()` rounds every entry follows every other equally often, so that
/// no entry always runs on a device that the same predecessor has warmed or clocked down (rows of a Williams design: E.
/// J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian
/// Journal of Scientific Research A 2, 1949). The assignment of entries to the design's letters and the order of its
/// rows are drawn anew for each cycle.
class Interleaver {
 public:
  /// `strides`: one per entry; entry e takes part in every strides[e]th round (1: in every round). All take part in the
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

/// The strides that keep an expensive entry from using up everyone's time: a round with it costs as much as several
/// without it. 1 if it costs at most four times as much as the rest of a round. `costs`: seconds per sample, including
/// preparations.
std::size_t stride_of(double cost, double cost_of_others);

}  // namespace lanewise::measure
