// cuFFT: making plans, and their settings.
#include <algorithm>
#include <map>

#include "harness/vgpu/libraries/cufft_plan.h"

using namespace vgpu::libraries;

namespace {

constexpr int kNoPlan = -1;  // CUFFT_PLAN_NULL
constexpr int kVersion = 12000;

struct Plans {
  std::mutex mutex;
  std::map<int, std::shared_ptr<FftPlan>> all;
  int last = 0;
};
Plans& plans() {
  static auto* const kPlans = new Plans();  // never destroyed: plans may be used when the program ends
  return *kPlans;
}
int create(int* handle) {
  if (handle == nullptr) return kFftInvalidValue;
  const std::lock_guard<std::mutex> lock(plans().mutex);
  *handle = ++plans().last;
  plans().all[*handle] = std::make_shared<FftPlan>();
  return kFftSuccess;
}
int destroy(int handle) {
  const std::lock_guard<std::mutex> lock(plans().mutex);
  return handle == kNoPlan || plans().all.erase(handle) == 1 ? kFftSuccess : kFftInvalidPlan;
}

/// What a caller asks for; `I` is int or long long.
template <class I>
struct Layout {
  const I* embed = nullptr;
  I stride = 1, distance = 0;
};
template <class I>
struct Wanted {
  int rank;
  const I* lengths;
  int type;
  I batch = 1;
  Layout<I> from{}, to{};
};

ArrayLayout layout_of(std::array<std::size_t, 3> counts, std::size_t batch, const std::array<std::size_t, 3>& embed,
                      std::size_t stride, std::size_t distance) {
  const std::size_t line = embed[2] * stride;
  return {{batch, counts[0], counts[1], counts[2]}, {distance, embed[1] * line, line, stride}};
}
ArrayLayout without_gaps(const std::array<std::size_t, 3>& counts, std::size_t batch, std::size_t line) {
  const std::array<std::size_t, 3> embed{counts[0], counts[1], line};
  return layout_of(counts, batch, embed, 1, counts[0] * counts[1] * line);
}

/// Makes a new plan, or says what is wrong with it.
template <class I>
int make(const Wanted<I>& wanted, FftPlan& plan) {
  constexpr double kMostElements = 1LL << 45;
  if (wanted.batch < 1) return kFftInvalidSize;
  double elements = static_cast<double>(wanted.batch);
  const auto skipped = static_cast<std::size_t>(3 - wanted.rank);
  plan.batch = static_cast<std::size_t>(wanted.batch);
  for (std::size_t d = 0; skipped + d < 3; ++d) {
    if (wanted.lengths[d] < 1) return kFftInvalidSize;
    plan.lengths[skipped + d] = static_cast<std::size_t>(wanted.lengths[d]);
    elements *= static_cast<double>(wanted.lengths[d]);
  }
  if (elements > kMostElements) return kFftInvalidSize;

  std::array<std::size_t, 3> half = plan.lengths;
  half[2] = half[2] / 2 + 1;
  const int kind = wanted.type & ~kDouble;
  const std::array<std::size_t, 3>& from = kind == kComplexToReal ? half : plan.lengths;
  const std::array<std::size_t, 3>& to = kind == kRealToComplex ? half : plan.lengths;
  // Without both of these, the rest of a layout does not count.
  if (wanted.from.embed == nullptr || wanted.to.embed == nullptr) {
    plan.from = without_gaps(from, plan.batch, from[2]);
    plan.to = without_gaps(to, plan.batch, to[2]);
    plan.padded = without_gaps(plan.lengths, plan.batch, 2 * half[2]);
    plan.is_padded_in_place = kind != kComplexToComplex;
  } else {
    const auto given = [&](const Layout<I>& side, const std::array<std::size_t, 3>& counts,
                           ArrayLayout& layout) -> int {
      if (side.stride < 1 || (side.distance < 1 && plan.batch > 1)) return kFftInvalidValue;
      const I distance = std::max<I>(side.distance, 1);
      std::array<std::size_t, 3> embed{1, 1, 1};
      double extent = static_cast<double>(side.stride) * static_cast<double>(counts[skipped]);
      for (std::size_t d = 1; skipped + d < 3; ++d) {
        if (side.embed[d] < 1) return kFftInvalidSize;
        embed[skipped + d] = static_cast<std::size_t>(side.embed[d]);
        extent *= static_cast<double>(side.embed[d]);
      }
      extent += static_cast<double>(distance) * static_cast<double>(plan.batch);
      if (extent > kMostElements) return kFftInvalidSize;
      layout = layout_of(counts, plan.batch, embed, static_cast<std::size_t>(side.stride),
                         static_cast<std::size_t>(distance));
      return kFftSuccess;
    };
    if (const int status = given(wanted.from, from, plan.from); status != kFftSuccess) return status;
    if (const int status = given(wanted.to, to, plan.to); status != kFftSuccess) return status;
  }
  plan.type = wanted.type;
  return kFftSuccess;
}

/// What NVIDIA's looks at before the handle.
template <class I>
int check(const Wanted<I>& wanted, const std::size_t* size) {
  const int kind = wanted.type & ~kDouble;
  if (wanted.rank < 1 || wanted.rank > 3 || wanted.lengths == nullptr || size == nullptr) return kFftInvalidValue;
  return kind == kComplexToComplex || kind == kRealToComplex || kind == kComplexToReal ? kFftSuccess : kFftInvalidType;
}
/// A work area is not needed.
template <class I>
int estimate(const Wanted<I>& wanted, std::size_t* size) {
  if (const int status = check(wanted, size); status != kFftSuccess) return status;
  FftPlan plan;
  *size = 0;
  return make(wanted, plan);
}
template <class I>
int estimate_for(int handle, const Wanted<I>& wanted, std::size_t* size) {
  if (const int status = check(wanted, size); status != kFftSuccess) return status;
  return find_plan(handle) != nullptr ? estimate(wanted, size) : kFftInvalidPlan;
}
template <class I>
int make_for(int handle, const Wanted<I>& wanted, std::size_t* size) {
  if (const int status = check(wanted, size); status != kFftSuccess) return status;
  const std::shared_ptr<FftPlan> plan = find_plan(handle);
  if (plan == nullptr || plan->type != 0) return kFftInvalidPlan;
  *size = 0;
  FftPlan made;
  if (const int status = make(wanted, made); status != kFftSuccess) return status;
  made.stream = plan->stream;
  *plan = made;
  return kFftSuccess;
}
int create_and_make(int* handle, const Wanted<int>& wanted) {
  std::size_t size = 0;
  if (handle == nullptr) return kFftInvalidValue;
  if (const int status = check(wanted, &size); status != kFftSuccess) return status;
  int made = kNoPlan;
  create(&made);
  const int status = make_for(made, wanted, &size);
  if (status == kFftSuccess)
    *handle = made;
  else
    destroy(made);
  return status;
}

}  // namespace

std::shared_ptr<FftPlan> vgpu::libraries::find_plan(int handle) {
  const std::lock_guard<std::mutex> lock(plans().mutex);
  const auto found = plans().all.find(handle);
  return found != plans().all.end() ? found->second : nullptr;
}

VGPU_LIBRARY_API int cufftCreate(int* plan) { return create(plan); }
VGPU_LIBRARY_API int cufftDestroy(int plan) { return destroy(plan); }
VGPU_LIBRARY_API int cufftSetStream(int handle, cudaStream_t stream) {
  const std::shared_ptr<FftPlan> plan = find_plan(handle);
  if (plan == nullptr) return kFftInvalidPlan;
  plan->stream = stream;
  return kFftSuccess;
}
VGPU_LIBRARY_API int cufftSetAutoAllocation(int plan, int) {
  return find_plan(plan) != nullptr ? kFftSuccess : kFftInvalidPlan;
}
VGPU_LIBRARY_API int cufftSetWorkArea(int plan, void*) {
  return find_plan(plan) != nullptr ? kFftSuccess : kFftInvalidPlan;
}
VGPU_LIBRARY_API int cufftGetSize(int plan, std::size_t* size) {
  if (size == nullptr) return kFftInvalidValue;
  if (find_plan(plan) == nullptr) return kFftInvalidPlan;
  *size = 0;
  return kFftSuccess;
}
VGPU_LIBRARY_API int cufftGetVersion(int* version) {
  if (version != nullptr) *version = kVersion;
  return kFftSuccess;
}
VGPU_LIBRARY_API int cufftGetProperty(int type, int* value) {
  constexpr int kParts[] = {kVersion / 1000, kVersion / 100 % 10, kVersion % 100};
  if (value == nullptr) return kFftInvalidValue;
  if (type < 0 || type > 2) return kFftInvalidType;
  *value = kParts[type];
  return kFftSuccess;
}

// Each of these makes a plan with a handle or for one, or says how large a work area would be.
VGPU_LIBRARY_API int cufftPlan1d(int* plan, int x, int type, int batch) {
  return create_and_make(plan, Wanted<int>{1, &x, type, batch});
}
VGPU_LIBRARY_API int cufftMakePlan1d(int plan, int x, int type, int batch, std::size_t* size) {
  return make_for(plan, Wanted<int>{1, &x, type, batch}, size);
}
VGPU_LIBRARY_API int cufftEstimate1d(int x, int type, int batch, std::size_t* size) {
  return estimate(Wanted<int>{1, &x, type, batch}, size);
}
VGPU_LIBRARY_API int cufftGetSize1d(int plan, int x, int type, int batch, std::size_t* size) {
  return estimate_for(plan, Wanted<int>{1, &x, type, batch}, size);
}
VGPU_LIBRARY_API int cufftPlan2d(int* plan, int x, int y, int type) {
  const int lengths[] = {x, y};
  return create_and_make(plan, Wanted<int>{2, lengths, type});
}
VGPU_LIBRARY_API int cufftMakePlan2d(int plan, int x, int y, int type, std::size_t* size) {
  const int lengths[] = {x, y};
  return make_for(plan, Wanted<int>{2, lengths, type}, size);
}
VGPU_LIBRARY_API int cufftEstimate2d(int x, int y, int type, std::size_t* size) {
  const int lengths[] = {x, y};
  return estimate(Wanted<int>{2, lengths, type}, size);
}
VGPU_LIBRARY_API int cufftGetSize2d(int plan, int x, int y, int type, std::size_t* size) {
  const int lengths[] = {x, y};
  return estimate_for(plan, Wanted<int>{2, lengths, type}, size);
}
VGPU_LIBRARY_API int cufftPlan3d(int* plan, int x, int y, int z, int type) {
  const int lengths[] = {x, y, z};
  return create_and_make(plan, Wanted<int>{3, lengths, type});
}
VGPU_LIBRARY_API int cufftMakePlan3d(int plan, int x, int y, int z, int type, std::size_t* size) {
  const int lengths[] = {x, y, z};
  return make_for(plan, Wanted<int>{3, lengths, type}, size);
}
VGPU_LIBRARY_API int cufftEstimate3d(int x, int y, int z, int type, std::size_t* size) {
  const int lengths[] = {x, y, z};
  return estimate(Wanted<int>{3, lengths, type}, size);
}
VGPU_LIBRARY_API int cufftGetSize3d(int plan, int x, int y, int z, int type, std::size_t* size) {
  const int lengths[] = {x, y, z};
  return estimate_for(plan, Wanted<int>{3, lengths, type}, size);
}
VGPU_LIBRARY_API int cufftPlanMany(int* plan, int rank, int* lengths, int* from, int from_stride, int from_distance,
                                   int* to, int to_stride, int to_distance, int type, int batch) {
  return create_and_make(
      plan, Wanted<int>{rank, lengths, type, batch, {from, from_stride, from_distance}, {to, to_stride, to_distance}});
}
VGPU_LIBRARY_API int cufftMakePlanMany(int plan, int rank, int* lengths, int* from, int from_stride, int from_distance,
                                       int* to, int to_stride, int to_distance, int type, int batch,
                                       std::size_t* size) {
  return make_for(
      plan, Wanted<int>{rank, lengths, type, batch, {from, from_stride, from_distance}, {to, to_stride, to_distance}},
      size);
}
VGPU_LIBRARY_API int cufftEstimateMany(int rank, int* lengths, int* from, int from_stride, int from_distance, int* to,
                                       int to_stride, int to_distance, int type, int batch, std::size_t* size) {
  return estimate(
      Wanted<int>{rank, lengths, type, batch, {from, from_stride, from_distance}, {to, to_stride, to_distance}}, size);
}
VGPU_LIBRARY_API int cufftGetSizeMany(int plan, int rank, int* lengths, int* from, int from_stride, int from_distance,
                                      int* to, int to_stride, int to_distance, int type, int batch, std::size_t* size) {
  return estimate_for(
      plan, Wanted<int>{rank, lengths, type, batch, {from, from_stride, from_distance}, {to, to_stride, to_distance}},
      size);
}
VGPU_LIBRARY_API int cufftMakePlanMany64(int plan, int rank, long long* lengths, long long* from, long long from_stride,
                                         long long from_distance, long long* to, long long to_stride,
                                         long long to_distance, int type, long long batch, std::size_t* size) {
  return make_for(
      plan,
      Wanted<long long>{rank, lengths, type, batch, {from, from_stride, from_distance}, {to, to_stride, to_distance}},
      size);
}
VGPU_LIBRARY_API int cufftGetSizeMany64(int plan, int rank, long long* lengths, long long* from, long long from_stride,
                                        long long from_distance, long long* to, long long to_stride,
                                        long long to_distance, int type, long long batch, std::size_t* size) {
  return estimate_for(
      plan,
      Wanted<long long>{rank, lengths, type, batch, {from, from_stride, from_distance}, {to, to_stride, to_distance}},
      size);
}
