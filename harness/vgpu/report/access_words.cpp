#include "harness/vgpu/report/access_words.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/vgpu/report/wording.h"

namespace vgpu::report {
namespace {

constexpr std::uint32_t kBanks = 32;
constexpr std::uint32_t kWord = 4;  // bytes that a bank gives in one turn

// Of the pairs of neighbours, those that must agree on a distance for it to be the access's: a warp of 16 × 2 threads
// has one pair out of line, one of 8 × 4 three, one of 4 × 8 seven of 31.
constexpr double kNearlyAll = 0.75;

std::string plural_verb(const Pattern& pattern) {
  return pattern.kind == "load" ? "read" : pattern.kind == "store" ? "write" : "update";
}

std::uint64_t magnitude(std::int64_t number) { return static_cast<std::uint64_t>(number < 0 ? -number : number); }

// Arrays that nobody has named are called "allocation#2".
std::string array_words(const std::string& name) {
  const std::string unnamed = "allocation#";
  if (name.compare(0, unnamed.size(), unnamed) != 0) return name;
  return "the program's allocation no. " + name.substr(unnamed.size());
}

bool is_identifier(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == ':';
  });
}

std::string element(const Pattern& pattern, std::int64_t index) {
  const std::string number = std::to_string(index);
  return is_identifier(pattern.array) ? pattern.array + "[" + number + "]" : "element " + number;
}

}  // namespace

std::string verb_of(const Pattern& pattern) { return plural_verb(pattern) + "s"; }

AccessShape shape_of(const Pattern& pattern) {
  AccessShape shape;
  std::map<std::int64_t, std::uint32_t> distances;
  std::set<std::uint64_t> banks;
  std::uint32_t pairs = 0;
  std::uint32_t run = 0;
  const std::uint64_t* before = nullptr;
  for (const auto& address : pattern.addresses) {
    if (!address) {
      before = nullptr;
      run = 0;
      continue;
    }
    ++shape.lanes;
    banks.insert(*address / kWord % kBanks);
    const auto distance = before != nullptr ? static_cast<std::int64_t>(*address - *before) : 0;
    if (before != nullptr) {
      ++distances[distance];
      ++pairs;
    }
    run = before != nullptr && distance == pattern.bytes ? run + 1 : 1;
    shape.longest_run = std::max(shape.longest_run, run);
    before = &*address;
  }
  shape.banks = static_cast<std::uint32_t>(banks.size());
  const auto most = std::max_element(distances.begin(), distances.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != distances.end() && most->second >= kNearlyAll * pairs) shape.stride = most->first;
  return shape;
}

std::string words_for_distance(const Pattern& pattern) {
  const AccessShape shape = shape_of(pattern);
  const std::string verb = plural_verb(pattern);
  if (shape.lanes == 1) return "a single thread " + verb_of(pattern);
  if (shape.stride && *shape.stride == 0) return "neighbouring threads " + verb + " the same address";
  if (shape.stride && *shape.stride != pattern.bytes)
    return "neighbouring threads " + verb + " addresses " + counted(magnitude(*shape.stride), "byte", "bytes") +
           " apart";
  if (shape.longest_run > 1 && shape.longest_run < shape.lanes)
    return "only runs of " + std::to_string(shape.longest_run) + " threads " + verb + " consecutive addresses";
  if (shape.longest_run == shape.lanes) return "the addresses are consecutive, but do not begin at a sector boundary";
  return "neighbouring threads " + verb + " scattered addresses";
}

std::string words_for_banks(const Pattern& pattern) {
  const AccessShape shape = shape_of(pattern);
  const std::string threads = counted(shape.lanes, "thread", "threads");
  if (shape.banks == 1)
    return "all " + threads + " " + plural_verb(pattern) + " words in the same bank of shared memory";
  return threads + " " + plural_verb(pattern) + " words in " + std::to_string(shape.banks) +
         " of the 32 banks of shared memory";
}

std::string words_for_first_elements(const Pattern& pattern) {
  constexpr int kShown = 3;
  if (pattern.array.empty() || !pattern.first_index || pattern.bytes == 0) return "";
  std::string text;
  std::optional<std::uint64_t> first;
  int shown = 0;
  for (std::size_t lane = 0; lane < pattern.addresses.size() && shown < kShown; ++lane) {
    if (!pattern.addresses[lane]) continue;
    if (!first) first = pattern.addresses[lane];
    const auto distance = static_cast<std::int64_t>(*pattern.addresses[lane] - *first);
    text += shown == 0 ? "Thread " : ", thread ";
    text += std::to_string(lane) + " ";
    if (shown == 0) text += verb_of(pattern) + " ";
    text += element(pattern, *pattern.first_index + distance / static_cast<std::int64_t>(pattern.bytes));
    if (shown == 0 && !is_identifier(pattern.array)) text += " of " + array_words(pattern.array);
    ++shown;
  }
  return text.empty() ? "" : text + ".";
}

std::string advice_for_global(const Pattern& pattern) {
  constexpr std::uint64_t kWidestStructure = 64;  // bytes; strides beyond are rows rather than structures
  const AccessShape shape = shape_of(pattern);
  if (shape.longest_run == shape.lanes)
    return "Let rows begin at a multiple of 32 bytes (cudaMallocPitch pads them), and the first thread of a warp as "
           "well.";
  if (!shape.stride || *shape.stride == pattern.bytes)
    return "If you can choose the order, let neighbouring threads take neighbouring elements; otherwise load the data "
           "into shared memory row by row first.";
  if (magnitude(*shape.stride) <= kWidestStructure)
    return "Let neighbouring threads take neighbouring elements: use one array per field instead of an array of "
           "structures; or let thread i take i, i + blockDim.x, ... instead of a few consecutive elements.";
  return "Let threadIdx.x run along a row, so that neighbouring threads " + plural_verb(pattern) +
         " neighbouring elements: a[row * width + threadIdx.x]. If another line then has the same problem (a "
         "transpose), use a tile in shared memory.";
}

std::string advice_for_banks(const Pattern& pattern) {
  const AccessShape shape = shape_of(pattern);
  if (!shape.stride || *shape.stride == 0 || pattern.bytes == 0 || magnitude(*shape.stride) % pattern.bytes != 0)
    return "Change which thread takes which element, or the layout, so that the 32 words are in 32 banks.";
  const std::uint64_t elements = magnitude(*shape.stride) / pattern.bytes;
  const std::string name = is_identifier(pattern.array) ? pattern.array : "tile";
  if (elements < 8)  // a step of a reduction, a structure: no row of a tile
    return "Let neighbouring threads take neighbouring words, for example by halving the stride in each step instead "
           "of doubling it.";
  return "Make each row one element longer: " + name + "[...][" + std::to_string(elements + 1) + "] instead of " +
         name + "[...][" + std::to_string(elements) +
         "]. The rows then begin in different banks, and a column is spread over all of them.";
}

}  // namespace vgpu::report
