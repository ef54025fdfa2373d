#include "harness/vgpu/monitor/store_record.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/number_text.h"
#include "harness/vgpu/monitor/array_names.h"

namespace vgpu {
namespace {

constexpr char kMagic[] = "lanewise-stores-1";
constexpr std::uint32_t kLongestKey = 1 << 16;

/// What lies above that in a launch's arguments is a pointer to memory of the host, which is elsewhere in every run.
constexpr std::uint64_t kHostPointersBegin = std::uint64_t{1} << 44;

/// Sums of floats in another order differ by so much of themselves at most; what differs more is no rounding.
constexpr double kRoundingOfSingle = 1e-4, kRoundingOfDouble = 1e-10;

constexpr const char* kAdvice =
    "Which thread comes first must not matter: racecheck names accesses that nothing orders; an atomic that hands out "
    "places, or a last writer that wins, makes the order of the threads part of the result.";
constexpr const char* kRoundingAdvice =
    "Sums of floating-point numbers depend on their order in the last places, and atomicAdd takes them as they come. "
    "Compare with a tolerance, or add in a fixed order: a tree in each block, then over the blocks.";

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

template <class T>
void put(std::ostream& to, const T& value) {
  to.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
bool get(std::istream& from, T& value) {
  return static_cast<bool>(from.read(reinterpret_cast<char*>(&value), sizeof value));
}

/// An instruction by its number in the kernel.
struct Writer {
  const Code* code = nullptr;
  const Insn* insn = nullptr;
};

Writer writer_of(const Launch& launch, std::uint32_t number) {
  for (const Code* const code : launch.kernel().all_code())
    if (number - 1 - code->first_number < code->insns.size())
      return {code, &code->insns[number - 1 - code->first_number]};
  return {};
}

enum class Shown { kSigned, kUnsigned, kSingle, kDouble, kWord };

/// How values of an instruction are written, and how many bytes they have.
struct Format {
  Shown shown = Shown::kWord;
  std::uint32_t bytes = 4;
};

Format format_of(const ptx::Instruction& instruction) {
  for (const std::string_view modifier : instruction.modifiers) {
    if (modifier == "f32") return {Shown::kSingle, 4};
    if (modifier == "f64") return {Shown::kDouble, 8};
    if (modifier == "s32") return {Shown::kSigned, 4};
    if (modifier == "u32") return {Shown::kUnsigned, 4};
    if (modifier == "s64") return {Shown::kSigned, 8};
    if (modifier == "u64") return {Shown::kUnsigned, 8};
    if (modifier == "b64") return {Shown::kWord, 8};
    if (modifier == "u8" || modifier == "s8" || modifier == "b8") return {Shown::kUnsigned, 1};
    if (modifier == "u16" || modifier == "s16" || modifier == "b16") return {Shown::kUnsigned, 2};
  }
  return {};
}

double number_in(std::uint64_t bits, std::uint32_t bytes) {
  if (bytes == 8) {
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

/// Bits that nobody has called a number of either kind, and that make a float of common size, are one.
bool looks_like_float(std::uint64_t bits, std::uint32_t bytes) {
  const double value = number_in(bits, bytes);
  return std::isfinite(value) && std::abs(value) > 1e-12 && std::abs(value) < 1e15;
}

std::string text_of(std::uint64_t bits, const Format& format, bool is_float) {
  if (is_float) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", format.bytes == 8 ? 17 : 9, number_in(bits, format.bytes));
    return text;
  }
  if (format.shown == Shown::kUnsigned) return std::to_string(bits);
  return format.bytes == 8 ? std::to_string(static_cast<std::int64_t>(bits))
                           : std::to_string(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
}

}  // namespace

bool StoreRecord::record_to(const std::string& path) {
  recording_.open(path, std::ios::binary | std::ios::trunc);
  recording_.write(kMagic, sizeof kMagic);
  return static_cast<bool>(recording_);
}

bool StoreRecord::compare_with(const std::string& path, std::uint64_t seed) {
  std::ifstream file(path, std::ios::binary);
  char magic[sizeof kMagic] = {};
  if (!file.read(magic, sizeof magic) || std::memcmp(magic, kMagic, sizeof magic) != 0) return false;
  std::uint32_t length = 0;
  while (get(file, length)) {
    if (length > kLongestKey) return false;
    std::string key(length, '\0');
    std::uint64_t count = 0;
    if (!file.read(key.data(), length) || !get(file, count)) return false;
    RecordedLaunch& launch = recorded_[key].emplace_back();
    for (std::uint64_t n = 0; n < count; ++n) {
      std::uint64_t address = 0;
      std::uint32_t values = 0;
      RecordedPage page;
      if (!get(file, address) || !get(file, page.digest) || !get(file, page.written) || !get(file, values))
        return false;
      if (values != 0 && values != page.written.count()) return false;
      page.values.resize(values);
      file.read(reinterpret_cast<char*>(page.values.data()), static_cast<std::streamsize>(values) * kWordBytes);
      if (!file) return false;
      launch.emplace(address, std::move(page));
    }
  }
  compares_ = true;
  seed_ = seed;
  return true;
}

/// Kernel, shape and arguments.
std::string StoreRecord::key_of(const Launch& launch) const {
  std::uint64_t hash = 0;
  const std::vector<std::byte>& parameters = launch.parameters();
  for (std::size_t at = 0; at < parameters.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, parameters.data() + at, std::min(sizeof word, parameters.size() - at));
    hash = mixed(hash, word >= kHostPointersBegin ? 0 : word);
  }
  return launch.kernel().function().name + " " + spelled(launch.shape().grid) + " " + spelled(launch.shape().block) +
         " " + std::to_string(hash);
}

void StoreRecord::launch_begins(const Launch&) {
  ++launches_;
  pages_.clear();
  last_page_ = nullptr;
}

Mask StoreRecord::access(const MemoryAccess& access) {
  if (access.kind == AccessKind::kLoad || access.space != ptx::Space::kGlobal || has_found_) return access.lanes;
  const std::uint32_t writer = access.warp->frame->code->first_number + access.insn->index + 1;
  for (Mask rest = access.lanes; rest != 0; rest &= rest - 1) note(access, writer, access.address(__builtin_ctz(rest)));
  return access.lanes;
}

void StoreRecord::note(const MemoryAccess& access, std::uint32_t writer, std::uint64_t address) {
  const AddressSpace& memory = access.warp->block->launch().memory();
  if (address < memory.low() || address + access.bytes > memory.high()) return;
  for (std::uint64_t word = address / kWordBytes; word <= (address + access.bytes - 1) / kWordBytes; ++word) {
    const std::uint64_t page_at = word / kWords * kPageBytes;
    if (last_page_ == nullptr || last_address_ != page_at) {
      std::unique_ptr<Page>& page = pages_[page_at];
      if (page == nullptr) {
        page = std::make_unique<Page>();
        std::memcpy(page->before.data(), memory.host(page_at), kPageBytes);
      }
      last_page_ = page.get();
      last_address_ = page_at;
    }
    last_page_->writer[word % kWords] = writer;
  }
}

std::uint64_t StoreRecord::digest_of(const Launch& launch, std::uint64_t address, const Page& page) const {
  std::uint64_t digest = 0;
  for (std::uint32_t n = 0; n < kWords; ++n) {
    if (page.writer[n] == 0) continue;
    std::uint32_t value = 0;
    std::memcpy(&value, launch.memory().host(address + std::uint64_t{n} * kWordBytes), sizeof value);
    digest = mixed(digest, std::uint64_t{n} << 32 | value);
  }
  return digest;
}

void StoreRecord::launch_ends(Launch& launch) {
  if (recording_.is_open()) write_launch(launch);
  if (compares_ && !has_found_) compare_launch(launch);
  pages_.clear();
  last_page_ = nullptr;
}

void StoreRecord::write_launch(const Launch& launch) {
  const std::string key = key_of(launch);
  put(recording_, static_cast<std::uint32_t>(key.size()));
  recording_.write(key.data(), static_cast<std::streamsize>(key.size()));
  put(recording_, std::uint64_t{pages_.size()});
  for (const auto& [address, page] : pages_) {
    std::bitset<kWords> written;
    std::vector<std::uint32_t> values;
    for (std::uint32_t n = 0; n < kWords; ++n) {
      if (page->writer[n] == 0) continue;
      written.set(n);
      values.emplace_back();
      std::memcpy(&values.back(), launch.memory().host(address + std::uint64_t{n} * kWordBytes), kWordBytes);
    }
    if (value_bytes_ + values.size() * kWordBytes > kMostValueBytes) values.clear();
    value_bytes_ += values.size() * kWordBytes;
    put(recording_, address);
    put(recording_, digest_of(launch, address, *page));
    put(recording_, written);
    put(recording_, static_cast<std::uint32_t>(values.size()));
    recording_.write(reinterpret_cast<const char*>(values.data()),
                     static_cast<std::streamsize>(values.size() * kWordBytes));
  }
  recording_.flush();
}

void StoreRecord::compare_launch(const Launch& launch) {
  const auto found = recorded_.find(key_of(launch));
  if (found == recorded_.end() || found->second.empty()) {
    has_found_ = true;
    const std::string kernel = launch.kernel().readable_name();
    if (!findings_.is_new("launch depends on the schedule", "", 0, kernel, 1)) return;
    Finding finding;
    finding.tool = "schedules";
    finding.kind = "launch depends on the schedule";
    finding.kernel = kernel;
    finding.sentence = "launch " + with_commas(launches_) + " of the program, of " + kernel +
                       ", is made with this shape and these arguments under schedule seed " + std::to_string(seed_) +
                       ", but not under seed 0";
    finding.advice = kAdvice;
    findings_.add(std::move(finding));
    return;
  }
  const RecordedLaunch recorded = std::move(found->second.front());
  found->second.pop_front();
  std::vector<Difference> differences;
  const auto compare_page = [&](std::uint64_t address, const Page* page, const RecordedPage* other) {
    if (other != nullptr && other->values.empty()) {
      if (page != nullptr && digest_of(launch, address, *page) != other->digest) {
        const auto* const first = std::find_if(page->writer.begin(), page->writer.end(), [](auto w) { return w != 0; });
        differences.push_back(
            {address + static_cast<std::uint64_t>(first - page->writer.begin()) * kWordBytes, *first, false});
      }
      return;
    }
    std::size_t next = 0;
    for (std::uint32_t n = 0; n < kWords; ++n) {
      const bool was_written = other != nullptr && other->written[n];
      const std::uint32_t writer = page != nullptr ? page->writer[n] : 0;
      if (!was_written && writer == 0) continue;
      std::uint32_t value = 0;
      std::memcpy(&value, launch.memory().host(address + std::uint64_t{n} * kWordBytes), sizeof value);
      const std::uint32_t there = was_written ? other->values[next++] : page->before[n];
      if (value != there) differences.push_back({address + std::uint64_t{n} * kWordBytes, writer, true});
    }
  };
  for (const auto& [address, page] : pages_) {
    const auto other = recorded.find(address);
    compare_page(address, page.get(), other != recorded.end() ? &other->second : nullptr);
  }
  for (const auto& [address, other] : recorded)
    if (pages_.count(address) == 0) compare_page(address, nullptr, &other);
  if (differences.empty()) return;
  has_found_ = true;
  report(launch, recorded, differences);
}

void StoreRecord::report(const Launch& launch, const RecordedLaunch& recorded,
                         const std::vector<Difference>& differences) {
  /// Under the other schedule.
  const auto recorded_word = [&](std::uint64_t address) {
    const std::uint64_t page_at = address / kPageBytes * kPageBytes;
    const auto n = static_cast<std::uint32_t>(address % kPageBytes / kWordBytes);
    const auto found = recorded.find(page_at);
    if (found != recorded.end() && found->second.written[n] && !found->second.values.empty()) {
      std::size_t before = 0;
      for (std::uint32_t i = 0; i < n; ++i) before += found->second.written[i] ? 1 : 0;
      return found->second.values[before];
    }
    const auto own = pages_.find(page_at);
    std::uint32_t value = 0;
    if (own != pages_.end())
      value = own->second->before[n];
    else
      std::memcpy(&value, launch.memory().host(address), sizeof value);
    return value;
  };
  const auto values_at = [&](std::uint64_t address, std::uint32_t bytes, std::uint64_t& here, std::uint64_t& there) {
    here = there = 0;
    const std::uint64_t begin = address / std::max(bytes, kWordBytes) * std::max(bytes, kWordBytes);
    std::memcpy(&here, launch.memory().host(begin), std::max(bytes, kWordBytes));
    there = recorded_word(begin);
    if (bytes == 8) there |= std::uint64_t{recorded_word(begin + kWordBytes)} << 32;
    std::uint64_t at = begin;
    for (; bytes < kWordBytes && ((here ^ there) & ((std::uint64_t{1} << 8 * bytes) - 1)) == 0; at += bytes) {
      here >>= 8 * bytes;
      there >>= 8 * bytes;
    }
    if (bytes < kWordBytes) {
      here &= (std::uint64_t{1} << 8 * bytes) - 1;
      there &= (std::uint64_t{1} << 8 * bytes) - 1;
    }
    return at;
  };
  const auto is_rounding = [&](const Difference& difference) {
    const Writer writer = writer_of(launch, difference.writer);
    if (writer.insn == nullptr || !difference.is_known) return false;
    const ptx::Instruction& instruction = instruction_of(*writer.code, *writer.insn);
    const Format format = format_of(instruction);
    const bool adds = (instruction.opcode == "atom" || instruction.opcode == "red") &&
                      ptx::has_modifier(instruction, "add") &&
                      (format.shown == Shown::kSingle || format.shown == Shown::kDouble);
    if (!adds) return false;
    std::uint64_t here = 0, there = 0;
    values_at(difference.address, format.bytes, here, there);
    const double a = number_in(here, format.bytes), b = number_in(there, format.bytes);
    const double most = format.bytes == 8 ? kRoundingOfDouble : kRoundingOfSingle;
    return std::abs(a - b) <= most * std::max(std::abs(a), std::abs(b));
  };
  const bool only_rounds = std::all_of(differences.begin(), differences.end(), is_rounding);
  // The first line in the order of the kernel; words that this schedule has left alone have none.
  const auto comes_first = [&](const Difference& a, const Difference& b) {
    if (!only_rounds && is_rounding(a) != is_rounding(b)) return is_rounding(b);
    return a.writer - 1 < b.writer - 1;
  };
  const auto shown = std::min_element(differences.begin(), differences.end(), comes_first);
  const Writer writer = writer_of(launch, shown->writer);
  Finding finding;
  finding.tool = "schedules";
  finding.kind = only_rounds ? "rounding depends on the schedule" : "result depends on the schedule";
  finding.kernel = launch.kernel().readable_name();
  Format format;
  if (writer.insn != nullptr) {
    const ptx::SourcePlace place = place_of(*writer.code, *writer.insn);
    finding.file = place.file;
    finding.line = place.line;
    format = format_of(instruction_of(*writer.code, *writer.insn));
  }
  std::uint64_t here = 0, there = 0;
  const std::uint64_t at = values_at(shown->address, format.bytes, here, there);
  const NamedElement element = element_at(launch, ptx::Space::kGlobal, at, format.bytes);
  finding.array = element.array;
  finding.index = element.index;
  if (!findings_.is_new(finding.kind, finding.file, finding.line, finding.array, 1)) return;
  const bool is_float =
      format.shown == Shown::kSingle || format.shown == Shown::kDouble ||
      (format.shown == Shown::kWord && looks_like_float(here, format.bytes) && looks_like_float(there, format.bytes));
  const std::string name = element.array.empty() ? "a word of device memory" : element.text();
  finding.sentence = "after launch " + with_commas(launches_) + " of the program, of " + finding.kernel + ", " + name +
                     " is " + text_of(here, format, is_float) + " under schedule seed " + std::to_string(seed_) +
                     " and " + (shown->is_known ? text_of(there, format, is_float) : "something else") +
                     " under seed 0; " + with_commas(differences.size()) +
                     (differences.size() == 1 ? " word" : " words") + " of what it wrote " +
                     (differences.size() == 1 ? "differs" : "differ") +
                     (only_rounds ? ", in the last places, by atomicAdd on floating-point numbers" : "") +
                     (shown->writer == 0 ? ", and seed " + std::to_string(seed_) + " leaves this one as it was" : "");
  finding.advice = only_rounds ? kRoundingAdvice : kAdvice;
  findings_.add(std::move(finding));
}

}  // namespace vgpu
