#include "harness/vgpu/cost/measured_profile.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "harness/vgpu/cost/attribute_names.h"
#include "harness/vgpu/cost/profile.h"

namespace vgpu {
namespace {

constexpr const char* kRead = "read";  // rather than measured

struct Line {
  std::string value;
  std::string how;
};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(" \r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Lines "key = value  # how". Attributes and limits, which the program knows by number, get their names.
std::map<std::string, Line> lines_of(const std::string& printed) {
  std::map<std::string, Line> lines;
  std::istringstream stream(printed);
  for (std::string text; std::getline(stream, text);) {
    const std::size_t equals = text.find(" = "), comment = text.find("  # ");
    if (equals == std::string::npos || comment == std::string::npos || comment < equals) continue;
    lines[text.substr(0, equals)] = {trimmed(text.substr(equals + 3, comment - equals - 3)),
                                     trimmed(text.substr(comment + 4))};
  }
  for (const auto& [attribute, name] : kAttributeNames)
    if (auto line = lines.extract(fmt::format("attribute.{}", static_cast<int>(attribute)))) {
      line.key() = std::string("attributes.") + name;
      lines.insert(std::move(line));
    }
  for (std::size_t i = 0; i < kLimitNames.size(); ++i)
    if (auto line = lines.extract(fmt::format("limit.{}", i))) {
      line.key() = std::string("limits.") + kLimitNames[i];
      lines.insert(std::move(line));
    }
  return lines;
}

/// The program's lines about the device and what it runs on, as they are.
std::string comments_of(const std::string& printed) {
  std::string comments;
  std::istringstream stream(printed);
  for (std::string text; std::getline(stream, text);)
    if (text.compare(0, 2, "# ") == 0) comments += text + "\n";
  return comments + "\n";
}

std::int64_t number_of(const std::map<std::string, Line>& lines, const std::string& key) {
  const auto found = lines.find(key);
  return found == lines.end() ? 0 : std::strtoll(found->second.value.c_str(), nullptr, 10);
}

/// The built-in profile whose compute capability is nearest.
std::string nearest_profile(std::int64_t major, std::int64_t minor) {
  std::string nearest;
  std::int64_t least = 0;
  for (const std::string& name : built_in_profiles()) {
    const auto profile = std::get<DeviceProfile>(load_profile(name));
    const std::int64_t distance = std::abs(10 * (major - profile.compute_major) + minor - profile.compute_minor);
    if (!nearest.empty() && distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/// Section by section: what was printed, and what only the other profile has.
class Writer {
 public:
  Writer(const std::map<std::string, Line>& lines, const toml::table& like, std::string name_of_like)
      : lines_(lines), like_(like), name_of_like_(std::move(name_of_like)) {}

  void section(const std::string& name) {
    const std::string prefix = name.empty() ? "" : name + ".";
    const toml::table* const table = name.empty() ? &like_ : like_[name].as_table();
    if (!name.empty()) text += fmt::format("\n[{}]\n", name);
    const bool is_the_devices = name == "attributes";  // those of another device are none of this one
    std::map<std::string, Line> written;
    for (const auto& [key, line] : lines_)
      if (key.compare(0, prefix.size(), prefix) == 0 && key.find('.', prefix.size()) == std::string::npos)
        written[key.substr(prefix.size())] = line;
    if (table != nullptr && !is_the_devices)
      for (const auto& [key, value] : *table)
        if (const auto number = value.value<std::int64_t>())
          written.try_emplace(std::string(key.str()), Line{std::to_string(*number), "as " + name_of_like_});
    for (const auto& [key, line] : written) {
      const std::string assignment = key + " = " + line.value;
      text += line.how == kRead ? assignment + "\n" : fmt::format("{:<38} # {}\n", assignment, line.how);
      const bool is_measured = lines_.count(prefix + key) != 0 && line.how != kRead && !name.empty();
      if (const auto known = like_.at_path(prefix + key).value<std::int64_t>(); is_measured && known)
        numbers.push_back({prefix + key, number_of(lines_, prefix + key), *known});
    }
  }

  std::string text;
  std::vector<MeasuredNumber> numbers;

 private:
  const std::map<std::string, Line>& lines_;
  const toml::table& like_;
  std::string name_of_like_;
};

}  // namespace

std::variant<MeasuredProfile, std::string> measured_profile(const std::string& printed, const std::string& like) {
  const std::map<std::string, Line> lines = lines_of(printed);
  const std::int64_t major = number_of(lines, "attributes.ComputeCapabilityMajor"),
                     minor = number_of(lines, "attributes.ComputeCapabilityMinor");
  if (lines.count("name") == 0 || major == 0) return "the program that measures did not name the device";
  const std::string base = like.empty() ? nearest_profile(major, minor) : like;
  const auto text = profile_text(base);
  if (const auto* const problem = std::get_if<std::string>(&text)) return *problem;
  toml::table table;
  try {
    table = toml::parse(std::get<ProfileText>(text).toml);
  } catch (const toml::parse_error& error) {
    return fmt::format("{} is not TOML: {}", base, error.description());
  }
  Writer writer(lines, table, base);
  for (const char* const section :
       {"", "allocation", "caches", "throughput", "latency", "rates", "limits", "attributes"})
    writer.section(section);
  if (const auto profile = parse_profile(writer.text); const auto* const problem = std::get_if<std::string>(&profile))
    return "what was measured makes no profile: " + *problem;
  return MeasuredProfile{comments_of(printed) + writer.text, std::move(writer.numbers)};
}

}  // namespace vgpu
