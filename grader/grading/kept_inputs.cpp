// Equal contents have one copy, under their hash.
#include "grader/grading/kept_inputs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "grader/grading/digest.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"

namespace lanewise {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path kept_file(const fs::path& out, const std::string& hash) { return out / "kept" / hash; }

Expected<std::string> keep_content(const fs::path& out, const std::string& content) {
  const std::string hash = sha256_of(content);
  const fs::path file = kept_file(out, hash);
  if (const auto kept = read_file(file, kLargestKeptInput); kept && *kept == content) return hash;
  std::error_code error;
  fs::create_directory(file.parent_path(), error);
  fs::permissions(file.parent_path(), fs::perms::owner_all, error);
  if (auto failure = write_private(file, content)) return *std::move(failure);
  return hash;
}

Expected<std::string> keep_content_of(const fs::path& out, const fs::path& file) {
  const auto content = read_file(file, kLargestKeptInput);
  return content ? keep_content(out, *content) : content.failure();
}

Expected<std::string> kept_content(const fs::path& out, const std::string& hash) {
  const fs::path file = kept_file(out, hash);
  auto content = read_file(file, kLargestKeptInput);
  if (!content) return Failure{fmt::format("the copy that grading kept cannot be read ({})", content.sentence())};
  if (sha256_of(*content) != hash)
    return Failure{fmt::format("the copy that grading kept has been changed ({})", shown_path(file))};
  return content;
}

void to_json(Json& json, const KeptInputs& inputs) {
  json = {
      {"seed_file", inputs.seed_file}, {"course", inputs.course}, {"labs", inputs.labs}, {"versions", inputs.versions}};
}

Expected<KeptInputs> inputs_in_terms(const std::string& terms) {
  const Json json = Json::parse(terms, nullptr, false);
  if (!json.is_object() || !json.contains("inputs"))
    return Failure{"it is from a lanewise that did not keep the seed file, course.toml and the labs' files"};
  try {
    const Json& inputs = json.at("inputs");
    KeptInputs read;
    inputs.at("seed_file").get_to(read.seed_file);
    inputs.at("course").get_to(read.course);
    inputs.at("labs").get_to(read.labs);
    inputs.at("versions").get_to(read.versions);
    return read;
  } catch (const Json::exception& error) {
    return Failure{fmt::format("the record of its inputs cannot be read ({})", error.what())};
  }
}

}  // namespace lanewise
