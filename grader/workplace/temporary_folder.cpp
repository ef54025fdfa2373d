// mkdtemp, and its removal.
#include "grader/workplace/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lanewise {

namespace fs = std::filesystem;

Expected<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return Failure{fmt::format("there is no folder for temporary files ({}); check TMPDIR", error.message())};
  return create_in(parent);
}

Expected<TemporaryFolder> TemporaryFolder::create_in(const fs::path& parent) {
  std::string name = (parent / "lanewise-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return Failure{
        fmt::format("{}: no temporary folder can be created there ({})", parent.string(), std::strerror(errno))};
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace lanewise
