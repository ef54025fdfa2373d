// The oracle and what unpacks a case's data for it are one source, compiled as a lab's entry is.
#include "harness/declared/oracle_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

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
                                            "-I" + lab_.folder.string(),
                                            "-I" + installation_.root.string(),
                                            "-MD",
                                            "-MF",
                                            kDependencies,
                                            kSource,
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
    if (*words) return Failure{fmt::format("{} does not compile:\n{}", lab_.oracle, (*words)->words)};
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

std::vector<Array> OracleLibrary::call(const std::string& task, const std::string& function, const Problem& problem) {
  std::call_once(loaded_, [this] { trouble_ = load(); });
  if (!trouble_.empty()) throw std::invalid_argument(trouble_);
  const auto call = reinterpret_cast<CallFunction>(dlsym(library_, symbol_of(task, function).c_str()));
  if (!call) throw std::invalid_argument(fmt::format("{} defines no {}", lab_.oracle, function));

  std::vector<Array> outputs;
  std::vector<LanewiseArray> arrays;
  for (const Array& input : problem.inputs)
    arrays.push_back(raw_array(input, const_cast<std::byte*>(input.bytes.data()), input.bytes.size(), false));
  for (const ArrayShape& shape : problem.outputs) {
    Array& output = outputs.emplace_back();
    static_cast<ArrayShape&>(output) = shape;
    output.bytes.assign(byte_count(shape), kPoison);
  }
  for (Array& output : outputs) arrays.push_back(raw_array(output, output.bytes.data(), output.bytes.size(), true));
  std::vector<LanewiseScalar> scalars;
  for (const Scalar& scalar : problem.scalars) {
    const auto* const integer = std::get_if<std::int64_t>(&scalar.value);
    const double real = integer ? static_cast<double>(*integer) : std::get<double>(scalar.value);
    scalars.push_back({scalar.name.c_str(), integer ? *integer : static_cast<std::int64_t>(real), real});
  }
  const LanewiseCall raw = {arrays.data(), static_cast<std::uint32_t>(arrays.size()), scalars.data(),
                            static_cast<std::uint32_t>(scalars.size())};
  call(&raw);
  return outputs;
}

}  // namespace lanewise
