// The oracle and what unpacks a case's data for it are one source, compiled as a lab's entry is.
#include "harness/declared/oracle_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>
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

constexpr const char* kRecipe = "oracle 2";
constexpr std::uintmax_t kLargestSource = 1 << 20;
constexpr const char* kSource = "calls.cpp";
constexpr const char* kLibrary = "oracle.so";
constexpr const char* kDependencies = "oracle.d";
constexpr const char* kIncluded = "included";

using CallFunction = void (*)(const LanewiseCall*);

// Of the parameter behind the contract's, which has no name that could be another's. What comes behind it is numbered.
constexpr const char* kLastParameter = "";

// Inputs of less than that have a fence behind them. A mistake in reading shows in small cases, and large ones take
// long to copy.
constexpr std::size_t kMostFenced = 1 << 20;

// Touching fresh memory takes longer than most functions do; memory of these sizes is kept, so many pieces.
constexpr std::size_t kLeastKept = 1 << 18, kMostKept = 1 << 24, kPiecesKept = 4;

// C++ tells functions of one name by their parameters, which those of different tasks and kinds may have.
std::string symbol_of(const OracleFunction& function) {
  return fmt::format("lanewise_call_{}_{}_{}_in_{}", function.name, static_cast<int>(function.kind), function.numbers,
                     function.task);
}

ContractFunction called(const OracleFunction& function, const ContractFunction& contract) {
  using Kind = OracleFunction::Kind;
  using Role = ContractParameter::Role;
  ContractFunction result{function.name, {}};
  for (ContractParameter parameter : contract.parameters) {
    if (function.kind == Kind::kInputs && parameter.role == Role::kOutput) continue;
    if (function.kind == Kind::kInputs && parameter.role == Role::kInput) parameter.role = Role::kOutput;
    result.parameters.push_back(std::move(parameter));
  }
  if (function.kind != Kind::kOutputs)
    result.parameters.push_back(
        {kLastParameter, function.kind == Kind::kInputs ? "std::uint64_t" : "std::int64_t", DType::kInt64});
  for (std::size_t i = 0; i < function.numbers; ++i)
    result.parameters.push_back({std::to_string(i), "double", DType::kFloat64});
  return result;
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
  if (ahead_.valid()) ahead_.wait();
  if (library_) dlclose(library_);
}

std::string OracleLibrary::source() const {
  std::string source = fmt::format("#include \"harness/worker/entry.h\"\n#include \"{}\"\n#include \"{}\"\n",
                                   lab_.contract, (lab_.folder / lab_.oracle).string());
  for (const OracleFunction& function : functions_) {
    const auto contract = std::find_if(tasks_.begin(), tasks_.end(),
                                       [&](const ContractFunction& task) { return task.name == function.task; });
    source +=
        fmt::format("extern \"C\" void {}(const LanewiseCall* raw) {{\n  const lanewise::Call call(*raw);\n  {};\n}}\n",
                    symbol_of(function), call_source(called(function, *contract)));
  }
  return source;
}

// Empty, or why not.
std::string OracleLibrary::load() {
  const auto compiler = describe_host_compiler(installation_);
  if (!compiler) return compiler.sentence();
  const std::string source = this->source();
  const std::vector<std::string> command = {installation_.host_compiler.string(),
                                            "-std=c++17",
                                            "-O2",
                                            "-ffp-contract=off",  // the same on every processor
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

void OracleLibrary::compile_ahead() {
  if (!ahead_.valid()) ahead_ = std::async(std::launch::async, [this] { trouble(); });
}

const std::string& OracleLibrary::trouble() {
  std::call_once(loaded_, [this] { trouble_ = load(); });
  return trouble_;
}

std::vector<Array> OracleLibrary::outputs(const std::string& task, const std::string& function, const Problem& problem,
                                          std::optional<std::int64_t> number, std::byte unwritten) {
  using Kind = OracleFunction::Kind;
  std::vector<Scalar> scalars = problem.scalars;
  if (number) scalars.push_back({kLastParameter, *number});
  return call({task, function, number ? Kind::kVariant : Kind::kOutputs}, problem.inputs, problem.outputs, scalars,
              unwritten);
}

std::vector<Array> OracleLibrary::inputs(const std::string& task, const NameWithNumbers& function,
                                         const std::vector<ArrayShape>& shapes, const std::vector<Scalar>& scalars,
                                         std::uint64_t seed, std::byte unwritten) {
  std::vector<Scalar> all = scalars;
  all.push_back({kLastParameter, static_cast<std::int64_t>(seed)});
  for (const double number : function.numbers) all.push_back({std::to_string(all.size() - scalars.size() - 1), number});
  return call({task, function.name, OracleFunction::Kind::kInputs, function.numbers.size()}, {}, shapes, all,
              unwritten);
}

std::vector<Array> OracleLibrary::call(const OracleFunction& function, const std::vector<Array>& inputs,
                                       const std::vector<ArrayShape>& outputs, const std::vector<Scalar>& scalars,
                                       std::byte unwritten) {
  if (!trouble().empty()) throw std::invalid_argument(trouble());
  const auto call = reinterpret_cast<CallFunction>(dlsym(library_, symbol_of(function).c_str()));
  if (!call && function.numbers == 0)
    throw std::invalid_argument(fmt::format("no case in lab.toml has function = \"{}\"", function.name));
  if (!call)
    throw std::invalid_argument(fmt::format("no case in lab.toml has function = \"{}(...)\" with as many numbers, {}",
                                            function.name, function.numbers));

  std::vector<FencedBytes> fenced;
  std::vector<LanewiseArray> arrays;
  for (const Array& input : inputs) {
    auto* data = const_cast<std::byte*>(input.bytes.data());  // the process that is called has a copy
    if (input.bytes.size() < kMostFenced) {
      data = fenced.emplace_back(input.bytes.size()).begin();
      std::copy(input.bytes.begin(), input.bytes.end(), data);
    }
    arrays.push_back(raw_array(input, data, input.bytes.size(), false));
  }
  std::vector<const std::byte*> written;
  for (const ArrayShape& output : outputs) {
    std::byte* const data = fenced.emplace_back(take_memory(byte_count(output))).begin();
    std::fill_n(data, byte_count(output), unwritten);
    arrays.push_back(raw_array(output, data, byte_count(output), true));
    written.push_back(data);
  }
  std::vector<LanewiseScalar> numbers;
  for (const Scalar& scalar : scalars) {
    const auto* const integer = std::get_if<std::int64_t>(&scalar.value);
    const double real = integer ? static_cast<double>(*integer) : std::get<double>(scalar.value);
    numbers.push_back({scalar.name.c_str(), integer ? *integer : static_cast<std::int64_t>(real), real});
  }
  const LanewiseCall raw = {arrays.data(), static_cast<std::uint32_t>(arrays.size()), numbers.data(),
                            static_cast<std::uint32_t>(numbers.size())};
  if (const std::string end = run_apart([&] { call(&raw); }); !end.empty())
    throw std::invalid_argument(fmt::format("{}: {}() {}", lab_.oracle, function.name, end));

  std::vector<Array> results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Array& result = results.emplace_back();
    static_cast<ArrayShape&>(result) = outputs[i];
    result.bytes.assign(written[i], written[i] + byte_count(result));
  }
  keep_memory(std::move(fenced));
  return results;
}

FencedBytes OracleLibrary::take_memory(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(memory_mutex_);
  const auto kept = std::find_if(memory_.begin(), memory_.end(),
                                 [bytes](const FencedBytes& memory) { return memory.size() == bytes; });
  if (kept == memory_.end()) return FencedBytes(bytes);
  FencedBytes taken = std::move(*kept);
  memory_.erase(kept);
  return taken;
}

void OracleLibrary::keep_memory(std::vector<FencedBytes> memory) {
  const std::lock_guard<std::mutex> lock(memory_mutex_);
  for (FencedBytes& each : memory)
    if (each.size() >= kLeastKept && each.size() <= kMostKept) memory_.push_front(std::move(each));
  while (memory_.size() > kPiecesKept) memory_.pop_back();
}

}  // namespace lanewise
