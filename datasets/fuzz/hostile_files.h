// The readers of data files as the fuzzers and the mutation test call them: contents that nobody vouches for.
#pragma once

#include <string_view>

namespace lanewise::fuzz {

/// Each decodes the contents and is true if they were read. Being refused is fine too; a crash, a hang, an error
/// without words or with unprintable ones, and a result that is not sound are not: they abort.
bool decode_as_matrix(std::string_view contents);
bool decode_as_graph(std::string_view contents);
bool decode_as_array(std::string_view contents);
bool decode_as_picture(std::string_view contents);

}  // namespace lanewise::fuzz
