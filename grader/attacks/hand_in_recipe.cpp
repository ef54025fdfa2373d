// TOML in, files and archives out.
#include "grader/attacks/hand_in_recipe.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <cctype>
#include <fstream>
#include <memory>
#include <optional>

#include "grader/workplace/temporary_folder.h"
#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestArchive = 64 << 20;

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// TOML holds valid text only: \xHH is a byte.
std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_byte = text.compare(i, 2, "\\x") == 0 && i + 3 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 3])) != 0;
    bytes += is_byte ? static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16)) : text[i];
    if (is_byte) i += 3;
  }
  return bytes;
}

bool is_known(const std::string& key) {
  for (const char* const known :
       {"path", "text", "repeat", "count", "size", "pad", "pads", "link", "hard_link", "kind", "entry"})
    if (key == known) return true;
  return false;
}

Expected<Ingredient> read_ingredient(const toml::table& table, const Staples& staples) {
  for (const auto& [key, value] : table)
    if (!is_known(std::string(key.str()))) return Failure{fmt::format("'{}' is unknown", key.str())};
  const auto text_at = [&](const char* key) { return bytes_of(table[key].value_or(std::string())); };
  const auto number_at = [&](const char* key) {
    return static_cast<std::size_t>(table[key].value_or(std::int64_t{1}));
  };
  Ingredient made;
  made.path = replaced_everywhere(text_at("path"), "@PAD@", repeated(text_at("pad"), number_at("pads")));
  if (made.path.empty()) return Failure{"a file without a path"};
  made.content = repeated(
      replaced_everywhere(replaced_everywhere(text_at("text"), "@HONEST@", staples.honest), "@ADA@", staples.ada),
      number_at("repeat"));
  made.count = number_at("count");
  made.size = static_cast<std::uintmax_t>(table["size"].value_or(std::int64_t{0}));
  const std::string kind = text_at("kind");
  for (const auto& [key, is] :
       {std::pair{"link", Ingredient::Kind::kLink}, {"hard_link", Ingredient::Kind::kHardLink}}) {
    if (!table.contains(key)) continue;
    made.kind = is;
    made.content = replaced_everywhere(text_at(key), "@ADA@", staples.ada);
  }
  if (kind == "pipe") made.kind = Ingredient::Kind::kPipe;
  if (kind == "device") made.kind = Ingredient::Kind::kDevice;
  if (const toml::array* const entries = table["entry"].as_array()) {
    made.kind = Ingredient::Kind::kArchive;
    for (const toml::node& each : *entries) {
      if (!each.is_table()) return Failure{"an entry that is no table"};
      auto entry = read_ingredient(*each.as_table(), staples);
      if (!entry) return entry;
      made.entries.push_back(std::move(*entry));
    }
  }
  return made;
}

struct CloseWriter {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

std::optional<Failure> pack(const fs::path& file, const std::vector<Ingredient>& entries);

Expected<std::string> packed(const fs::path& name, const std::vector<Ingredient>& entries) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return folder.failure();
  if (const auto failure = pack(folder->path() / name.filename(), entries)) return *failure;
  return read_file(folder->path() / name.filename(), kLargestArchive);
}

std::optional<Failure> pack_entry(archive* writer, const Ingredient& each) {
  std::string content = each.kind == Ingredient::Kind::kFile ? each.content : "";
  if (each.kind == Ingredient::Kind::kArchive) {
    auto inner = packed(each.path, each.entries);
    if (!inner) return inner.failure();
    content = std::move(*inner);
  }
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), each.path.c_str());
  archive_entry_set_perm(entry.get(), 0644);
  const auto type = each.kind == Ingredient::Kind::kLink     ? AE_IFLNK
                    : each.kind == Ingredient::Kind::kPipe   ? AE_IFIFO
                    : each.kind == Ingredient::Kind::kDevice ? AE_IFCHR
                                                             : AE_IFREG;
  archive_entry_set_filetype(entry.get(), type);
  if (each.kind == Ingredient::Kind::kLink) archive_entry_set_symlink(entry.get(), each.content.c_str());
  if (each.kind == Ingredient::Kind::kHardLink) archive_entry_set_hardlink(entry.get(), each.content.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
  if (archive_write_header(writer, entry.get()) < ARCHIVE_WARN ||
      archive_write_data(writer, content.data(), content.size()) < 0)
    return Failure{fmt::format("{}: {}", each.path, archive_error_string(writer))};
  return std::nullopt;
}

std::optional<Failure> pack(const fs::path& file, const std::vector<Ingredient>& entries) {
  const std::unique_ptr<archive, CloseWriter> writer(archive_write_new());
  if (file.extension() == ".zip") {
    archive_write_set_format_zip(writer.get());
  } else {
    archive_write_set_format_pax_restricted(writer.get());
    archive_write_add_filter_gzip(writer.get());
  }
  if (archive_write_open_filename(writer.get(), file.c_str()) != ARCHIVE_OK)
    return Failure{fmt::format("{}: {}", file.string(), archive_error_string(writer.get()))};
  for (const Ingredient& each : entries)
    if (auto failure = pack_entry(writer.get(), each)) return failure;
  if (archive_write_close(writer.get()) != ARCHIVE_OK)
    return Failure{fmt::format("{}: {}", file.string(), archive_error_string(writer.get()))};
  return std::nullopt;
}

bool write_file(const fs::path& path, const Ingredient& each) {
  std::ofstream stream(path, std::ios::binary | std::ios::app);  // one path may be made of several pieces
  stream << each.content << std::flush;
  return stream && (each.size == 0 || truncate(path.c_str(), static_cast<off_t>(each.size)) == 0);
}

std::optional<Failure> make(const fs::path& path, const Ingredient& each) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  bool is_made = false;
  switch (each.kind) {
    case Ingredient::Kind::kArchive:
      return pack(path, each.entries);
    case Ingredient::Kind::kLink:
      is_made = symlink(each.content.c_str(), path.c_str()) == 0;
      break;
    case Ingredient::Kind::kPipe:
      is_made = mkfifo(path.c_str(), 0600) == 0;
      break;
    case Ingredient::Kind::kFile:
      is_made = write_file(path, each);
      break;
    case Ingredient::Kind::kHardLink:
    case Ingredient::Kind::kDevice:
      break;  // for archives: folders that are downloaded have none
  }
  if (is_made) return std::nullopt;
  return Failure{fmt::format("{} could not be made", path.string())};
}

}  // namespace

std::string replaced_everywhere(std::string text, const std::string& part, const std::string& by) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + by.size()))
    text.replace(at, part.size(), by);
  return text;
}

Expected<Recipe> read_recipe(const fs::path& file, const Staples& staples) {
  const auto failure = [&](const std::string& what) { return Failure{fmt::format("{}: {}", file.string(), what)}; };
  Recipe recipe;
  try {
    const toml::table table = toml::parse_file(file.string());
    recipe.name = file.stem().string();
    recipe.tries = table["tries"].value_or(std::string());
    recipe.graded = static_cast<std::size_t>(table["graded"].value_or(std::int64_t{0}));
    recipe.says = table["says"].value_or(std::string());
    const toml::array* const files = table["file"].as_array();
    if (recipe.tries.empty() || recipe.says.empty() || !table["graded"].is_integer() || !files)
      return failure("it needs tries, graded, says and files");
    for (const toml::node& each : *files) {
      if (!each.is_table()) return failure("a file that is no table");
      auto made = read_ingredient(*each.as_table(), staples);
      if (!made) return failure(made.sentence());
      if (fs::path(made->path).begin()->string().find(recipe.name) == std::string::npos)
        return failure("every path begins with a name that holds the recipe's, so that its traces are told apart");
      recipe.files.push_back(std::move(*made));
    }
  } catch (const toml::parse_error& error) {
    return failure(std::string(error.description()));
  }
  return recipe;
}

std::optional<Failure> make_hand_in(const Recipe& recipe, const fs::path& folder) {
  for (const Ingredient& each : recipe.files)
    for (std::size_t i = 1; i <= each.count; ++i)
      if (auto failure = make(folder / replaced_everywhere(each.path, "@NUMBER@", std::to_string(i)), each))
        return failure;
  return std::nullopt;
}

}  // namespace lanewise
