// Names and sizes are judged before anything is written.
#include "grader/bundle/packing.h"

#include <fmt/format.h>

#include <set>

#include "grader/bundle/manifest.h"
#include "grader/class/entries.h"
#include "grader/class/file_names.h"
#include "grader/grading/digest.h"
#include "grader/release/archive.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/number_text.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDate = 315532800;  // 1980-01-01, the earliest date in zips: the time of packing does not matter
constexpr HandInLimits kLimits;
constexpr int kMostFolders = 3;  // solutions/scan/inclusive_scan/1_naive.cu

std::string readme_of(const Manifest& manifest) {
  return fmt::format(
      "A Lanewise grade: the lab {0} as submitted by {1}, with everything needed to grade it again.\n\n"
      "  lanewise reproduce FILE.zip\n\n"
      "grades it again in the sandbox and says line by line whether the result is the same. Nothing else is needed:\n\n"
      "  hand-in/        the work as submitted\n"
      "  labs/           the lab's files as they were\n"
      "  solutions/      the key to the questions; for a grade with measured times also what was timed beside it\n"
      "  seed.toml       the secret seed and hidden cases, if there were any\n"
      "  manifest.json   the verdict and the grade, the terms, the marks given by hand, versions, and a SHA-256 of "
      "each\n"
      "                  file\n\n"
      "It is for instructors: it contains hidden cases and the key. It is not signed: whoever has it can change it, "
      "but\n"
      "`lanewise bundle` makes the same file from the same run, byte for byte, if Lanewise and its libraries have not\n"
      "changed: note the SHA-256 that it prints when you hand one out.\n",
      safe_line(manifest.lab), safe_line(manifest.student));
}

// Like ours: parts that are safe everywhere.
bool is_plain_path(const std::string& path) {
  int folders = 0;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    if (part.empty() || safe_file_name(part) != part) return false;
    if (end < path.size()) ++folders;
    at = end + 1;
  }
  return folders <= kMostFolders;
}

// Why a bundle may not contain such an entry; empty if it may.
std::string trouble_with(const Entry& entry, std::set<std::string>& seen) {
  const std::string name = safe_line(entry.path);
  if (!is_plain_path(entry.path)) return fmt::format("a bundle may not contain anything named '{}'", name);
  if (entry.kind != EntryKind::kFile && entry.kind != EntryKind::kFolder)
    return fmt::format("{} is a link, or not a file at all, and bundles contain only files", name);
  for (fs::path above = fs::path(entry.path).parent_path(); !above.empty(); above = above.parent_path())
    if (seen.count(above.string()) != 0) return fmt::format("{} is inside a file", name);
  if (entry.kind == EntryKind::kFile && !seen.insert(entry.path).second) return fmt::format("{} is in it twice", name);
  return "";
}

std::string why_not_taken(const std::string& path, Taken how) {
  if (how == Taken::kTooLarge || how == Taken::kTooMuch)
    return fmt::format("it unpacks to more than {} bytes, the most that a bundle may hold",
                       with_commas(kLimits.unpacked_bytes));
  return fmt::format("{} is damaged in it; ask for the bundle again", path);
}

std::optional<Failure> unpack(const fs::path& zip, const fs::path& into) {
  const auto source = open_archive(zip);
  if (!source) return source.failure();
  const auto fail = [&](const std::string& why) { return Failure{fmt::format("{}: {}", zip.string(), why)}; };
  const auto listing = (*source)->list({kLimits.files, kLimits.files, kLimits.unpacked_bytes});
  if (!listing) return fail(listing.sentence());
  if (!listing->set_aside.empty()) return fail(listing->set_aside.front().why);
  std::set<std::string> seen;
  std::vector<Wanted> wanted;
  std::vector<std::string> paths;
  for (const Entry& entry : listing->entries) {
    if (const std::string why = trouble_with(entry, seen); !why.empty()) return fail(why);
    if (entry.kind == EntryKind::kFolder) continue;
    wanted.push_back({entry.place, into / entry.path, kLimits.unpacked_bytes, 0});
    paths.push_back(entry.path);
  }
  for (const Wanted& each : wanted) {
    std::error_code error;
    fs::create_directories(each.to.parent_path(), error);
    if (error) return fail(fmt::format("{} cannot be unpacked ({})", paths[0], error.message()));
  }
  const auto taken = (*source)->take(wanted, kLimits.unpacked_bytes);
  if (!taken) return taken.failure();
  for (std::size_t i = 0; i < taken->size(); ++i)
    if ((*taken)[i] != Taken::kYes) return fail(why_not_taken(paths[i], (*taken)[i]));
  if (seen.count(kManifestFile) == 0)
    return fail("there is no manifest.json in it: it was not made by lanewise bundle");
  return std::nullopt;
}

// What does not match the manifest; empty if everything does.
std::string trouble_with_files(const Manifest& manifest, const fs::path& folder) {
  for (const auto& [path, hash] : manifest.files) {
    const auto content = is_plain_path(path) ? read_file(folder / path, kLimits.unpacked_bytes) : Failure{};
    if (!content) return fmt::format("{} is missing from it", safe_line(path));
    if (const std::string is = sha256_of(*content); is != hash)
      return fmt::format("{} is not as it was bundled: its SHA-256 is {}, and manifest.json has {}", path, is, hash);
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder).generic_string();
    if (!entry.is_directory() && path != kManifestFile && manifest.files.count(path) == 0)
      return fmt::format("it contains {}, which manifest.json does not list", path);
  }
  return "";
}

std::string trouble_with_work(const Manifest& manifest, const fs::path& folder) {
  const fs::path source = source_in(manifest);
  if (source.empty()) return "its folder hand-in does not contain exactly one .cu file";
  const auto text = read_file(folder / source, kLimits.unpacked_bytes);
  const auto answers = read_file(folder / kHandInFolder / "answers.toml", kLimits.unpacked_bytes);
  if (!text || digest_of({*text, answers ? *answers : ""}) != manifest.content)
    return "its folder hand-in does not contain the work that manifest.json describes";
  return "";
}

}  // namespace

Expected<std::string> packed_bundle(Manifest manifest, std::map<std::string, std::string> files) {
  files[kBundleReadme] = readme_of(manifest);
  manifest.files.clear();
  for (const auto& [path, content] : files) manifest.files[path] = sha256_of(content);
  files[kManifestFile] = manifest_json(manifest);
  std::vector<ArchiveFile> packed;
  std::uint64_t bytes = 0;
  for (const auto& [path, content] : files) {
    packed.push_back({path, content});
    bytes += content.size();
  }
  if (bytes > kLimits.unpacked_bytes || files.size() > kLimits.files)
    return Failure{fmt::format("the bundle would hold {} bytes in {} files; at most {} bytes in {} files are allowed",
                               with_commas(bytes), files.size(), with_commas(kLimits.unpacked_bytes), kLimits.files)};
  return archive_of(std::move(packed), ArchiveFormat::kZip, kDate);
}

Expected<Manifest> unpack_bundle(const fs::path& zip, const fs::path& into) {
  if (auto failure = unpack(zip, into)) return *std::move(failure);
  const auto fail = [&](const std::string& why) { return Failure{fmt::format("{}: {}", zip.string(), why)}; };
  const auto text = read_file(into / kManifestFile, kLimits.unpacked_bytes);
  if (!text) return text.failure();
  auto manifest = read_manifest(*text);
  if (!manifest) return fail(manifest.sentence());
  if (const std::string why = trouble_with_files(*manifest, into); !why.empty()) return fail(why);
  if (const std::string why = trouble_with_work(*manifest, into); !why.empty()) return fail(why);
  return manifest;
}

fs::path source_in(const Manifest& manifest) {
  fs::path source;
  for (const auto& [path, hash] : manifest.files) {
    if (path.rfind(kHandInFolder, 0) != 0 || fs::path(path).extension() != ".cu") continue;
    if (!source.empty()) return {};
    source = path;
  }
  return source;
}

}  // namespace lanewise
