// What the values of command line options must look like where CLI11 itself would let more through.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace lanewise {

/// A whole number from 0 to 2^64 - 1; "-1" would be taken for the largest of them, and what is larger too.
inline CLI::Validator whole_number() {
  return {[](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            if (read.ec == std::errc() && read.ptr == end) return "";
            return "'" + text + "' is no whole number from 0 to 18446744073709551615";
          },
          "", "whole number"};
}

}  // namespace lanewise
