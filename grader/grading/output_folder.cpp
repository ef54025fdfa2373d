// Compares paths part by part; exchanges folders.
#include "grader/grading/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>  // NOLINT(modernize-deprecated-headers): renameat2 is not in <cstdio>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "grader/workplace/workplace.h"

namespace lanewise {

namespace fs = std::filesystem;

bool do_overlap(const fs::path& a, const fs::path& b) {
  std::error_code error;
  const fs::path first = fs::weakly_canonical(a, error);
  const fs::path second = fs::weakly_canonical(b, error);
  const auto lies_in = [](const fs::path& inner, const fs::path& outer) {
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
  };
  return lies_in(first, second) || lies_in(second, first);
}

std::optional<Failure> put_in_place(const fs::path& made, const fs::path& out) {
  std::error_code error;
  const unsigned how = fs::exists(out, error) ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, out.c_str(), how) != 0)
    return Failure{fmt::format("{}: the results cannot be moved there ({})", shown_path(out), std::strerror(errno))};
  if (how == RENAME_EXCHANGE) fs::remove_all(made, error);
  return std::nullopt;
}

}  // namespace lanewise
