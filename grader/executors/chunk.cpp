// chunk.toml, written by hand and read by the library.
#include "grader/executors/chunk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;

std::string array_of(const std::set<std::string>& texts) {
  std::vector<std::string> quoted;
  quoted.reserve(texts.size());
  for (const std::string& text : texts) quoted.push_back(toml_quoted(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::set<std::string> texts(const TomlTable& table, const char* key) {
  const std::vector<std::string> listed = table.texts_or_none(key);
  return {listed.begin(), listed.end()};
}

bool truth(const TomlTable& table, const char* key) {
  const auto value = table.raw()[key].value_exact<bool>();
  if (!value) table.fail(key, fmt::format("the key '{}' must be true or false", key));
  return *value;
}

std::string one_of(const TomlTable& table, const char* key, const std::set<std::string>& allowed) {
  std::string value = table.text(key);
  if (allowed.count(value) == 0)
    table.fail(key, fmt::format("the key '{}' must be one of: {}", key, fmt::join(allowed, ", ")));
  return value;
}

// Used in paths, which must not lead out of the chunk.
std::string name(const TomlTable& table, const char* key) {
  std::string value = table.text(key);
  if (value.empty() || value[0] == '.' || value.find('/') != std::string::npos)
    table.fail(key, fmt::format("the key '{}' must be a name without '/'", key));
  return value;
}

Chunk chunk_of(const TomlTable& root) {
  const auto format = root.raw()["format"].value_exact<std::int64_t>();
  if (format != kFormat)
    root.fail("format", fmt::format("this lanewise reads chunks of format {} only; use the version that made the chunk",
                                    kFormat));
  root.allow_only({"format", "backend", "toolchain", "groups", "seed", "timed", "sandbox", "submission"});
  Chunk chunk;
  ChunkOptions& options = chunk.options;
  options.backend = one_of(root, "backend", {"gpu", "vgpu", "both"});
  options.toolchain = one_of(root, "toolchain", {"nvcc", "clang"});
  options.groups = texts(root, "groups");
  const auto seed = root.raw()["seed"].value_exact<std::int64_t>();
  if (!seed || *seed < 0) root.fail("seed", "the key 'seed' must be a whole number, at least 0");
  options.seed = static_cast<std::uint64_t>(*seed);
  options.is_timed = truth(root, "timed");
  options.has_sandbox = truth(root, "sandbox");
  for (const TomlTable& table : root.tables("submission")) {
    table.allow_only({"lab", "content", "terms", "tasks"});
    chunk.submissions.push_back(
        {name(table, "lab"), name(table, "content"), table.text("terms"), texts(table, "tasks")});
  }
  return chunk;
}

}  // namespace

std::string chunk_toml(const Chunk& chunk) {
  const ChunkOptions& options = chunk.options;
  std::string text =
      fmt::format("format = {}\nbackend = {}\ntoolchain = {}\ngroups = {}\nseed = {}\ntimed = {}\nsandbox = {}\n",
                  kFormat, toml_quoted(options.backend), toml_quoted(options.toolchain), array_of(options.groups),
                  options.seed, options.is_timed, options.has_sandbox);
  for (const ChunkSubmission& each : chunk.submissions)
    text += fmt::format("\n[[submission]]\nlab = {}\ncontent = {}\nterms = {}\ntasks = {}\n", toml_quoted(each.lab),
                        toml_quoted(each.content), toml_quoted(each.terms), array_of(each.tasks));
  return text;
}

Expected<Chunk> read_chunk(const fs::path& folder) {
  try {
    const fs::path file = folder / kChunkFile;
    const toml::table parsed = parse_toml_file(file);
    return chunk_of(TomlTable(parsed, file.string()));
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

}  // namespace lanewise
