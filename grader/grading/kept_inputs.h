// The inputs of a grading run other than submissions, kept in its output folder so that a grade can be reproduced when
// the files themselves have changed or are gone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/lab/failure.h"

namespace lanewise {

/// Bytes that a file may have to be kept.
constexpr std::uintmax_t kLargestKeptInput = 16 << 20;

/// Hashes of contents, which are in kept_file(). In StoredRun::terms as "inputs".
struct KeptInputs {
  std::string seed_file;                                           ///< empty: there was none
  std::string course;                                              ///< likewise
  std::map<std::string, std::map<std::string, std::string>> labs;  ///< by lab: graded_files()
  std::map<std::string, std::string> versions;                     ///< of programs, by their names
};

/// out/kept/<SHA-256 of the content>
std::filesystem::path kept_file(const std::filesystem::path& out, const std::string& hash);

/// Keeps a content, readable by the owner only: the seed file and keys are secret. Returns its hash.
Expected<std::string> keep_content(const std::filesystem::path& out, const std::string& content);
/// Keeps the content of a file.
Expected<std::string> keep_content_of(const std::filesystem::path& out, const std::filesystem::path& file);

/// The content of that hash; fails if it is gone or was changed.
Expected<std::string> kept_content(const std::filesystem::path& out, const std::string& hash);

void to_json(nlohmann::json& json, const KeptInputs& inputs);
/// Reads StoredRun::terms; fails if the run is from a lanewise that kept nothing.
Expected<KeptInputs> inputs_in_terms(const std::string& terms);

}  // namespace lanewise
