// Text for the lab histogram: lines of English words, skewed as English is.
#pragma once

#include <cstdint>

namespace lanewise::labs::histogram_lab {

/// Fills `length` bytes with sentences of ASCII text, the last one cut off wherever it happens to be. The words are
/// drawn on their own, so it means nothing; spaces and the commonest letters are about as frequent as in English, rarer
/// letters only roughly.
void write_text(std::uint8_t* text, std::int64_t length, std::uint64_t seed);

}  // namespace lanewise::labs::histogram_lab
