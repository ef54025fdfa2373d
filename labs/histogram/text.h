// Text for the lab histogram: lines of English words, about as frequent as they are in English.
#pragma once

#include <cstdint>

namespace lanewise::labs::histogram_lab {

/// Fills `length` bytes with sentences of ASCII text, the last one cut off wherever it happens to be. The words are
/// drawn on their own, so it means nothing, but its letters, spaces and capitals are as frequent as in English.
void write_text(std::uint8_t* text, std::int64_t length, std::uint64_t seed);

}  // namespace lanewise::labs::histogram_lab
