// The catalogue of data sets: what is shipped, what can be fetched, and what is made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/lab/failure.h"

namespace lanewise {

/// One data set of the catalogue.
struct DataSet {
  enum class Kind : std::uint8_t {
    kShipped,    ///< [[file]]: lies in the datasets folder
    kUrl,        ///< [[url]]: can be fetched
    kGenerated,  ///< [[generator]]: can be made
  };
  enum class Packing : std::uint8_t { kNone, kGzip, kTarGz };

  Kind kind = Kind::kShipped;
  std::string name;  ///< of its file, used by find_data
  std::string what;
  std::string source;       ///< who owns it; empty for a generated one
  std::string licence;      ///< its terms; empty for a generated one
  std::string sha256;       ///< of the unpacked file; empty if unknown (only for a generated one)
  std::int64_t bytes = -1;  ///< of that file; -1 if unknown
  int line = 0;

  std::filesystem::path path;  ///< of a shipped one, absolute

  std::string url;
  Packing packing = Packing::kNone;
  std::string member;  ///< the file's path inside a .tar.gz

  std::string generator;
  std::map<std::string, std::int64_t> parameters;  ///< of the generator, where they differ from its defaults
};

/// Reads catalogue.toml in `folder`. A mistake in it is a failure that names file, line and key: unknown or missing
/// keys, names that are repeated or contain a folder, invalid digests, addresses that are not http(s), unknown
/// generators and parameters.
Expected<std::vector<DataSet>> read_catalogue(const std::filesystem::path& folder);

/// The data set of that name; null if there is none.
const DataSet* find_set(const std::vector<DataSet>& sets, const std::string& name);

/// "shipped", "url" or "generator"
std::string kind_text(DataSet::Kind kind);

}  // namespace lanewise
