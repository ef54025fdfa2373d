// Hands the page what it shows as one piece of JSON; the scripts in page/ draw it.
#include "harness/vgpu/report/html_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/vgpu/report/page_files.h"
#include "harness/vgpu/report/remarks.h"
#include "harness/vgpu/report/sources.h"
#include "harness/vgpu/report/wording.h"

namespace vgpu::report {
namespace {

using Json = nlohmann::json;

// Together below two megabytes, with the page itself and what has to be escaped.
constexpr std::size_t kKernelBytes = 1'100'000;
constexpr std::size_t kSourceBytes = 400'000;
constexpr std::size_t kFindingBytes = 200'000;
constexpr std::size_t kActivityBytes = 150'000;
constexpr std::size_t kSpans = 12'000;  // of one timeline
constexpr std::size_t kLongestName = 400;

constexpr const char* kRemarkNames[] = {"load",        "store",   "local",   "banks",    "divergence",
                                        "block shape", "atomics", "barrier", "occupancy"};

std::string cut(const std::string& text, std::size_t bytes = kLongestName) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes) + "…";
}

Json triple(const Extent3& extent) { return {extent.x, extent.y, extent.z}; }

/// ASCII that can stand inside a script element: nothing in it begins a tag or a comment.
std::string embedded(const Json& json) {
  const std::string plain = json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 16);
  for (const char c : plain) {
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text;
}

/// Numbers the files that lines name and remembers which lines of them are wanted.
class Files {
 public:
  std::size_t number(const std::string& path, std::uint32_t line) {
    const auto [at, is_new] = numbers_.try_emplace(path, paths_.size());
    if (is_new) paths_.emplace_back(path, std::set<std::uint32_t>());
    if (line != 0) paths_[at->second].second.insert(line);
    return at->second;
  }

  Json json() const {
    std::size_t bytes_left = kSourceBytes;
    Json files = Json::array();
    for (const auto& [path, wanted] : paths_) {
      const SourceFile source = path.empty() ? SourceFile{} : read_source(path, wanted, bytes_left);
      Json pieces = Json::array();
      for (const SourceFile::Piece& piece : source.pieces) pieces.push_back({piece.first, piece.lines});
      files.push_back(
          {{"path", cut(path)},
           {"name", cut(file_name(path))},
           {"note", path.empty() ? "compile with nvcc -lineinfo to see which lines these are" : source.note},
           {"pieces", std::move(pieces)}});
    }
    return files;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::pair<std::string, std::set<std::uint32_t>>> paths_;
};

Json json_of(const Counters& counters) {
  Json json = Json::object();
  for (const CounterField& field : counter_fields())
    if (counters.*field.value != 0) json[field.name] = counters.*field.value;
  return json;
}

// Addresses as distances from a base that begins a row of banks: they stay exact in a language without 64-bit integers.
Json json_of(const Pattern& pattern, Files& files) {
  constexpr std::uint64_t kRowOfBanks = 128;
  std::uint64_t base = ~std::uint64_t{0};
  for (const auto& address : pattern.addresses) base = std::min(base, address.value_or(base));
  base -= base % kRowOfBanks;
  Json offsets = Json::array();
  for (const auto& address : pattern.addresses) offsets.push_back(address ? Json(*address - base) : Json());
  return {{"file", files.number(pattern.file, pattern.line)},
          {"line", pattern.line},
          {"space", pattern.space},
          {"kind", pattern.kind},
          {"bytes", pattern.bytes},
          {"block", triple(pattern.block)},
          {"warp", pattern.warp},
          {"offsets", std::move(offsets)},
          {"array", cut(pattern.array)},
          {"first_index", pattern.first_index ? Json(*pattern.first_index) : Json()},
          {"sectors", pattern.sectors},
          {"ideal_sectors", pattern.ideal_sectors},
          {"wavefronts", pattern.wavefronts},
          {"ideal_wavefronts", pattern.ideal_wavefronts}};
}

Json json_of(const Remark& remark, Files& files) {
  return {{"kind", kRemarkNames[static_cast<std::size_t>(remark.kind)]},
          {"file", files.number(remark.file, remark.line)},
          {"line", remark.line},
          {"pattern", remark.pattern ? Json(*remark.pattern) : Json()},
          {"share", remark.share},
          {"sentence", cut(remark.sentence, 2000)},
          {"why", cut(remark.why, 2000)},
          {"scale", cut(remark.scale, 2000)},
          {"advice", cut(remark.advice, 2000)}};
}

Json json_of(const Timeline& timeline) {
  std::size_t left = kSpans;
  bool cut_short = timeline.truncated;
  const std::size_t share = kSpans / std::max<std::size_t>(timeline.warps.size(), 1);
  Json warps = Json::array();
  for (const Timeline::Warp& warp : timeline.warps) {
    Json spans = Json::array();  // five numbers each
    std::size_t shown = 0;
    for (const Timeline::Span& span : warp.spans) {
      if (shown++ == share || left == 0) {
        cut_short = true;
        break;
      }
      --left;
      for (const std::uint64_t number : {span.begin, span.end, std::uint64_t{span.lanes}, std::uint64_t{span.line},
                                         static_cast<std::uint64_t>(span.state)})
        spans.push_back(number);
    }
    warps.push_back({{"warp", warp.warp}, {"spans", std::move(spans)}});
  }
  return {{"block", triple(timeline.block)}, {"truncated", cut_short}, {"warps", std::move(warps)}};
}

/// `brief`: no timeline, and only the accesses that remarks are about.
Json json_of(const KernelReport& kernel, const Judgement& judgement, Files& files, bool brief) {
  Json remarks = Json::array();
  for (const Remark& remark : judgement.remarks) remarks.push_back(json_of(remark, files));
  Json lines = Json::array();
  for (const LineCounters& line : kernel.lines) {
    Json counters = json_of(line.counters);
    counters["file"] = files.number(line.file, line.line);
    counters["line"] = line.line;
    lines.push_back(std::move(counters));
  }
  Json patterns = Json::array();
  for (std::size_t i = 0; i < kernel.patterns.size(); ++i) {
    const bool is_needed = std::any_of(judgement.remarks.begin(), judgement.remarks.end(),
                                       [i](const Remark& remark) { return remark.pattern == i; });
    patterns.push_back(!brief || is_needed ? json_of(kernel.patterns[i], files) : Json());
  }
  const auto& occupancy = kernel.occupancy;
  return {{"name", cut(kernel.name)},
          {"short_name", short_kernel_name(kernel.name)},
          {"launches", kernel.launches},
          {"grid", triple(kernel.grid)},
          {"block", triple(kernel.block)},
          {"registers", kernel.registers ? Json(*kernel.registers) : Json()},
          {"shared_bytes", kernel.static_shared_bytes + kernel.dynamic_shared_bytes},
          {"occupancy", occupancy ? Json{{"blocks_per_sm", occupancy->blocks_per_sm},
                                         {"warps_per_sm", occupancy->warps_per_sm},
                                         {"max_warps_per_sm", occupancy->max_warps_per_sm},
                                         {"limiter", cut(occupancy->limiter)}}
                                  : Json()},
          {"modelled", kernel.modelled ? Json{{"time", time_text(kernel.modelled->nanoseconds)},
                                              {"bound_by", cut(kernel.modelled->bound_by)}}
                                       : Json()},
          {"cost", judgement.cost},
          {"calm", judgement.calm},
          {"remarks", std::move(remarks)},
          {"totals", json_of(kernel.totals)},
          {"memory",
           {{"l2_sectors", kernel.memory.l2_read_sectors + kernel.memory.l2_write_sectors},
            {"dram_read_bytes", kernel.memory.dram_read_bytes},
            {"dram_write_bytes", kernel.memory.dram_write_bytes}}},
          {"operations",
           {{"fp16", kernel.operations.fp16}, {"fp32", kernel.operations.fp32}, {"fp64", kernel.operations.fp64}}},
          {"lines", std::move(lines)},
          {"patterns", std::move(patterns)},
          {"timeline", kernel.timeline && !brief ? json_of(*kernel.timeline) : Json()},
          {"brief", brief}};
}

Json json_of(const Finding& finding, Files& files) {
  constexpr std::size_t kLongestText = 1000;
  return {{"tool", finding.tool + (finding.severity == Severity::kWarning ? " (warning)" : "")},
          {"kind", cut(finding.kind)},
          {"kernel", cut(finding.kernel)},
          {"file", files.number(finding.file, finding.line)},
          {"line", finding.line},
          {"sentence", cut(finding.sentence, kLongestText)},
          {"advice", cut(finding.advice, kLongestText)},
          {"count", finding.count}};
}

Json json_of(const Device& device) {
  const auto or_null = [](const std::optional<std::uint64_t>& number) { return number ? Json(*number) : Json(); };
  return {{"name", cut(device.name)},
          {"sm_count", device.sm_count},
          {"dram_bytes_per_second", device.dram_bytes_per_second},
          {"l2_bytes_per_second", or_null(device.l2_bytes_per_second)},
          {"fp32_flops_per_second", device.fp32_flops_per_second},
          {"fp64_flops_per_second", or_null(device.fp64_flops_per_second)}};
}

/// Adds an item to a list if it takes no more than the bytes left.
bool add_if_it_fits(Json& list, Json item, std::size_t& bytes_left) {
  const std::size_t bytes = embedded(item).size() + 1;
  if (bytes > bytes_left) return false;
  bytes_left -= bytes;
  list.push_back(std::move(item));
  return true;
}

/// The host and the streams over time; null where nothing is known of that.
Json run_of(const Document& document) {
  if (!document.nanoseconds || !document.shares) return nullptr;
  const TimeShares& shares = *document.shares;
  Json rows = Json::array();
  const auto row = [&](const char* what, const TimeShare& share) { rows.push_back({what, share.busy, share.alone}); };
  row("Kernels", shares.kernels);
  row("Copies", shares.copies);
  row("Memsets", shares.fills);
  row("Allocating, freeing, pinning", shares.allocating);
  row("Requests by the host", shares.requesting);
  rows.push_back({"Idle, with a request on its way", nullptr, shares.idle});

  std::map<std::string, std::size_t> numbers;
  Json names = Json::array();
  Json list = Json::array();
  std::size_t bytes_left = kActivityBytes;
  for (const Activity& activity : document.activities) {
    const auto [name, is_new] = numbers.try_emplace(short_kernel_name(activity.name), names.size());
    if (is_new && !add_if_it_fits(names, name->first, bytes_left)) break;
    const Json stream = activity.stream ? Json(*activity.stream) : Json(-1);
    if (!add_if_it_fits(
            list, {activity.kind, activity.device, stream, activity.begin, activity.end, name->second, activity.bytes},
            bytes_left))
      break;
  }
  return {{"nanoseconds", *document.nanoseconds},
          {"shares", std::move(rows)},
          {"left_out", document.activities_left_out + document.activities.size() - list.size()},
          {"names", std::move(names)},
          {"activities", std::move(list)}};
}

void replace_mark(std::string& page, const std::string& mark, const std::string& text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

std::string html_page(const Document& document) {
  Files files;
  Json kernels = Json::array();
  Json findings = Json::array();
  Json notes = Json::array();
  std::size_t kernel_bytes = kKernelBytes;
  std::size_t finding_bytes = kFindingBytes;
  for (const RankedKernel& ranked : rank(document)) {
    const KernelReport& kernel = document.kernels[ranked.kernel];
    if (!add_if_it_fits(kernels, json_of(kernel, ranked.judgement, files, false), kernel_bytes))
      add_if_it_fits(kernels, json_of(kernel, ranked.judgement, files, true), kernel_bytes);
  }
  for (const Finding& finding : document.findings)
    add_if_it_fits(finding.severity == Severity::kNote ? notes : findings, json_of(finding, files), finding_bytes);
  for (const Finding& note : document.notes) add_if_it_fits(notes, json_of(note, files), finding_bytes);
  Json data;
  data["device"] = json_of(document.device);
  data["unchecked"] = Json::array();
  for (const std::string& sentence : document.unchecked) data["unchecked"].push_back(cut(sentence));
  data["kernels_left_out"] = document.kernels.size() - kernels.size();
  data["findings_left_out"] = document.findings.size() + document.notes.size() - findings.size() - notes.size();
  data["run"] = run_of(document);
  data["kernels"] = std::move(kernels);
  data["findings"] = std::move(findings);
  data["notes"] = std::move(notes);
  data["files"] = files.json();

  std::string page = kPageShell;
  replace_mark(page, "<!-- style -->", kPageStyle);
  replace_mark(page, "<!-- script -->", kPageScript);
  replace_mark(page, "<!-- data -->", embedded(data));
  return page;
}

}  // namespace vgpu::report
