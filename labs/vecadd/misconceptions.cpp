// What typical mistakes in adding vectors give.
#include "labs/vecadd/misconceptions.h"

#include <algorithm>
#include <string>

#include "labs/vecadd/vectors.h"

namespace lanewise::labs::vecadd_lab {
namespace {

constexpr std::int64_t kBlockSizes[] = {256, 128, 512, 1024, 64, 32};  // the most likely ones first

Array filled(const Problem& problem, std::byte value) {
  Array array = make_array<float>("c", {integer_scalar(problem, "n")});
  std::fill(array.bytes.begin(), array.bytes.end(), value);
  return array;
}

// The right sums where `is_computed(i)`, `unwritten` bytes elsewhere.
template <class IsComputed>
std::vector<Array> partly(const Problem& problem, std::byte unwritten, const IsComputed& is_computed) {
  Array result = sums(problem);
  float* c = elements<float>(result);
  const Array blank = filled(problem, unwritten);
  const float* nothing = elements<float>(blank);
  const std::int64_t n = integer_scalar(problem, "n");
  for (std::int64_t i = 0; i < n; ++i)
    if (!is_computed(i)) c[i] = nothing[i];
  return {std::move(result)};
}

template <class Combine>
std::vector<Array> combined(const Problem& problem, const Combine& combine) {
  const float* a = elements<float>(find_array(problem.inputs, "a"));
  const float* b = elements<float>(find_array(problem.inputs, "b"));
  Array result = filled(problem, std::byte{0});
  float* c = elements<float>(result);
  const std::int64_t n = integer_scalar(problem, "n");
  for (std::int64_t i = 0; i < n; ++i) c[i] = combine(a[i], b[i]);
  return {std::move(result)};
}

void add_coverage_mistakes(std::byte unwritten, std::vector<Misconception>& list) {
  for (const std::int64_t block : kBlockSizes) {
    list.push_back({"last partial block skipped",
                    "The elements after the last full block were never computed: the number of blocks, n divided by "
                    "the block size, was rounded down. Round it up: (n + threads - 1) / threads.",
                    [=](const Problem& problem) {
                      const std::int64_t covered = integer_scalar(problem, "n") / block * block;
                      return partly(problem, unwritten, [=](std::int64_t i) { return i < covered; });
                    }});
  }
  for (const std::int64_t block : kBlockSizes) {
    list.push_back(
        {"only the first block computed",
         "Only as many elements as one block has threads were computed. Either the grid has a single block, "
         "or every block works on the same elements because the index leaves out blockIdx.x * blockDim.x.",
         [=](const Problem& problem) { return partly(problem, unwritten, [=](std::int64_t i) { return i < block; }); },
         {"racecheck"}});
  }
  for (const std::int64_t block : kBlockSizes) {
    list.push_back(
        {"block index not multiplied by the block size",
         "The computed elements end where blockIdx.x + threadIdx.x ends: block 1 begins at element 1 instead "
         "of at element blockDim.x. The index is blockIdx.x * blockDim.x + threadIdx.x.",
         [=](const Problem& problem) {
           const std::int64_t blocks = (integer_scalar(problem, "n") + block - 1) / block;
           return partly(problem, unwritten, [=](std::int64_t i) { return i < blocks - 1 + block; });
         },
         {"racecheck"}});
  }
  list.push_back(
      {"last n mod 4 elements skipped",
       "The one to three elements after the last group of four were never computed. When n is not a multiple "
       "of 4, some threads have to add single elements.",
       [=](const Problem& problem) {
         const std::int64_t covered = integer_scalar(problem, "n") / 4 * 4;
         return partly(problem, unwritten, [=](std::int64_t i) { return i < covered; });
       }});
}

}  // namespace

std::vector<Misconception> kernel_mistakes(std::byte unwritten) {
  std::vector<Misconception> list;
  add_coverage_mistakes(unwritten, list);
  list.push_back({"subtracted", "The result is a - b where a + b is asked for.",
                  [](const Problem& problem) { return combined(problem, [](float a, float b) { return a - b; }); }});
  list.push_back(
      {"a added to itself",
       "The result is a + a: look for a line that was copied and where a should have become b, in the kernel "
       "or in the copies to the device.",
       [](const Problem& problem) { return combined(problem, [](float a, float) { return a + a; }); }});
  return list;
}

std::vector<Misconception> transfer_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"result never copied back",
                  "c_h was not written at all. The sums are in device memory; a cudaMemcpy with cudaMemcpyDeviceToHost "
                  "brings them back: destination c_h first, then the source d_c.",
                  [](const Problem& problem) { return std::vector<Array>{filled(problem, kPoison)}; }});
  for (const std::byte fresh : kFresh)
    list.push_back(
        {"copied back before the kernel ran",
         "c_h holds one value everywhere, which is what the device memory held before: the result was copied from the "
         "device before a kernel had computed it, or no kernel ran at all. The copy back belongs after the launch.",
         [=](const Problem& problem) { return std::vector<Array>{filled(problem, fresh)}; }});
  const auto never_copied = [&list](const char* name, std::byte fresh, bool lacks_a) {
    list.push_back({name,
                    "One of the inputs was never copied to the device: what its device memory held before was added "
                    "instead. Both need a cudaMemcpy with cudaMemcpyHostToDevice before the launch.",
                    [=](const Problem& problem) {
                      const Array blank = filled(problem, fresh);
                      const float* const nothing = elements<float>(blank);  // the same in every element
                      return combined(problem, [=](float a, float b) { return lacks_a ? *nothing + b : a + *nothing; });
                    },
                    {"initcheck"}});
  };
  for (const std::byte fresh : kFresh) {
    never_copied("a never copied to the device", fresh, true);
    never_copied("b never copied to the device", fresh, false);
  }
  list.push_back({"sizes in elements instead of bytes",
                  "Only the first quarter of the vector arrived. cudaMalloc and cudaMemcpy count bytes: a vector takes "
                  "n * sizeof(float) of them.",
                  [](const Problem& problem) {
                    Array result = filled(problem, kPoison);
                    const Array right = sums(problem);
                    std::copy_n(right.bytes.begin(), right.bytes.size() / sizeof(float), result.bytes.begin());
                    return std::vector<Array>{std::move(result)};
                  },
                  {"initcheck"}});
  return list;
}

}  // namespace lanewise::labs::vecadd_lab
