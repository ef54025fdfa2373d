// nvcc for the submission, g++ for the lab's entry, and a link that lets nothing out but the entries.
#include "harness/runner/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <sstream>

#include "harness/runner/content_hash.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSource = 1 << 20;
constexpr std::uintmax_t kLargestObject = 256 << 20;
constexpr std::chrono::seconds kCompileLimit(180);  // CUB's largest templates take about 30 s on a slow machine
constexpr std::chrono::seconds kQuestionLimit(20);  // for --version and the like
constexpr std::size_t kMessageKept = 32 << 10;
constexpr ProcessLimits kCompilerLimits{/*cpu_seconds=*/150, /*data_bytes=*/std::uint64_t{6} << 30,
                                        /*file_bytes=*/std::uint64_t{256} << 20};

// Raised when this file changes how it builds: older entries of the cache are then not found.
constexpr const char* kRecipe = "recipe 1";
constexpr const char* kObject = "submission.o";
constexpr const char* kDependencies = "submission.d";
constexpr const char* kSharedObject = "submission.so";
constexpr const char* kMessage = "message";
constexpr const char* kExports = "exports.map";

// Libraries of the toolkit that a task may leave free to use; the linker drops those that are not needed.
constexpr const char* kToolkitLibraries[] = {"cublas", "cusparse", "nppicc", "nppif", "nppc"};

bool write_file(const fs::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  stream.close();
  return static_cast<bool>(stream);
}

// A name that can stand on a command line and in a report, as close to the original as that allows.
std::string plain_name(const fs::path& source) {
  std::string name = source.filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  if (name.size() > 100 || name.front() == '-' || name.front() == '.' || source.extension() != ".cu")
    return "submission.cu";
  return name;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
  return text;
}

ProcessOptions tool(const fs::path& folder, std::vector<std::string> command) {
  ProcessOptions options;
  options.command = std::move(command);
  // Temporary files go where the whole folder is removed if the build is interrupted.
  options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + folder.string()};
  options.folder = folder;
  options.limits = kCompilerLimits;
  return options;
}

// Nothing on success; the tool's words on failure.
Expected<std::optional<std::string>> run_tool(const fs::path& folder, std::vector<std::string> command) {
  const std::string name = fs::path(command[0]).filename().string();
  const auto finished = run_to_end(tool(folder, std::move(command)), kCompileLimit, kMessageKept);
  if (!finished) return finished.failure();
  if (finished->timed_out)
    return std::optional<std::string>(
        fmt::format("{} was stopped: it had not finished after {} seconds", name, kCompileLimit.count()));
  if (finished->succeeded()) return std::optional<std::string>();
  std::string words = finished->output;
  if (finished->output_bytes > words.size())
    words += fmt::format("\n... and {} bytes more", finished->output_bytes - words.size());
  if (words.empty()) words = fmt::format("{} ended without a word (wait status {})", name, finished->status);
  return std::optional<std::string>(words);
}

Expected<std::string> ask_version(const Installation& installation) {
  const Failure missing{
      fmt::format("nvcc cannot be run at {}; install the CUDA Toolkit 13 and configure the build anew",
                  installation.nvcc.string())};
  const auto finished = run_to_end(tool("/tmp", {installation.nvcc.string(), "--version"}), kQuestionLimit, 4096);
  if (!finished || !finished->succeeded()) return missing;
  // "Cuda compilation tools, release 13.0, V13.0.88"
  const std::size_t at = finished->output.find(", V");
  if (at == std::string::npos) return missing;
  const std::size_t end = finished->output.find_first_not_of("0123456789.", at + 3);
  return finished->output.substr(at + 3, end - at - 3);
}

// The folders between "#include <...> search starts here:" and "End of search list.", one a line.
Expected<std::vector<fs::path>> ask_header_folders(const Installation& installation) {
  const Failure missing{
      fmt::format("the C++ compiler {} cannot be run; configure the build anew", installation.host_compiler.string())};
  const auto finished =
      run_to_end(tool("/tmp", {installation.host_compiler.string(), "-E", "-v", "-x", "c++", "/dev/null"}),
                 kQuestionLimit, 1 << 16);
  if (!finished || !finished->succeeded()) return missing;
  std::vector<fs::path> folders;
  bool is_in_list = false;
  std::istringstream lines(finished->output);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("End of search list", 0) == 0) break;
    if (is_in_list && line.size() > 1) folders.push_back(fs::weakly_canonical(line.substr(1)));
    if (line.rfind("#include <...>", 0) == 0) is_in_list = true;
  }
  if (folders.empty()) return missing;
  return folders;
}

}  // namespace

Builder::Builder(const Installation& installation, std::string compiler_version, std::vector<fs::path> system_headers)
    : installation_(installation),
      cache_(installation.cache),
      compiler_version_(std::move(compiler_version)),
      system_headers_(std::move(system_headers)) {}

Expected<Builder> Builder::create(const Installation& installation) {
  auto version = ask_version(installation);
  if (!version) return version.failure();
  auto headers = ask_header_folders(installation);
  if (!headers) return headers.failure();
  return Builder(installation, std::move(*version), std::move(*headers));
}

Expected<fs::path> Builder::entry_object(const LabFile& lab, const std::string& contract) const {
  const auto entry = read_file(lab.folder / lab.entry, kLargestSource);
  if (!entry) return entry.failure();
  const auto header = read_file(installation_.source / "harness/worker/entry.h", kLargestSource);
  if (!header) return header.failure();
  const std::vector<std::string> command = {installation_.host_compiler.string(),
                                            "-std=c++17",
                                            "-O2",
                                            "-fPIC",
                                            "-I" + lab.folder.string(),
                                            "-I" + installation_.source.string(),
                                            "-c",
                                            (lab.folder / lab.entry).string(),
                                            "-o",
                                            "entry.o"};
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}", kRecipe, fmt::join(command, " "), *entry, contract, *header);
  return cache_.find_or_make("entries", key, [&](const fs::path& folder) -> std::optional<Failure> {
    const auto words = run_tool(folder, command);
    if (!words) return words.failure();
    if (*words) return Failure{fmt::format("the lab's own {} does not compile:\n{}", lab.entry, **words)};
    return std::nullopt;
  });
}

Expected<Build> Builder::build(const LabFile& lab, const fs::path& source, const std::string& architecture) const {
  const auto text = read_file(source, kLargestSource);
  if (!text) return text.failure();
  const auto contract = read_file(lab.folder / lab.contract, kLargestSource);
  if (!contract) return contract.failure();
  const auto entry = entry_object(lab, *contract);
  if (!entry) return entry.failure();

  const std::string name = plain_name(source);
  const std::vector<std::string> compile = {
      installation_.nvcc.string(), "-std=c++17", "-O2", "-lineinfo", "-cudart", "shared", "-ccbin",
      installation_.host_compiler.string(), "-Xcompiler", "-fPIC,-fno-diagnostics-color",
      // Uncompressed PTX is what the virtual GPU reads; machine code is for the GPU at hand.
      fmt::format("-gencode=arch=compute_{0},code=[compute_{0},sm_{0}]", architecture), "--compress-mode=none",
      "-I" + lab.folder.string(), "-MD", "-MF", kDependencies, "-c", name, "-o", kObject};
  std::vector<std::string> link = {installation_.host_compiler.string(),
                                   "-shared",
                                   "-o",
                                   kSharedObject,
                                   kObject,
                                   (*entry / "entry.o").string(),
                                   fmt::format("-Wl,--version-script={}", kExports),
                                   "-Wl,-z,defs",
                                   "-Wl,-z,now",
                                   "-L" + installation_.cuda_libraries.string(),
                                   "-Wl,-rpath," + installation_.cuda_libraries.string(),
                                   "-lcudart",
                                   "-Wl,--as-needed"};
  for (const char* library : kToolkitLibraries)
    if (fs::exists(installation_.cuda_libraries / fmt::format("lib{}.so", library)))
      link.push_back(fmt::format("-l{}", library));

  const std::string key = fmt::format("{}\nnvcc {}\n{}\n{}\n{}\n{}", kRecipe, compiler_version_,
                                      fmt::join(compile, " "), fmt::join(link, " "), *contract, *text);
  const auto folder = cache_.find_or_make("submissions", key, [&](const fs::path& place) -> std::optional<Failure> {
    // The source is copied, so that messages and line tables name the file and not the way to it.
    if (!write_file(place / name, *text) || !write_file(place / kExports, "{ global: lanewise_task_*; local: *; };\n"))
      return Failure{fmt::format("{}: nothing can be written there; is the disk full?", place.string())};
    for (const auto& command : {compile, link}) {
      const auto words = run_tool(place, command);
      if (!words) return words.failure();
      if (!*words) continue;
      const std::string shown = without(without(**words, place.string() + "/"), lab.folder.string() + "/");
      if (!write_file(place / kMessage, shown))
        return Failure{fmt::format("{}: nothing can be written there", place.string())};
      break;
    }
    return std::nullopt;
  });
  if (!folder) return folder.failure();
  auto build = read_build(*folder);
  if (build) build->hash = content_hash(key);
  return build;
}

Expected<Build> Builder::read_build(const fs::path& folder) const {
  Build build;
  if (fs::exists(folder / kMessage)) {
    const auto message = read_file(folder / kMessage, kMessageKept * 2);
    if (!message) return message.failure();
    build.message = *message;
    return build;
  }
  const auto object = read_file(folder / kObject, kLargestObject);
  if (!object) return object.failure();
  auto symbols = read_elf_symbols(*object);
  if (!symbols) return symbols.failure();
  const auto dependencies = read_file(folder / kDependencies, kLargestObject);
  if (!dependencies) return dependencies.failure();
  build.audited = {std::move(*symbols), parse_dependencies(*dependencies)};
  build.shared_object = folder / kSharedObject;
  build.is_built = true;
  return build;
}

AuditRules Builder::audit_rules(const LabFile& lab, const Build& build) const {
  AuditRules rules;
  rules.allowed_folders = {lab.folder, build.shared_object.parent_path(), installation_.toolkit,
                           fs::weakly_canonical(installation_.toolkit)};
  rules.allowed_folders.insert(rules.allowed_folders.end(), system_headers_.begin(), system_headers_.end());
  return rules;
}

}  // namespace lanewise
