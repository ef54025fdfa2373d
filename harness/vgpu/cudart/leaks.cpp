#include "harness/vgpu/cudart/leaks.h"

#include <algorithm>
#include <set>
#include <string>

#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu::cudart {
namespace {

constexpr std::size_t kMostPlaces = 8;

/// How memory is allocated.
struct Manner {
  const char* what;
  const char* advice;
};
constexpr Manner kPlain = {"device memory", "Every cudaMalloc needs a cudaFree, on every path out of the function."};
constexpr Manner kOfPool = {"device memory", "Every cudaMallocAsync needs a cudaFreeAsync in a stream."};
constexpr Manner kManaged = {"managed memory", "Every cudaMallocManaged needs a cudaFree."};
constexpr Manner kPinned = {"pinned host memory", "Every cudaMallocHost and cudaHostAlloc needs a cudaFreeHost."};
constexpr Manner kArray = {"CUDA array memory",
                           "Every cudaMallocArray and cudaMalloc3DArray needs a cudaFreeArray, every "
                           "cudaMallocMipmappedArray a cudaFreeMipmappedArray."};
constexpr Manner kHeap = {"memory from malloc() in kernels",
                          "Every malloc() in a kernel needs a free(), which any later kernel may call."};

const Manner& manner_of(const Allocation& allocation, const std::set<std::uint64_t>& arrays) {
  switch (allocation.kind) {
    case MemoryKind::kManaged:
      return kManaged;
    case MemoryKind::kPinned:
      return kPinned;
    case MemoryKind::kHeap:
      return kHeap;
    default:
      if (arrays.count(allocation.address) != 0) return kArray;
      return allocation.pool != 0 ? kOfPool : kPlain;
  }
}

/// What one call has allocated.
struct Leak {
  const Allocation* first = nullptr;
  const Manner* manner = nullptr;
  std::uint64_t count = 0, bytes = 0;
};

Finding as_note(const Leak& leak) {
  Finding note;
  note.tool = "memcheck";
  note.kind = "leak";
  note.array = name_of(*leak.first);
  note.site = leak.first->site;
  note.sentence =
      leak.count == 1
          ? note.array + ", " + with_commas(leak.bytes) + " bytes of " + leak.manner->what + ", was never freed"
          : with_commas(leak.count) + " allocations like " + note.array + ", together " + with_commas(leak.bytes) +
                " bytes of " + leak.manner->what + ", were never freed";
  note.advice = leak.manner->advice;
  note.count = leak.count;
  return note;
}

}  // namespace

std::vector<Finding> leaks_on(const DeviceState& device) {
  if (device.sticky != cudaSuccess) return {};
  std::set<std::uint64_t> arrays;
  for (const auto& [handle, array] : device.images.arrays) arrays.insert(array->image.address);

  std::vector<const Allocation*> left;
  for (const auto& [address, allocation] : device.memory->allocations()) {
    const bool by_program = !is_variable(allocation.kind) && allocation.kind != MemoryKind::kCode;
    if (by_program && !allocation.freed && !is_of_another_process(allocation) && allocation.name.empty())
      left.push_back(&allocation);
  }
  std::sort(left.begin(), left.end(), [](const auto* a, const auto* b) { return a->serial < b->serial; });
  std::vector<Leak> leaks;
  for (const Allocation* const allocation : left) {
    const Manner& manner = manner_of(*allocation, arrays);
    // Where it is not known what code made the call, sizes tell allocations apart.
    const auto is_alike = [&](const Leak& leak) {
      return leak.manner == &manner && leak.first->site == allocation->site &&
             (allocation->site != 0 || leak.first->bytes == allocation->bytes || &manner == &kHeap);
    };
    auto known = std::find_if(leaks.begin(), leaks.end(), is_alike);
    if (known == leaks.end()) known = leaks.insert(known, {allocation, &manner, 0, 0});
    ++known->count;
    known->bytes += allocation->bytes;
  }
  std::stable_sort(leaks.begin(), leaks.end(), [](const Leak& a, const Leak& b) { return a.bytes > b.bytes; });

  std::vector<Finding> notes;
  Leak rest;
  for (const Leak& leak : leaks) {
    if (notes.size() < kMostPlaces) {
      notes.push_back(as_note(leak));
      continue;
    }
    rest.count += leak.count;
    rest.bytes += leak.bytes;
  }
  if (rest.count == 0) return notes;
  Finding note;
  note.tool = "memcheck";
  note.kind = "leak";
  note.sentence = with_commas(rest.count) + (rest.count == 1 ? " more allocation, " : " more allocations, together ") +
                  with_commas(rest.bytes) + (rest.count == 1 ? " bytes, was" : " bytes, were") + " never freed";
  note.count = rest.count;
  notes.push_back(std::move(note));
  return notes;
}

}  // namespace vgpu::cudart
