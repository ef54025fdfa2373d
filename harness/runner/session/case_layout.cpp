// Offsets, uploads and comparisons for one case.
#include "harness/runner/session/case_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "harness/runner/parallel.h"

namespace lanewise {
namespace {

using protocol::kArrayAlignment;
using protocol::kGuardBytes;

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

// One core moves a few gigabytes per second; a timed case has that much for every sample. Calls job(begin, end)
// for pieces that make up [0, bytes).
void for_pieces(std::uint64_t bytes, const std::function<void(std::uint64_t, std::uint64_t)>& job) {
  constexpr std::uint64_t kPiece = std::uint64_t{8} << 20;
  constexpr unsigned kMostThreads = 8;
  const std::uint64_t pieces = (bytes + kPiece - 1) / kPiece;
  if (pieces <= 1) {
    if (bytes != 0) job(0, bytes);
    return;
  }
  const unsigned threads = std::min(kMostThreads, std::max(1U, std::thread::hardware_concurrency()));
  run_in_parallel(pieces, threads,
                  [&](std::size_t i) { job(i * kPiece, std::min<std::uint64_t>(bytes, (i + 1) * kPiece)); });
}

void copy_bytes(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  for_pieces(bytes,
             [&](std::uint64_t begin, std::uint64_t end) { std::memcpy(to + begin, from + begin, end - begin); });
}

bool are_equal(const std::byte* a, const std::byte* b, std::uint64_t bytes) {
  std::atomic<bool> equal{true};
  for_pieces(bytes, [&](std::uint64_t begin, std::uint64_t end) {
    if (std::memcmp(a + begin, b + begin, end - begin) != 0) equal = false;
  });
  return equal;
}

// Memory that is to serve other seeds of a random problem as well is a little larger than the first one needs.
std::uint64_t with_slack(std::uint64_t bytes) { return rounded_up(bytes + bytes / 16); }

// Hands out consecutive aligned pieces of the shared memory.
class Ruler {
 public:
  std::uint64_t take(std::uint64_t bytes) {
    const std::uint64_t offset = used_;
    used_ += rounded_up(bytes);
    return offset;
  }
  std::uint64_t used() const { return used_; }

 private:
  std::uint64_t used_ = 0;
};

// A name that fits its field, or the sentence that says it does not.
template <std::size_t N>
bool put_name(char (&field)[N], const std::string& name) {
  protocol::set_text(field, name);
  return name.size() < N;
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

bool describe(const Problem& problem, protocol::Prepare& message) {
  Ruler ruler;
  const auto add = [&](const ArrayShape& shape, bool is_output) {
    protocol::ArrayPlace& place = message.arrays[message.array_count++];
    place.bytes = byte_count(shape);
    place.offset = ruler.take(place.bytes);
    place.guard_before = ruler.take(kGuardBytes);
    place.guard_after = ruler.take(kGuardBytes);
    place.dtype = static_cast<std::uint8_t>(shape.dtype);
    place.is_output = is_output;
    return put_name(place.name, shape.name);
  };
  bool fits = true;
  for (const Array& input : problem.inputs) fits = add(input, false) && fits;
  for (const ArrayShape& output : problem.outputs) fits = add(output, true) && fits;
  for (const Scalar& scalar : problem.scalars) {
    protocol::ScalarValue& value = message.scalars[message.scalar_count++];
    fits = put_name(value.name, scalar.name) && fits;
    const auto* integer = std::get_if<std::int64_t>(&scalar.value);
    value.real = integer ? static_cast<double>(*integer) : std::get<double>(scalar.value);
    value.integer = integer ? *integer : static_cast<std::int64_t>(value.real);
  }
  message.memory_bytes = ruler.used();
  message.in_host_memory = problem.space == Space::kHost;
  return fits;
}

}  // namespace

std::string contract_name(const Problem& problem, const std::string& array) {
  return problem.space == Space::kDevice ? "d_" + array : array + "_h";
}

Expected<protocol::Prepare> lay_out(const Problem& problem) {
  if (problem.inputs.size() + problem.outputs.size() > protocol::kMostArrays ||
      problem.scalars.size() > protocol::kMostScalars)
    return Failure{
        fmt::format("a task may have at most {} arrays and {} scalars", protocol::kMostArrays, protocol::kMostScalars)};
  auto message = protocol::make_message<protocol::Prepare>();
  if (!describe(problem, message))
    return Failure{fmt::format("names of arrays and scalars must be shorter than {} bytes", protocol::kNameBytes)};
  for (const Array& input : problem.inputs)
    if (input.bytes.size() != byte_count(input))
      return Failure{fmt::format("the input '{}' does not hold as many bytes as its shape requires", input.name)};
  return message;
}

CaseLayout::CaseLayout(const Problem& problem, const CaseOptions& options, SharedMemory memory,
                       const protocol::Prepare& message)
    : problem_(&problem), options_(options), memory_(std::move(memory)), message_(message), id_(next_id()) {
  message_.memory_id = id_;
}

Expected<CaseLayout> CaseLayout::create(const Problem& problem, const CaseOptions& options) {
  auto laid_out = lay_out(problem);
  if (!laid_out) return laid_out.failure();
  protocol::Prepare& message = *laid_out;
  if (options.is_timed) {
    message.is_timed = 1;
    message.memory_bytes = with_slack(message.memory_bytes);
  }
  auto memory = SharedMemory::create(message.memory_bytes);
  if (!memory) return memory.failure();
  CaseLayout layout(problem, options, std::move(*memory), message);
  layout.write_inputs();
  return layout;
}

std::optional<Failure> CaseLayout::renew(const Problem& problem) {
  auto laid_out = lay_out(problem);
  if (!laid_out) return laid_out.failure();
  protocol::Prepare& message = *laid_out;
  bool is_same = message.in_host_memory == message_.in_host_memory && message.array_count == message_.array_count &&
                 message.scalar_count == message_.scalar_count;
  for (std::size_t i = 0; is_same && i < message.array_count; ++i) {
    const protocol::ArrayPlace& was = message_.arrays[i];
    const protocol::ArrayPlace& is = message.arrays[i];
    is_same = std::strcmp(was.name, is.name) == 0 && was.dtype == is.dtype && was.is_output == is.is_output;
  }
  for (std::size_t i = 0; is_same && i < message.scalar_count; ++i)
    is_same = std::strcmp(message_.scalars[i].name, message.scalars[i].name) == 0;
  if (!is_same) return Failure{"the arrays and scalars of a timed case must not change between samples"};

  if (message.memory_bytes > memory_.size()) {
    auto memory = SharedMemory::create(with_slack(message.memory_bytes));
    if (!memory) return memory.failure();
    memory_ = std::move(*memory);
    is_shared_ = false;
  }
  message.memory_bytes = memory_.size();
  message.memory_id = id_;
  message.is_timed = message_.is_timed;
  message_ = message;
  problem_ = &problem;
  write_inputs();
  return std::nullopt;
}

void CaseLayout::write_inputs() {
  for (std::size_t i = 0; i < problem_->inputs.size(); ++i)
    copy_bytes(memory_.data() + message_.arrays[i].offset, problem_->inputs[i].bytes.data(), message_.arrays[i].bytes);
}

void CaseLayout::remember_guards() {
  guards_.resize(std::size_t{2} * message_.array_count * kGuardBytes);
  for (std::size_t i = 0; i < message_.array_count; ++i) {
    const protocol::ArrayPlace& place = message_.arrays[i];
    std::memcpy(&guards_[2 * i * kGuardBytes], memory_.data() + place.guard_before, kGuardBytes);
    std::memcpy(&guards_[(2 * i + 1) * kGuardBytes], memory_.data() + place.guard_after, kGuardBytes);
  }
}

void CaseLayout::compare_guards(std::size_t array, CaseObservation& observation) const {
  const protocol::ArrayPlace& place = message_.arrays[array];
  const std::size_t size = size_of(static_cast<DType>(place.dtype));
  constexpr auto kBand = static_cast<std::int64_t>(kGuardBytes);
  for (const bool is_after : {false, true}) {
    const std::byte* const was = &guards_[(2 * array + (is_after ? 1 : 0)) * kGuardBytes];
    const std::byte* const is = memory_.data() + (is_after ? place.guard_after : place.guard_before);
    // Whole elements, since a stray element may share some of its bytes with what was there.
    std::uint64_t changed = 0;
    std::int64_t nearest = 0;  // element index within the band: after the array the first one, before it the last
    for (std::size_t i = 0; i < kGuardBytes / size; ++i) {
      if (std::memcmp(was + i * size, is + i * size, size) == 0) continue;
      if (!is_after || changed == 0) nearest = static_cast<std::int64_t>(i);
      ++changed;
    }
    if (changed == 0) continue;
    const auto step = static_cast<std::int64_t>(size);
    const std::int64_t index =
        is_after ? static_cast<std::int64_t>(place.bytes) / step + nearest : nearest - kBand / step;
    observation.guards.push_back(
        {contract_name(*problem_, protocol::text_of(place.name)), is_after, changed * size, index});
  }
}

void CaseLayout::collect(InputCheck check, CaseObservation& observation) const {
  const std::size_t inputs = problem_->inputs.size();
  observation.outputs.resize(problem_->outputs.size());
  for (std::size_t i = 0; i < message_.array_count; ++i) {
    const protocol::ArrayPlace& place = message_.arrays[i];
    const std::byte* const bytes = memory_.data() + place.offset;
    compare_guards(i, observation);
    if (place.is_output) {
      Array& output = observation.outputs[i - inputs];
      static_cast<ArrayShape&>(output) = problem_->outputs[i - inputs];
      if (output.bytes.size() == place.bytes)
        copy_bytes(output.bytes.data(), bytes, place.bytes);
      else
        output.bytes.assign(bytes, bytes + place.bytes);
    } else if (check == InputCheck::kDone && !are_equal(problem_->inputs[i].bytes.data(), bytes, place.bytes)) {
      observation.changed_inputs.push_back(contract_name(*problem_, protocol::text_of(place.name)));
    }
  }
  observation.has_outputs = true;
}

}  // namespace lanewise
