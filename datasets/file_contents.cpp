// Reads and replaces whole files, and says what is in the way in a sentence.
#include "datasets/file_contents.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <new>
#include <system_error>

namespace lanewise {

std::string quoted(const std::filesystem::path& file) { return "'" + file.string() + "'"; }

std::variant<std::vector<std::uint8_t>, DataError> read_contents(const std::filesystem::path& file,
                                                                 const std::string& wanted, std::uintmax_t most_bytes) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return DataError{quoted(file) + " does not exist"};
  if (status.type() == std::filesystem::file_type::directory)
    return DataError{quoted(file) + " is a folder, not a " + wanted + " file"};
  if (status.type() != std::filesystem::file_type::regular)
    return DataError{quoted(file) + " is not a readable file" + (error ? ": " + error.message() : "")};
  const auto size = std::filesystem::file_size(file, error);
  if (error) return DataError{quoted(file) + " cannot be read: " + error.message()};
  if (size == 0) return DataError{quoted(file) + " is empty"};
  if (size > most_bytes)
    return DataError{quoted(file) + " has " + std::to_string(size) + " bytes; the limit for a " + wanted + " file is " +
                     std::to_string(most_bytes) + " bytes"};
  std::vector<std::uint8_t> bytes;
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc&) {
    return DataError{quoted(file) + " has " + std::to_string(size) + " bytes, more than there is memory for"};
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    return DataError{quoted(file) + " cannot be read: do you have permission, and is nobody writing it?"};
  return bytes;
}

std::optional<DataError> write_contents(const std::filesystem::path& file,
                                        std::initializer_list<std::string_view> pieces) {
  static std::atomic<int> writes{0};
  std::filesystem::path beside = file;
  beside += ".part" + std::to_string(getpid()) + "-" + std::to_string(++writes);
  std::error_code error;
  if (const auto status = std::filesystem::status(file, error);
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return DataError{quoted(file) + " is not a file that can be replaced"};  // a device would be gone
  const DataError failed{quoted(file) + " could not be written: does its folder exist, and is the disk full?"};

  std::FILE* stream = std::fopen(beside.c_str(), "wbx");  // x: never over a file that is there
  if (stream == nullptr) return failed;
  bool good = true;
  for (const std::string_view piece : pieces)
    good = good && (piece.empty() || std::fwrite(piece.data(), 1, piece.size(), stream) == piece.size());
  good = std::fclose(stream) == 0 && good;
  if (good) std::filesystem::rename(beside, file, error);
  if (good && !error) return std::nullopt;
  std::filesystem::remove(beside, error);
  return failed;
}

}  // namespace lanewise
