// A file whole into memory, and memory whole into a file: never half of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/data_error.h"

namespace lanewise {

/// The name of a file as it stands at the beginning of a sentence about it.
std::string quoted(const std::filesystem::path& file);

/// The same bytes, as text.
inline std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The bytes of `file`, which must be a regular one of 1 to `most_bytes` bytes. `wanted` is what it should hold, for
/// the sentences: "picture", "matrix". Nothing is allocated before the size is known to be allowed.
std::variant<std::vector<std::uint8_t>, DataError> read_contents(const std::filesystem::path& file,
                                                                 const std::string& wanted, std::uintmax_t most_bytes);

/// Makes `file` hold `pieces`, one after the other: written beside it under another name and then renamed, so that
/// whoever reads it meanwhile has the old contents or the new. If that fails, `file` is as it was.
std::optional<DataError> write_contents(const std::filesystem::path& file,
                                        std::initializer_list<std::string_view> pieces);

}  // namespace lanewise
