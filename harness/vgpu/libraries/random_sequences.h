// The sequences of cuRAND's host generators: many generators of one kind, far apart in one long sequence, that take
// turns. Which, how far apart, and in which order was found by comparing with the host generators of cuRAND 10.4 and
// with an H200, on which the same numbers come out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace vgpu::libraries {

/// One kind. Elements come in chunks that one of the generators makes: so many words, uniform numbers or normal ones.
/// Mean and standard deviation are up to the caller.
class RandomSequence {
 public:
  virtual ~RandomSequence() = default;
  virtual void words(std::uint32_t* to, std::size_t count) = 0;
  virtual void uniform(float* to, std::size_t count) = 0;
  virtual void uniform(double* to, std::size_t count) = 0;
  virtual void normal(float* to, std::size_t count) = 0;
  virtual void normal(double* to, std::size_t count) = 0;
};

std::unique_ptr<RandomSequence> xorwow_sequence(std::uint64_t seed, std::uint64_t offset);
std::unique_ptr<RandomSequence> mrg32k3a_sequence(std::uint64_t seed, std::uint64_t offset);
std::unique_ptr<RandomSequence> philox_sequence(std::uint64_t seed, std::uint64_t offset);

}  // namespace vgpu::libraries
