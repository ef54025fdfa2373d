// The oracle and what unpacks a case's data for it are one source, compiled as a lab's entry is.
#include "harness/declared/oracle_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "harness/declared/run_apart.h"
#include "harness/lab/read_file.h"
#include "harness/runner/build/audit.h"
#include "harness/runner/build/build_cache.h"
#include "harness/runner/build/included_files.h"
#include "harness/toolchain/compiler.h"
#include "harness/worker/entry.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipe = "oracle 1";
constexpr std::uintmax_t kLargestSource = 1 << 20;
constexpr const char* kSource = "calls.cpp";
constexpr const char* kLibrary = "oracle.so";
constexpr const char* kDependencies = "oracle.d";
constexpr const char* kIncluded = "included";

using CallFunction = void (*)(const LanewiseCall*);

// C++ tells functions of one name by their parameters, which those of different tasks may have.
std::string symbol_of(const std::string& task, const std::string& function) {
  return fmt::format("lanewise_call_{}_in_{}", function, task);
}

std::string source_of(const LabFile& lab, const std::vector<OracleFunction>& functions) {
  std::string source = fmt::format("#include \"harness/worker/entry.h\"\n#include \"{}\"\n#include \"{}\"\n",
                                   lab.contract, (lab.folder / lab.oracle).string());
  for (const auto& [task, function] : functions)
    source +=
        fmt::format("extern \"C\" void {}(const LanewiseCall* raw) {{\n  const lanewise::Call call(*raw);\n  {};\n}}\n",
                    symbol_of(task, function.name), call_source(function));
  return source;
}

bool is_usable(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kLibrary, error) && are_unchanged(folder / kIncluded);
}

// "oracle.cpp:5:3: error: expected ';'" of a compiler's page; what it says of calls.cpp, which nobody has written, is
// meant for the oracle.
std::string first_error(const std::string& words, const LabFile& lab) {
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t undefined = line.find("undefined reference to `");
    if (undefined != std::string::npos) {
      const std::size_t begin = line.find('`') + 1;
      return fmt::format("{} defines no {}", lab.oracle, line.substr(begin, line.rfind('\'') - begin));
    }
    const std::size_t error = line.find("error: ");
    if (error == std::string::npos) continue;
    const std::string path = (lab.folder / lab.oracle).string();
    if (line.rfind(path, 0) == 0) return lab.oracle + line.substr(path.size());
    if (line.rfind(kSource, 0) == 0) return fmt::format("{}: {}", lab.oracle, line.substr(error + 7));
    return line;
  }
  return fmt::format("{} does not compile: {}", lab.oracle, words);
}

LanewiseArray raw_array(const ArrayShape& shape, void* data, std::size_t bytes, bool is_output) {
  return {shape.name.c_str(), data, bytes, static_cast<std::uint8_t>(shape.dtype),
          static_cast<std::uint8_t>(is_output)};
}

}  // namespace

OracleLibrary::~OracleLibrary() {
  if (library_) dlclose(library_);
}

// Empty, or why not.
std::string OracleLibrary::load() {
  const auto compiler = describe_host_compiler(installation_);
  if (!compiler) return compiler.sentence();
  const std::string source = source_of(lab_, functions_);
  const std::vector<std::string> command = {installation_.host_compiler.string(),
                                            "-std=c++17",
                                            "-O2",
                                            "-fPIC",
                                            "-shared",
                                            "-fno-diagnostics-color",
                                            "-I" + lab_.folder.string(),
                                            "-I" + installation_.root.string(),
                                            "-MD",
                                            "-MF",
                                            kDependencies,
                                            kSource,
                                            "-Wl,-z,defs",
                                            "-o",
                                            kLibrary};
  const std::string key = fmt::format("{}\n{}\n{}\n{}", kRecipe, compiler->version, fmt::join(command, " "), source);
  const auto make = [&](const fs::path& folder) -> std::optional<Failure> {
    const auto started = fs::file_time_type::clock::now();
    std::ofstream stream(folder / kSource, std::ios::binary);
    stream << source;
    stream.close();
    if (!stream) return Failure{fmt::format("{}: nothing can be written there; is the disk full?", folder.string())};
    const auto words = run_compiler(folder, command);
    if (!words) return words.failure();
    if (*words) return Failure{first_error((*words)->words, lab_)};
    const auto list = read_file(folder / kDependencies, kLargestSource);
    std::vector<fs::path> files = list ? parse_dependencies(*list) : std::vector<fs::path>();
    files.erase(std::remove(files.begin(), files.end(), kSource), files.end());
    if (remember_files(folder / kIncluded, files, started)) return std::nullopt;
    return Failure{fmt::format("{}: nothing can be written there; is the disk full?", folder.string())};
  };
  const auto folder = BuildCache(installation_.cache).find_or_make("oracles", key, make, is_usable);
  if (!folder) return folder.sentence();
  library_ = dlopen((*folder / kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_) return "";
  const char* const reason = dlerror();
  return fmt::format("{} cannot be loaded: {}", lab_.oracle, reason ? reason : "");
}

const std::string& OracleLibrary::trouble() {
  std::call_once(loaded_, [this] { trouble_ = load(); });
  return trouble_;
}

std::vector<Array> OracleLibrary::call(const std::string& task, const std::string& function, const Problem& problem) {
  if (!trouble().empty()) throw std::invalid_argument(trouble());
  const auto call = reinterpret_cast<CallFunction>(dlsym(library_, symbol_of(task, function).c_str()));
  if (!call) throw std::invalid_argument(fmt::format("{} defines no {}", lab_.oracle, function));

  std::vector<FencedBytes> bytes;  // in the order of `arrays`
  std::vector<LanewiseArray> arrays;
  for (const Array& input : problem.inputs) {
    bytes.emplace_back(input.bytes.size());
    std::copy(input.bytes.begin(), input.bytes.end(), bytes.back().begin());
    arrays.push_back(raw_array(input, bytes.back().begin(), input.bytes.size(), false));
  }
  for (const ArrayShape& output : problem.outputs) {
    bytes.emplace_back(byte_count(output));
    std::fill_n(bytes.back().begin(), byte_count(output), kPoison);
    arrays.push_back(raw_array(output, bytes.back().begin(), byte_count(output), true));
  }
  std::vector<LanewiseScalar> scalars;
  for (const Scalar& scalar : problem.scalars) {
    const auto* const integer = std::get_if<std::int64_t>(&scalar.value);
    const double real = integer ? static_cast<double>(*integer) : std::get<double>(scalar.value);
    scalars.push_back({scalar.name.c_str(), integer ? *integer : static_cast<std::int64_t>(real), real});
  }
  const LanewiseCall raw = {arrays.data(), static_cast<std::uint32_t>(arrays.size()), scalars.data(),
                            static_cast<std::uint32_t>(scalars.size())};
  if (const std::string end = run_apart([&] { call(&raw); }); !end.empty())
    throw std::invalid_argument(fmt::format("{}: {}() {}", lab_.oracle, function, end));

  std::vector<Array> outputs;
  for (std::size_t i = 0; i < problem.outputs.size(); ++i) {
    Array& output = outputs.emplace_back();
    static_cast<ArrayShape&>(output) = problem.outputs[i];
    const std::byte* const begin = bytes[problem.inputs.size() + i].begin();
    output.bytes.assign(begin, begin + byte_count(output));
  }
  return outputs;
}

}  // namespace lanewise
