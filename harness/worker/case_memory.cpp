// Places arrays between guard bands; the one file where the two runtimes are treated differently.
//
// NVIDIA's runtime: guard, array and guard are one allocation, or one piece of a block. The virtual GPU: the array is
// the whole allocation, so that its memcheck sees an access one element past the end; the guards are the red zones it
// keeps around every allocation.
#include "harness/worker/case_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace lanewise {
namespace {

using protocol::ArrayPlace;
using protocol::kArrayAlignment;
using protocol::kGuardBytes;

constexpr int kPoison = 0xA5;  // lanewise::kPoison; the worker includes nothing of harness/lab
/// Another one for each array, so that a kernel that copies too many elements is seen to have done so.
constexpr int guard_fill(std::size_t array) { return 0x40 + static_cast<int>(array % 0x20); }

static_assert(kGuardBytes % kArrayAlignment == 0, "an array behind its guard band must stay aligned");

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

// Long arrays begin a page of the device's, as cudaMalloc has them do; many short ones share one.
std::uint64_t begin_of_piece(std::uint64_t used, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  const std::uint64_t alignment = bytes >= kPage / 2 ? kPage : 2 * kArrayAlignment;
  return (used + alignment - 1) / alignment * alignment;
}

bool lies_within(std::uint64_t offset, std::uint64_t bytes, std::uint64_t memory) {
  return offset % kArrayAlignment == 0 && offset <= memory && bytes <= memory - offset;
}

}  // namespace

unsigned element_bytes(std::uint8_t dtype) {
  constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};  // by lanewise::DType
  return dtype < sizeof(kBytes) / sizeof(kBytes[0]) ? kBytes[dtype] : 1;
}

CaseMemory::~CaseMemory() {
  for (std::size_t i = 0; i < placed_.size(); ++i) release(i);
  if (is_pinned_) runtime_.unpin(shared_);
  if (shared_) munmap(shared_, description_.memory_bytes);
}

void CaseMemory::release(std::size_t index) {
  PlacedArray& placed = placed_[index];
  if (placed.allocation && description_.in_host_memory) {
    runtime_.unpin(placed.allocation);
    runtime_.take_last_error();  // a submission may have done so already
    std::free(placed.allocation);
  } else if (placed.allocation) {
    runtime_.release(placed.allocation);
  }
  placed = {};
}

std::string CaseMemory::prepare(const protocol::Prepare& prepare, int descriptor) {
  if (prepare.is_placed != 0) return take_placed(prepare);
  const bool is_anew = descriptor == -1;
  if (is_anew &&
      (!shared_ || prepare.memory_bytes != description_.memory_bytes ||
       prepare.in_host_memory != description_.in_host_memory || prepare.array_count != description_.array_count))
    return "there is no shared memory of that size";
  const auto is_placed = [&](std::size_t index) {
    const ArrayPlace& was = description_.arrays[index];
    const ArrayPlace& is = prepare.arrays[index];
    return was.bytes == is.bytes && was.dtype == is.dtype && was.is_output == is.is_output &&
           std::strncmp(was.name, is.name, sizeof(is.name)) == 0;
  };
  for (std::size_t i = 0; is_anew && i < placed_.size(); ++i)
    if (!is_placed(i)) release(i);

  description_ = prepare;
  are_outputs_settled_ = false;
  arrays_.clear();
  scalars_.clear();
  if (std::string failure = is_anew ? check_offsets() : map(descriptor); !failure.empty()) return failure;
  placed_.resize(description_.array_count);
  if (block_ && !description_.in_host_memory)
    if (std::string failure = place_in_block(); !failure.empty()) return failure;
  for (std::size_t i = 0; i < description_.array_count; ++i) {
    if (std::string failure = place(i); !failure.empty()) return failure;
    if (std::string failure = upload(i); !failure.empty()) return failure;
  }
  take_scalars();
  if (!description_.in_host_memory)
    if (const cudaError_t error = runtime_.synchronise(); error != cudaSuccess)
      return describe_error(runtime_, "cudaDeviceSynchronize", error);
  return "";
}

std::string CaseMemory::take_placed(const protocol::Prepare& prepare) {
  if (prepare.array_count > protocol::kMostArrays || prepare.scalar_count > protocol::kMostScalars)
    return "the case has more arrays or scalars than a message can hold";
  description_ = prepare;
  placed_.assign(description_.array_count, {});
  arrays_.clear();
  scalars_.clear();
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    const ArrayPlace& place = description_.arrays[i];
    if (place.device_address != 0)
      placed_[i].data =
          block_ ? block_->data() + place.device_address : reinterpret_cast<std::byte*>(place.device_address);
    arrays_.push_back({place.name, placed_[i].data, place.bytes, place.dtype, place.is_output});
  }
  take_scalars();
  return "";
}

void CaseMemory::take_scalars() {
  for (std::size_t i = 0; i < description_.scalar_count; ++i) {
    const protocol::ScalarValue& scalar = description_.scalars[i];
    scalars_.push_back({scalar.name, scalar.integer, scalar.real});
  }
}

std::string CaseMemory::map(int descriptor) {
  const std::uint64_t bytes = description_.memory_bytes;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (mapped == MAP_FAILED) return "the case's shared memory cannot be mapped";
  shared_ = static_cast<std::byte*>(mapped);
  // Pinning takes longer than it saves for a single case. Where it cannot be had, copies are slower and that is all.
  if (description_.is_timed != 0 && !runtime_.is_virtual()) {
    is_pinned_ = runtime_.pin(shared_, bytes, cudaHostRegisterDefault) == cudaSuccess;
    if (!is_pinned_) runtime_.take_last_error();
  }
  return check_offsets();
}

std::string CaseMemory::check_offsets() const {
  const std::uint64_t bytes = description_.memory_bytes;
  if (description_.array_count > protocol::kMostArrays || description_.scalar_count > protocol::kMostScalars)
    return "the case has more arrays or scalars than a message can hold";
  bool fits = true;
  for (std::size_t i = 0; i < description_.array_count; ++i) {
    const ArrayPlace& place = description_.arrays[i];
    fits = fits && lies_within(place.offset, place.bytes, bytes) &&
           lies_within(place.guard_before, kGuardBytes, bytes) && lies_within(place.guard_after, kGuardBytes, bytes);
  }
  return fits ? "" : "the case's arrays do not fit into its shared memory";
}

std::string CaseMemory::place_in_block() {
  std::vector<std::uint64_t> offsets;
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < description_.array_count; ++i) {
    const std::uint64_t guarded = kGuardBytes + description_.arrays[i].bytes + kGuardBytes;
    offsets.push_back(begin_of_piece(used, guarded));
    if (description_.arrays[i].bytes != 0) used = offsets.back() + guarded;
  }
  if (used > block_->bytes())
    if (std::string failure = block_->allocate(used); !failure.empty()) return failure;
  for (std::size_t i = 0; i < description_.array_count; ++i) {
    const bool is_empty = description_.arrays[i].bytes == 0;
    placed_[i] = {nullptr, is_empty ? nullptr : block_->data() + offsets[i] + kGuardBytes};
  }
  return "";
}

// Allocates the array unless it is there already, and lays its guard bands.
std::string CaseMemory::place(std::size_t index) {
  const ArrayPlace& place = description_.arrays[index];
  PlacedArray& placed = placed_[index];
  const std::uint64_t guarded = kGuardBytes + place.bytes + kGuardBytes;
  if (place.bytes == 0 || placed.data) {
    // Nothing to allocate. The guard bands of an empty array stay as they are in shared memory.
  } else if (description_.in_host_memory) {
    placed.allocation = std::aligned_alloc(kArrayAlignment, rounded_up(guarded));
    if (!placed.allocation) return "there is not enough host memory for the case's arrays";
    if (std::string failure = pin(placed.allocation, rounded_up(guarded)); !failure.empty()) return failure;
    placed.data = static_cast<std::byte*>(placed.allocation) + kGuardBytes;
  } else {
    const std::uint64_t bytes = runtime_.is_virtual() ? place.bytes : guarded;
    if (const cudaError_t error = runtime_.allocate(&placed.allocation, bytes); error != cudaSuccess)
      return describe_error(runtime_, "cudaMalloc", error);
    placed.data = static_cast<std::byte*>(placed.allocation);
    if (runtime_.is_virtual()) {
      const std::string name = std::string("d_") + place.name;  // as contracts call device memory
      runtime_.vgpu.name_allocation(placed.allocation, name.c_str(), element_bytes(place.dtype));
      if (!place.is_output) runtime_.vgpu.set_read_only(placed.allocation);
    } else {
      placed.data += kGuardBytes;
    }
  }
  arrays_.push_back({place.name, placed.data, place.bytes, place.dtype, place.is_output});
  return lay_guards(index);
}

// Host memory that a contract hands out is pinned. Kernels have no business there: on the virtual GPU they are told so.
std::string CaseMemory::pin(void* memory, std::uint64_t bytes) {
  if (runtime_.is_virtual()) {
    runtime_.vgpu.pin_for_copies(memory, bytes);
    return "";
  }
  const cudaError_t error = runtime_.pin(memory, bytes, cudaHostRegisterDefault);
  return error == cudaSuccess ? "" : describe_error(runtime_, "cudaHostRegister", error);
}

std::string CaseMemory::lay_guards(std::size_t index) {
  std::byte* const data = placed_[index].data;
  if (!data) return "";
  for (std::byte* const band : {data - kGuardBytes, data + description_.arrays[index].bytes}) {
    if (description_.in_host_memory) {
      std::memset(band, guard_fill(index), kGuardBytes);
    } else if (!runtime_.is_virtual()) {
      if (const cudaError_t error = runtime_.fill(band, guard_fill(index), kGuardBytes); error != cudaSuccess)
        return describe_error(runtime_, "cudaMemset", error);
    }
  }
  return "";
}

std::string CaseMemory::upload(std::size_t index) {
  const ArrayPlace& place = description_.arrays[index];
  std::byte* const data = placed_[index].data;
  if (!data) return "";
  if (description_.in_host_memory) {
    if (place.is_output)
      std::memset(data, kPoison, place.bytes);
    else
      std::memcpy(data, shared_ + place.offset, place.bytes);
  } else if (place.is_output) {
    if (const cudaError_t error = runtime_.fill(data, kPoison, place.bytes); error != cudaSuccess)
      return describe_error(runtime_, "cudaMemset", error);
    // A contract's outputs hold nothing a submission may rely on: the poison is no value.
    if (runtime_.is_virtual()) runtime_.vgpu.forget_contents(data);
  } else if (const cudaError_t error = runtime_.copy(data, shared_ + place.offset, place.bytes, cudaMemcpyHostToDevice);
             error != cudaSuccess) {
    return describe_error(runtime_, "cudaMemcpy", error);
  }
  return read_guards(index) ? "" : "the guard bands around the case's arrays cannot be read";
}

bool CaseMemory::read_guards(std::size_t index) {
  const ArrayPlace& place = description_.arrays[index];
  const std::byte* const data = placed_[index].data;
  if (!data) return true;
  struct Band {
    std::byte* to;
    const std::byte* from;
  };
  const Band bands[] = {{shared_ + place.guard_before, data - kGuardBytes},
                        {shared_ + place.guard_after, data + place.bytes}};
  for (const Band& band : bands) {
    if (description_.in_host_memory)
      std::memcpy(band.to, band.from, kGuardBytes);
    else if (runtime_.is_virtual()
                 ? runtime_.vgpu.read_memory(band.to, band.from, kGuardBytes) != 0
                 : runtime_.copy(band.to, band.from, kGuardBytes, cudaMemcpyDeviceToHost) != cudaSuccess)
      return false;
  }
  return true;
}

std::string CaseMemory::poison_outputs() {
  are_outputs_settled_ = false;
  for (std::size_t i = 0; i < description_.array_count; ++i) {
    if (!description_.arrays[i].is_output) continue;
    if (std::string failure = upload(i); !failure.empty()) return failure;
  }
  return "";
}

void CaseMemory::settle_outputs() {
  if (!description_.in_host_memory || description_.is_placed != 0) return;
  for (std::size_t i = 0; i < description_.array_count; ++i) {
    const ArrayPlace& place = description_.arrays[i];
    if (place.is_output && placed_[i].data) std::memcpy(shared_ + place.offset, placed_[i].data, place.bytes);
  }
  are_outputs_settled_ = true;
}

bool CaseMemory::fetch(std::size_t index) {
  const ArrayPlace& place = description_.arrays[index];
  const std::byte* const data = placed_[index].data;
  if (!data) return true;
  const bool is_settled = are_outputs_settled_ && place.is_output;
  if (description_.in_host_memory && !is_settled)
    std::memcpy(shared_ + place.offset, data, place.bytes);
  else if (!description_.in_host_memory &&
           runtime_.copy(shared_ + place.offset, data, place.bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  return read_guards(index);
}

bool CaseMemory::fetch() {
  for (std::size_t i = 0; i < description_.array_count; ++i)
    if (!fetch(i)) return false;
  return true;
}

bool CaseMemory::fetch_outputs() {
  for (std::size_t i = 0; i < description_.array_count; ++i)
    if (description_.arrays[i].is_output ? !fetch(i) : !read_guards(i)) return false;
  return true;
}

LanewiseCall CaseMemory::call() const {
  return {arrays_.data(), description_.array_count, scalars_.data(), description_.scalar_count};
}

}  // namespace lanewise
