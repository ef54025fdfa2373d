#include "harness/vgpu/report/document.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

namespace vgpu::report {
namespace {

using Json = nlohmann::json;

/// A value of the document and where it stands in it ("kernels[2].lines[0]"), for messages. The first thing that is
/// missing or of the wrong type is remembered; what is read from there on is empty.
class Value {
 public:
  Value(const Json* json, std::string path, std::string& problem)
      : json_(json), path_(std::move(path)), problem_(&problem) {}

  bool is_null() const { return json_ == nullptr || json_->is_null(); }
  bool has(const char* key) const { return json_ != nullptr && json_->is_object() && json_->contains(key); }
  const Json* json() const { return json_; }

  Value operator[](const char* key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (json_ == nullptr || !json_->is_object()) return {nullptr, path, *problem_};
    const auto found = json_->find(key);
    return {found == json_->end() ? nullptr : &*found, path, *problem_};
  }

  std::vector<Value> items() const {
    std::vector<Value> values;
    if (json_ == nullptr || !json_->is_array()) {
      complain("a list");
      return values;
    }
    values.reserve(json_->size());
    for (std::size_t i = 0; i < json_->size(); ++i)
      values.emplace_back(&(*json_)[i], path_ + "[" + std::to_string(i) + "]", *problem_);
    return values;
  }
  std::vector<Value> items_if_any() const { return is_null() ? std::vector<Value>() : items(); }

  template <class T>
  T number() const {
    if (json_ == nullptr || !json_->is_number_integer() ||
        (json_->is_number_unsigned() ? json_->get<std::uint64_t>() > kMost<T> : !std::is_signed_v<T>)) {
      complain("a whole number in its range");
      return 0;
    }
    return json_->get<T>();
  }
  template <class T>
  T number_if_any() const {
    return is_null() ? T{0} : number<T>();
  }
  template <class T>
  std::optional<T> optional_number() const {
    return is_null() ? std::nullopt : std::optional<T>(number<T>());
  }
  std::string text() const {
    if (json_ != nullptr && json_->is_string()) return json_->get<std::string>();
    complain("a string");
    return "";
  }
  std::string text_if_any() const { return is_null() ? "" : text(); }
  bool flag() const {
    if (json_ != nullptr && json_->is_boolean()) return json_->get<bool>();
    complain("true or false");
    return false;
  }
  Extent3 extent() const {
    const std::vector<Value> values = items();
    if (values.size() == 3)
      return {values[0].number<std::uint32_t>(), values[1].number<std::uint32_t>(), values[2].number<std::uint32_t>()};
    complain("a list of three numbers");
    return {0, 0, 0};
  }

  void complain(const std::string& wanted) const {
    if (problem_->empty())
      *problem_ = "the report's " + path_ + (json_ == nullptr ? " is missing" : " is not " + wanted);
  }

 private:
  template <class T>
  static constexpr std::uint64_t kMost = static_cast<std::uint64_t>(std::numeric_limits<T>::max());

  const Json* json_;
  std::string path_;
  std::string* problem_;
};

Counters read_counters(const Value& value) {
  Counters counters;
  for (const CounterField& field : counter_fields())
    if (value.has(field.name)) counters.*field.value = value[field.name].number_if_any<std::uint64_t>();
  return counters;
}

Finding read_finding(const Value& value) {
  Finding finding;
  finding.tool = value["tool"].text();
  finding.kind = value["kind"].text();
  finding.kernel = value["kernel"].text_if_any();
  finding.file = value["file"].text_if_any();
  finding.line = value["line"].number_if_any<std::uint32_t>();
  if (!value["block"].is_null()) finding.block = value["block"].extent();
  if (!value["thread"].is_null()) finding.thread = value["thread"].extent();
  finding.array = value["array"].text_if_any();
  finding.index = value["index"].number_if_any<std::int64_t>();
  finding.sentence = value["sentence"].text_if_any();
  finding.advice = value["advice"].text_if_any();
  const std::string severity = value["severity"].text_if_any();
  finding.severity = severity == "note"      ? Severity::kNote
                     : severity == "warning" ? Severity::kWarning
                                             : Severity::kError;
  finding.count = value["count"].number_if_any<std::uint64_t>();
  return finding;
}

Pattern read_pattern(const Value& value) {
  Pattern pattern;
  pattern.file = value["file"].text();
  pattern.line = value["line"].number<std::uint32_t>();
  pattern.space = value["space"].text();
  pattern.kind = value["kind"].text();
  pattern.bytes = value["bytes"].number<std::uint32_t>();
  pattern.block = value["block"].extent();
  pattern.warp = value["warp"].number<std::uint32_t>();
  const std::vector<Value> addresses = value["addresses"].items();
  if (addresses.size() == pattern.addresses.size())
    for (std::size_t lane = 0; lane < addresses.size(); ++lane)
      pattern.addresses[lane] = addresses[lane].optional_number<std::uint64_t>();
  else
    value["addresses"].complain("a list of 32 addresses");
  pattern.array = value["array"].text_if_any();
  pattern.first_index = value["first_index"].optional_number<std::int64_t>();
  pattern.sectors = value["sectors"].number_if_any<std::uint64_t>();
  pattern.ideal_sectors = value["ideal_sectors"].number_if_any<std::uint64_t>();
  pattern.wavefronts = value["wavefronts"].number_if_any<std::uint64_t>();
  pattern.ideal_wavefronts = value["ideal_wavefronts"].number_if_any<std::uint64_t>();
  return pattern;
}

/// [begin, end, lanes, line, state]; false if it is something else. There are too many spans to spell out where each
/// is.
bool read_span(const Json& json, Timeline::Span& span) {
  if (!json.is_array() || json.size() != 5 || !json[4].is_string()) return false;
  for (std::size_t i = 0; i < 4; ++i)
    if (!json[i].is_number_unsigned()) return false;
  const auto& state = json[4].get_ref<const std::string&>();
  if (state != "run" && state != "barrier" && state != "warp sync") return false;
  span.begin = json[0].get<std::uint64_t>();
  span.end = json[1].get<std::uint64_t>();
  span.lanes = json[2].get<std::uint32_t>();
  span.line = json[3].get<std::uint32_t>();
  span.state = state == "run"       ? Timeline::State::kRun
               : state == "barrier" ? Timeline::State::kBarrier
                                    : Timeline::State::kWarpSync;
  return true;
}

Timeline read_timeline(const Value& value) {
  Timeline timeline;
  timeline.block = value["block"].extent();
  timeline.truncated = value["truncated"].flag();
  for (const Value& item : value["warps"].items()) {
    Timeline::Warp warp;
    warp.warp = item["warp"].number<std::uint32_t>();
    const Value spans = item["spans"];
    if (spans.json() == nullptr || !spans.json()->is_array())
      spans.complain("a list");
    else
      for (const Json& json : *spans.json())
        if (!read_span(json, warp.spans.emplace_back())) spans.complain("a list of [begin, end, lanes, line, state]");
    timeline.warps.push_back(std::move(warp));
  }
  return timeline;
}

Occupancy read_occupancy(const Value& value) {
  return {value["blocks_per_sm"].number<std::uint32_t>(), value["warps_per_sm"].number<std::uint32_t>(),
          value["max_warps_per_sm"].number<std::uint32_t>(), value["limiter"].text_if_any()};
}

MemoryTraffic read_memory(const Value& value) {
  MemoryTraffic memory;
  memory.l2_read_sectors = value["l2_read_sectors"].number_if_any<std::uint64_t>();
  memory.l2_write_sectors = value["l2_write_sectors"].number_if_any<std::uint64_t>();
  memory.l2_hits = value["l2_hits"].number_if_any<std::uint64_t>();
  memory.dram_read_bytes = value["dram_read_bytes"].number_if_any<std::uint64_t>();
  memory.dram_write_bytes = value["dram_write_bytes"].number_if_any<std::uint64_t>();
  return memory;
}

KernelReport read_kernel(const Value& value) {
  KernelReport kernel;
  kernel.name = value["name"].text();
  kernel.launches = value["launches"].number<std::uint64_t>();
  kernel.grid = value["grid"].extent();
  kernel.block = value["block"].extent();
  kernel.registers = value["registers"].optional_number<std::uint32_t>();
  kernel.static_shared_bytes = value["static_shared_bytes"].number_if_any<std::uint64_t>();
  kernel.dynamic_shared_bytes = value["dynamic_shared_bytes"].number_if_any<std::uint64_t>();
  if (!value["occupancy"].is_null()) kernel.occupancy = read_occupancy(value["occupancy"]);
  kernel.totals = read_counters(value["totals"]);
  kernel.memory = read_memory(value["memory"]);
  const Value operations = value["operations"];
  kernel.operations = {operations["fp16"].number_if_any<std::uint64_t>(),
                       operations["fp32"].number_if_any<std::uint64_t>(),
                       operations["fp64"].number_if_any<std::uint64_t>()};
  if (const Value modelled = value["modelled"]; !modelled.is_null())
    kernel.modelled = {modelled["nanoseconds"].number<std::uint64_t>(), modelled["bound_by"].text_if_any()};
  for (const Value& line : value["lines"].items())
    kernel.lines.push_back({line["file"].text(), line["line"].number<std::uint32_t>(), read_counters(line)});
  for (const Value& pattern : value["patterns"].items()) kernel.patterns.push_back(read_pattern(pattern));
  if (!value["timeline"].is_null()) kernel.timeline = read_timeline(value["timeline"]);
  return kernel;
}

TimeShares read_shares(const Value& modelled) {
  const Value alone = modelled["shares"];
  const auto share = [&](const char* name, std::initializer_list<const char*> parts) {
    TimeShare share{0, alone[name].number<std::uint64_t>()};
    for (const char* const part : parts) share.busy += modelled[part].number<std::uint64_t>();
    return share;
  };
  return {share("kernels", {"kernels"}),      share("copies", {"copies_within", "copies_in", "copies_out"}),
          share("fills", {"fills"}),          share("allocating", {"allocating", "pinning"}),
          share("requesting", {"launching"}), alone["idle"].number<std::uint64_t>()};
}

Activity read_activity(const Value& value) {
  constexpr const char* kKinds[] = {"kernel", "fill",       "copy in", "copy out", "copy within",
                                    "launch", "allocation", "pinning", "wait"};
  const std::string kind = value["kind"].text();
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds))
    value["kind"].complain("the kind of an activity");
  return {kind,
          value["device"].number<std::uint32_t>(),
          value["stream"].optional_number<std::uint64_t>(),
          value["begin"].number<std::uint64_t>(),
          value["end"].number<std::uint64_t>(),
          value["name"].text(),
          value["bytes"].number<std::uint64_t>()};
}

Device read_device(const Value& value) {
  Device device;
  device.name = value["name"].text();
  device.sm_count = value["sm_count"].number<std::uint32_t>();
  device.l2_bytes = value["l2_bytes"].number_if_any<std::uint64_t>();
  device.dram_bytes_per_second = value["dram_bytes_per_second"].number_if_any<std::uint64_t>();
  device.l2_bytes_per_second = value["l2_bytes_per_second"].optional_number<std::uint64_t>();
  device.fp32_flops_per_second = value["fp32_flops_per_second"].number_if_any<std::uint64_t>();
  device.fp64_flops_per_second = value["fp64_flops_per_second"].optional_number<std::uint64_t>();
  return device;
}

}  // namespace

const std::vector<CounterField>& counter_fields() {
  using C = Counters;
  static const std::vector<CounterField> kFields = {
      {"executions", &C::executions},
      {"thread_executions", &C::thread_executions},
      {"branches", &C::branches},
      {"divergent_branches", &C::divergent_branches},
      {"barriers", &C::barriers},
      {"barrier_wait", &C::barrier_wait},
      {"global_load_requests", &C::global_load_requests},
      {"global_load_sectors", &C::global_load_sectors},
      {"global_load_ideal_sectors", &C::global_load_ideal_sectors},
      {"global_store_requests", &C::global_store_requests},
      {"global_store_sectors", &C::global_store_sectors},
      {"global_store_ideal_sectors", &C::global_store_ideal_sectors},
      {"other_load_requests", &C::other_load_requests},
      {"other_load_sectors", &C::other_load_sectors},
      {"other_store_requests", &C::other_store_requests},
      {"other_store_sectors", &C::other_store_sectors},
      {"local_load_requests", &C::local_load_requests},
      {"local_load_sectors", &C::local_load_sectors},
      {"local_store_requests", &C::local_store_requests},
      {"local_store_sectors", &C::local_store_sectors},
      {"shared_load_requests", &C::shared_load_requests},
      {"shared_load_wavefronts", &C::shared_load_wavefronts},
      {"shared_load_conflicts", &C::shared_load_conflicts},
      {"shared_store_requests", &C::shared_store_requests},
      {"shared_store_wavefronts", &C::shared_store_wavefronts},
      {"shared_store_conflicts", &C::shared_store_conflicts},
      {"global_atomic_requests", &C::global_atomic_requests},
      {"global_atomic_sectors", &C::global_atomic_sectors},
      {"global_atomic_depth", &C::global_atomic_depth},
      {"global_atomic_max_depth", &C::global_atomic_max_depth},
      {"shared_atomic_requests", &C::shared_atomic_requests},
      {"shared_atomic_conflicts", &C::shared_atomic_conflicts},
      {"shared_atomic_depth", &C::shared_atomic_depth},
      {"shared_atomic_max_depth", &C::shared_atomic_max_depth},
  };
  return kFields;
}

std::variant<Document, std::string> parse_document(std::string_view json) {
  Json parsed;
  try {
    parsed = Json::parse(json.begin(), json.end());
  } catch (const Json::parse_error& error) {
    return "the report is damaged or cut short: it is not JSON from byte " + std::to_string(error.byte) + " of " +
           std::to_string(json.size());
  } catch (const Json::exception&) {
    return std::string("the report is damaged: a number is out of range");
  }
  std::string problem;
  const Value top(&parsed, "", problem);
  if (!parsed.is_object() || !parsed.contains("schema") || parsed["schema"] != kSchema)
    return std::string("this is not a report of the virtual GPU: it does not begin with \"schema\": \"") + kSchema +
           "\"";
  const auto version = top["version"].number<std::int64_t>();
  if (problem.empty() && version != kVersion)
    return "the report is of version " + std::to_string(version) + "; this program reads version " +
           std::to_string(kVersion) + ": use the same Lanewise for both";
  Document document;
  if (!top["device"].is_null()) document.device = read_device(top["device"]);
  for (const Value& finding : top["findings"].items()) document.findings.push_back(read_finding(finding));
  for (const Value& note : top["notes"].items_if_any()) document.notes.push_back(read_finding(note));
  for (const Value& sentence : top["unchecked"].items_if_any()) document.unchecked.push_back(sentence.text());
  for (const Value& kernel : top["kernels"].items_if_any()) document.kernels.push_back(read_kernel(kernel));
  if (const Value modelled = top["modelled"]; !modelled.is_null()) {
    document.nanoseconds = modelled["nanoseconds"].optional_number<std::uint64_t>();
    if (modelled.has("shares")) document.shares = read_shares(modelled);
  }
  for (const Value& activity : top["activities"].items_if_any()) document.activities.push_back(read_activity(activity));
  document.activities_left_out = top["activities_left_out"].number_if_any<std::uint64_t>();
  if (!problem.empty()) return problem;
  return document;
}

}  // namespace vgpu::report
