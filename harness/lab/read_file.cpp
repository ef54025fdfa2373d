// Checks before reading: a folder, a device or an endless file must not be read whole.
#include "harness/lab/read_file.h"

#include <fmt/format.h>

#include <fstream>

namespace lanewise {

namespace fs = std::filesystem;

Expected<std::string> read_file(const fs::path& file, std::uintmax_t most_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found)
    return Failure{fmt::format("{}: there is no such file", file.string())};
  if (!fs::status_known(status))
    return Failure{fmt::format("{}: the file cannot be read ({})", file.string(), error.message())};
  if (!fs::is_regular_file(status)) return Failure{fmt::format("{}: this is not a file", file.string())};
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (error || bytes > most_bytes)
    return Failure{fmt::format("{}: the file is larger than the {} bytes allowed", file.string(), most_bytes)};
  std::ifstream stream(file, std::ios::binary);
  std::string content;
  content.reserve(bytes);
  // To its end, which the size may not tell; byte by byte would take most of the time of a report that holds pictures.
  char chunk[std::size_t{64} << 10];
  do {
    stream.read(chunk, sizeof chunk);
    content.append(chunk, static_cast<std::size_t>(stream.gcount()));
  } while (stream);
  if (!stream.is_open() || stream.bad()) return Failure{fmt::format("{}: the file cannot be read", file.string())};
  return content;
}

}  // namespace lanewise
