// The rules of the audit. Symbols say what is linked against, headers say what was compiled in.
#include "harness/runner/build/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

// Names a submission could define to stand in for the real thing: the clocks a harness might read, and where it begins.
constexpr std::string_view kReservedNames[] = {"main",      "clock",        "clock_gettime", "clock_getres",
                                               "time",      "timespec_get", "gettimeofday",  "times",
                                               "getrusage", "nanosleep",    "dlopen",        "dlsym"};
// Ways around everything else this audit looks at. CUB and Thrust load the driver with the first group: where they are
// included, it is for the task's list of forbidden libraries to say whether they may be.
constexpr std::string_view kLoadingCalls[] = {"dlopen", "dlmopen", "dlsym", "dlvsym", "dl_iterate_phdr"};
constexpr std::string_view kRefusedCalls[] = {"syscall"};
constexpr const char* kLoadingLibraries[] = {"cub", "thrust"};
constexpr std::string_view kReservedPrefixes[] = {"__cuda", "lanewise_", "vgpu"};

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// "cudaMalloc", "cuLaunchKernel": the prefix and then a capital.
bool is_cuda_name(std::string_view name) {
  for (const std::string_view prefix : {"cuda", "cu"})
    if (starts_with(name, prefix) && name.size() > prefix.size() &&
        std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0)
      return true;
  return false;
}

template <std::size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// "dlsym" for "dlsym@GLIBC_2.2.5" and "dlsym@@GLIBC_2.34": any version of a function is that function.
std::string without_version(const std::string& symbol) { return symbol.substr(0, symbol.find('@')); }

std::vector<std::string> without_versions(std::vector<std::string> symbols) {
  for (std::string& symbol : symbols) symbol = without_version(symbol);
  return symbols;
}

bool is_reserved(std::string_view name) {
  const auto begins = [name](std::string_view prefix) { return starts_with(name, prefix); };
  return is_cuda_name(name) || is_one_of(name, kReservedNames) ||
         std::any_of(std::begin(kReservedPrefixes), std::end(kReservedPrefixes), begins);
}

// What nvcc makes of a submission calls the runtime's internal functions, but nothing of the harness or the virtual
// GPU.
bool is_of_the_harness(std::string_view name) { return starts_with(name, "lanewise_") || starts_with(name, "vgpu"); }

// A C name with the library's prefix ("cublasCreate_v2"), or a mangled one whose outermost namespace it is
// ("_ZN3cub...").
bool belongs_to(std::string_view symbol, const std::string& library) {
  if (!starts_with(symbol, "_Z"))
    return starts_with(symbol, library) && symbol.size() > library.size() &&
           std::islower(static_cast<unsigned char>(symbol[library.size()])) == 0;
  const std::string encoded = std::to_string(library.size()) + library;
  for (const std::string_view opening : {"N", "NK"})
    if (symbol.find(std::string(opening) + encoded) != std::string_view::npos) return true;
  return false;
}

// ".../include/cub/cub.cuh" and ".../include/cublas_v2.h" are headers of cub and cublas.
bool is_header_of(const fs::path& header, const std::string& library) {
  for (const fs::path& part : header.parent_path())
    if (part == library) return true;
  const std::string name = header.filename().string();
  return starts_with(name, library + ".") || starts_with(name, library + "_");
}

// Nothing for a path that cannot be followed: through a folder that may not be searched, or links that go in circles.
std::optional<fs::path> resolved(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  if (error) return std::nullopt;
  return real;
}

// Both paths canonical: a compiler may name a header through links and "..".
bool lies_in(const fs::path& inner, const fs::path& outer) {
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

std::vector<std::string> audit(const AuditSubject& subject, const AuditRules& rules) {
  std::vector<std::string> refusals;
  const std::vector<std::string> defined = without_versions(subject.symbols.defined);
  const std::vector<std::string> undefined = without_versions(subject.symbols.undefined);
  for (const std::string& name : defined)
    if (is_reserved(name))
      refusals.push_back(
          fmt::format("it defines '{}', which belongs to the system or the CUDA runtime; rename it", name));

  const bool may_load =
      std::any_of(std::begin(kLoadingLibraries), std::end(kLoadingLibraries), [&](const char* library) {
        return std::any_of(subject.headers.begin(), subject.headers.end(),
                           [library](const fs::path& header) { return is_header_of(header, library); });
      });
  for (const std::string& name : undefined)
    if (is_one_of(name, kRefusedCalls) || is_of_the_harness(name) || (!may_load && is_one_of(name, kLoadingCalls)))
      refusals.push_back(fmt::format("it calls '{}', which a submission does not need", name));

  for (const std::string& library : rules.forbidden) {
    std::set<std::string> evidence;
    for (const fs::path& header : subject.headers)
      if (is_header_of(header, library)) evidence.insert(fmt::format("<{}>", header.filename().string()));
    for (const auto* symbols : {&defined, &undefined})
      for (const std::string& symbol : *symbols)
        if (evidence.empty() && belongs_to(symbol, library)) evidence.insert(symbol);
    if (!evidence.empty())
      refusals.push_back(
          fmt::format("it uses the library {} ({}), which this task does not allow", library, *evidence.begin()));
  }

  std::vector<fs::path> allowed;
  for (const fs::path& folder : rules.allowed_folders)
    if (const auto real = resolved(folder)) allowed.push_back(*real);
  for (const fs::path& header : subject.headers) {
    if (!header.is_absolute()) continue;  // the submission itself, in the folder it is compiled in
    const auto file = resolved(header);
    if (!file ||
        std::none_of(allowed.begin(), allowed.end(), [&](const fs::path& folder) { return lies_in(*file, folder); }))
      refusals.push_back(fmt::format("it includes {}, a file outside the lab and the toolkit", header.string()));
  }
  return refusals;
}

std::vector<fs::path> parse_dependencies(std::string_view make_rule) {
  // "target : file file \<newline> file"; a blank within a name is written "\ ".
  std::vector<fs::path> files;
  const std::size_t colon = make_rule.find(": ");
  if (colon == std::string_view::npos) return files;
  std::string name;
  const auto finish = [&] {
    if (!name.empty()) files.emplace_back(std::exchange(name, {}));
  };
  for (std::size_t i = colon + 2; i < make_rule.size(); ++i) {
    const char c = make_rule[i];
    const char next = i + 1 < make_rule.size() ? make_rule[i + 1] : '\n';
    const bool is_line_end = c == '\\' && (next == '\n' || next == '\r');
    if (c == '\\' && next == ' ') {
      name += ' ';
      ++i;
    } else if (is_line_end || std::isspace(static_cast<unsigned char>(c)) != 0) {
      finish();
    } else {
      name += c;
    }
  }
  finish();
  return files;
}

}  // namespace lanewise
