// The toolchain for the submission, g++ for the lab's entry, and a link that lets nothing out but the entries.
#include "harness/runner/build/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>

#include "harness/lab/contract.h"
#include "harness/runner/build/compiler_words.h"
#include "harness/runner/build/included_files.h"
#include "harness/runner/content_hash.h"
#include "harness/toolchain/addr2line.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestObject = 256 << 20;

// Raised when this file changes how it builds: older entries of the cache are then not found.
constexpr const char* kRecipe = "recipe 6";
constexpr const char* kObject = "submission.o";
constexpr const char* kDependencies = "submission";
constexpr const char* kSharedObject = "submission.so";
constexpr const char* kMessage = "message";
constexpr const char* kRemark = "remark";
constexpr const char* kIncluded = "included";
constexpr const char* kEntry = "entry.cpp";  // one that follows from the contract
constexpr const char* kEntryObject = "entry.o";
constexpr const char* kEntryDependencies = "entry.d";
constexpr const char* kExports = "exports.map";

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

// Every file the compiler read, once, by a path that does not depend on the folder it ran in.
std::vector<fs::path> files_read(const fs::path& folder, const std::vector<std::string>& dependencies) {
  std::vector<fs::path> files;
  for (const std::string& list : dependencies) {
    const auto rule = read_file(folder / list, kLargestObject);
    if (!rule) continue;
    for (fs::path& file : parse_dependencies(*rule)) {
      if (file.has_parent_path()) file = folder / file;  // a bare name is the source's own
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(std::move(file));
    }
  }
  return files;
}

bool exists_in(const fs::path& folder, const std::string& name) {
  std::error_code error;
  return fs::exists(folder / name, error);
}

bool is_usable_entry(const fs::path& folder) {
  return exists_in(folder, kEntryObject) && are_unchanged(folder / kIncluded);
}

bool is_usable_build(const fs::path& folder, std::vector<std::string> products) {
  products.insert(products.end(), {kObject, kSharedObject});
  const auto is_there = [&](const std::string& name) { return exists_in(folder, name); };
  const bool is_whole = is_there(kMessage) || std::all_of(products.begin(), products.end(), is_there);
  return is_whole && are_unchanged(folder / kIncluded);
}

// A compiler that did what its source told it could leave a link, through which we would read or write elsewhere.
std::string first_stranger(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (const fs::file_type type = it->symlink_status(error).type();
        type != fs::file_type::regular && type != fs::file_type::directory)
      return it->path().filename().string();
  return "";
}

Failure left_behind(const std::string& name) {
  return Failure{
      fmt::format("the compiler left {} in its folder, which is not a regular file; the build is discarded", name)};
}

Expected<std::string> entry_of(const LabFile& lab, const std::string& contract) {
  std::vector<ContractFunction> functions;
  for (const TaskFile& task : lab.tasks) {
    auto function = read_contract(contract, lab.folder / lab.contract, task.name);
    if (!function) return function.failure();
    functions.push_back(std::move(*function));
  }
  return entry_source(lab.contract, functions);
}

Failure cannot_write(const fs::path& folder) {
  return Failure{fmt::format("{}: nothing can be written there; is the disk full?", folder.string())};
}

}  // namespace

Builder::Builder(const Installation& installation, std::shared_ptr<const Toolchain> toolchain,
                 DescribedCompiler host_compiler, Confinement confinement)
    : installation_(installation),
      cache_(installation.cache),
      toolchain_(std::move(toolchain)),
      host_compiler_(std::move(host_compiler)),
      confinement_(std::move(confinement)) {}

Expected<Builder> Builder::create(const Installation& installation, Confinement confinement, ToolchainChoice choice) {
  auto toolchain = find_toolchain(choice, installation);
  if (!toolchain) return toolchain.failure();
  auto host_compiler = describe_host_compiler(installation);
  if (!host_compiler) return host_compiler.failure();
  return Builder(installation, std::move(*toolchain), std::move(*host_compiler), std::move(confinement));
}

Expected<fs::path> Builder::entry_object(const LabFile& lab, const std::string& contract) const {
  const bool is_written = !lab.entry.empty();
  const auto entry = is_written ? read_file(lab.folder / lab.entry, kLargestSource) : entry_of(lab, contract);
  if (!entry) return entry.failure();
  const auto header = read_file(installation_.root / "harness/worker/entry.h", kLargestSource);
  if (!header) return header.failure();
  const std::vector<std::string> command = {installation_.host_compiler.string(),
                                            "-std=c++17",
                                            "-O2",
                                            "-fPIC",
                                            "-I" + lab.folder.string(),
                                            "-I" + installation_.root.string(),
                                            "-MD",
                                            "-MF",
                                            kEntryDependencies,
                                            "-c",
                                            is_written ? (lab.folder / lab.entry).string() : kEntry,
                                            "-o",
                                            kEntryObject};
  const std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kRecipe, host_compiler_.version,
                                      fmt::join(command, " "), *entry, contract, *header);
  const auto make = [&](const fs::path& folder) -> std::optional<Failure> {
    if (!is_written && !write_file(folder / kEntry, *entry)) return cannot_write(folder);
    const auto started = fs::file_time_type::clock::now();
    const auto words = run_compiler(folder, command);
    if (!words) return words.failure();
    if (*words)
      return Failure{fmt::format("the lab's own {} does not compile:\n{}", is_written ? lab.entry : lab.contract,
                                 (*words)->words)};
    return remember_included(folder, {kEntryDependencies}, started);
  };
  return cache_.find_or_make("entries", key, make, is_usable_entry);
}

// Where the part of compiling that is the same for all sources has been done; empty if the toolchain has none.
Expected<fs::path> Builder::prepared(const CompileRequest& request) const {
  const auto commands = toolchain_->prepare_commands(request);
  if (commands.empty()) return fs::path();
  std::string key = fmt::format("{}\n{}\n{}", kRecipe, toolchain_->identity(), host_compiler_.version);
  for (const std::vector<std::string>& command : commands) key += fmt::format("\n{}", fmt::join(command, " "));
  const auto make = [&](const fs::path& folder) -> std::optional<Failure> {
    const auto started = fs::file_time_type::clock::now();
    for (const std::vector<std::string>& command : commands) {
      const auto words = run_compiler(folder, command);
      if (!words) return words.failure();
      if (*words) return Failure{fmt::format("{} does not compile its own headers:\n{}", command[0], (*words)->words)};
    }
    // Whatever a compiler's version says of the system's headers: it refuses to go on where they have changed.
    const auto files = files_read(folder, toolchain_->dependency_files(request.dependencies));
    if (remember_files(folder / kIncluded, files, started)) return std::nullopt;
    return cannot_write(folder);
  };
  return cache_.find_or_make("prepared", key, make,
                             [](const fs::path& place) { return are_unchanged(place / kIncluded); });
}

std::vector<std::string> Builder::link_command(const fs::path& entry) const {
  std::vector<std::string> link = {installation_.host_compiler.string(),
                                   "-shared",
                                   "-o",
                                   kSharedObject,
                                   kObject,
                                   entry.string(),
                                   fmt::format("-Wl,--version-script={}", kExports),
                                   "-Wl,-z,defs",
                                   "-Wl,-z,now"};
  const std::vector<std::string> options = toolchain_->link_options();
  link.insert(link.end(), options.begin(), options.end());
  return link;
}

Expected<Build> Builder::build(const LabFile& lab, const fs::path& source, const std::string& architecture) const {
  const auto text = read_file(source, kLargestSource);
  if (!text) return text.failure();
  const auto contract = read_file(lab.folder / lab.contract, kLargestSource);
  if (!contract) return contract.failure();
  const auto entry = entry_object(lab, *contract);
  if (!entry) return entry.failure();

  const std::string name = plain_name(source);
  CompileRequest request;
  request.source = name;
  request.object = kObject;
  request.architecture = architecture;
  request.options = {"-std=c++17"};
  request.host_options = {"-fPIC", "-g1"};  // lines of host calls
  request.dependencies = kDependencies;
  const auto prepared = this->prepared(request);
  if (!prepared) return prepared.failure();
  request.options.push_back("-I" + lab.folder.string());
  request.prepared = *prepared;
  const std::vector<std::string> compile = toolchain_->compile_command(request);
  const std::vector<std::string> lists = toolchain_->dependency_files(kDependencies);
  const std::vector<std::string> link = link_command(*entry / kEntryObject);
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kRecipe, toolchain_->identity(), host_compiler_.version,
                  fmt::join(compile, " "), fmt::join(link, " "), source.filename().string(), *contract, *text);
  std::vector<fs::path> readable = toolchain_->readable();
  readable.insert(readable.end(), {lab.folder, (lab.folder / kHostHeader).lexically_normal(), *entry});
  if (!prepared->empty()) readable.push_back(*prepared);
  std::string passing;  // the compiler's words, if nobody can tell for how long they hold
  const auto make = [&](const fs::path& place) -> std::optional<Failure> {
    // The source is copied, so that messages and line tables name the file and not the way to it.
    if (!write_file(place / name, *text) || !write_file(place / kExports, "{ global: lanewise_task_*; local: *; };\n"))
      return cannot_write(place);
    const auto started = fs::file_time_type::clock::now();
    for (const auto& command : {compile, link}) {
      std::string remarks;
      const auto words = run_compiler(place, command, confinement_, readable, &remarks);
      if (!words) return words.failure();
      if (const std::string stranger = first_stranger(place); !stranger.empty()) return left_behind(stranger);
      if (!*words) {
        const std::string remark = variable_without_value(remarks, name);
        if (!remark.empty() && !write_file(place / kRemark, remark)) return cannot_write(place);
        continue;
      }
      const std::string shown = words_for_student((*words)->words, {place, lab.folder}, name, source);
      // Without a list of what it read it stopped at a file that is not there; any day the file may be. Where it ran
      // into a limit, whoever asks again wants it tried again.
      const bool has_list =
          std::any_of(lists.begin(), lists.end(), [&](const std::string& list) { return exists_in(place, list); });
      if ((*words)->was_stopped || !has_list || !missing_header(shown).empty()) return Failure{passing = shown};
      if (!write_file(place / kMessage, shown)) return cannot_write(place);
      break;
    }
    return remember_included(place, lists, started);
  };
  // What was built without a confinement may hold what a confined compiler could not have read: they are kept apart.
  const auto folder = cache_.find_or_make(confinement_ ? "confined" : "submissions", key, make,
                                          [&](const fs::path& place) { return is_usable_build(place, lists); });
  if (!folder && passing.empty()) return folder.failure();
  auto build = folder ? read_build(*folder) : Expected<Build>(Build{"", false, passing, "", "", "", {}});
  if (!build) return build.failure();
  build->hash = content_hash(key);
  build->compiled_as = name;
  if (!build->is_built)
    if (std::string header = toolchain_->lacking_header(*text); !header.empty()) build->audited.headers = {header};
  return build;
}

std::map<std::uint64_t, int> Builder::lines_at(const Build& build, const std::set<std::uint64_t>& offsets) const {
  std::map<std::uint64_t, int> lines;
  if (offsets.empty() || !build.is_built) return lines;
  const std::vector<std::string> command = addr2line_command(installation_, build.shared_object, offsets);
  const auto make = [&](const fs::path& folder) -> std::optional<Failure> {
    const auto said = ask_tool(folder, command, confinement_, {build.shared_object.parent_path()});
    if (!said || !write_file(folder / kMessage, *said)) return Failure{"addr2line did not answer"};
    return std::nullopt;
  };
  const auto folder = cache_.find_or_make(confinement_ ? "confined_lines" : "lines",
                                          fmt::format("{}\n{}", build.hash, fmt::join(command, " ")), make,
                                          [](const fs::path& place) { return exists_in(place, kMessage); });
  if (!folder) return lines;
  const auto said = read_file(*folder / kMessage, kCompilerWordsKept);
  for (const auto& [offset, places] : read_addr2line(said ? *said : ""))
    for (const AddressPlace& place : places)
      if (place.file.filename() == build.compiled_as) lines.emplace(offset, place.line);
  return lines;
}

std::vector<fs::path> Builder::header_folders() const {
  std::vector<fs::path> folders = toolchain_->header_folders();
  folders.insert(folders.end(), host_compiler_.header_folders.begin(), host_compiler_.header_folders.end());
  return folders;
}

std::optional<Failure> Builder::remember_included(const fs::path& folder, const std::vector<std::string>& dependencies,
                                                  fs::file_time_type started) const {
  // The toolkit and the system change with the compilers, whose versions are part of the key.
  std::vector<fs::path> known = header_folders();
  known.push_back(folder);
  std::vector<fs::path> files = files_read(folder, dependencies);
  files.erase(std::remove_if(files.begin(), files.end(), [](const fs::path& file) { return !file.has_parent_path(); }),
              files.end());
  if (remember_files(folder / kIncluded, files_outside(files, known), started)) return std::nullopt;
  return cannot_write(folder);
}

Expected<Build> Builder::read_build(const fs::path& folder) const {
  Build build;
  std::error_code error;
  if (fs::exists(folder / kMessage, error)) {
    const auto message = read_file(folder / kMessage, kCompilerWordsKept * 2);
    if (!message) return message.failure();
    build.message = *message;
    return build;
  }
  const auto object = read_file(folder / kObject, kLargestObject);
  if (!object) return object.failure();
  auto symbols = read_elf_symbols(*object);
  if (!symbols) return symbols.failure();
  build.audited = {std::move(*symbols), files_read(folder, toolchain_->dependency_files(kDependencies))};
  build.shared_object = folder / kSharedObject;
  build.is_built = true;
  if (const auto remark = read_file(folder / kRemark, kCompilerWordsKept)) build.remark = *remark;
  return build;
}

AuditRules Builder::audit_rules(const LabFile& lab, const Build& build) const {
  AuditRules rules;
  rules.allowed_folders = header_folders();
  rules.allowed_folders.insert(rules.allowed_folders.end(),
                               {lab.folder, lab.folder / kHostHeader, build.shared_object.parent_path()});
  const std::vector<fs::path> readable = toolchain_->readable();
  rules.allowed_folders.insert(rules.allowed_folders.end(), readable.begin(), readable.end());
  return rules;
}

}  // namespace lanewise
