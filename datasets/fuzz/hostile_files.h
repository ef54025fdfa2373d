// The readers of data files as called by the fuzzers and the mutation test, on untrusted contents.
#pragma once

#include <string_view>

namespace lanewise::fuzz {

/// Each decodes the contents and returns whether they were read. A refusal is fine too; a crash, a hang, an empty or
/// unprintable error, and an invalid result are not: they abort.
bool decode_as_matrix(std::string_view contents);
bool decode_as_graph(std::string_view contents);
bool decode_as_array(std::string_view contents);
bool decode_as_picture(std::string_view contents);

}  // namespace lanewise::fuzz
