// Checks for values of command-line options that CLI11 itself would accept too readily.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace lanewise {

/// A whole number from 0 to 2^64 - 1. CLI11 would read "-1", and anything larger, as the largest of them.
inline CLI::Validator whole_number() {
  return {[](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, value);
            if (read.ec == std::errc() && read.ptr == end) return "";
            return "'" + text + "' is not a whole number from 0 to 18446744073709551615";
          },
          "", "whole number"};
}

/// A block's coordinates: "3", "1,2" or "1,2,0".
inline CLI::Validator block_coordinates() {
  return {[](const std::string& text) -> std::string {
            const char* at = text.data();
            const char* const end = at + text.size();
            for (int coordinate = 0; coordinate < 3; ++coordinate) {
              std::uint32_t value = 0;
              const auto read = std::from_chars(at, end, value);
              if (read.ec != std::errc()) break;
              if (read.ptr == end) return "";
              if (*read.ptr != ',') break;
              at = read.ptr + 1;
            }
            return "'" + text + "' is not a block such as 3 or 1,2,0";
          },
          "", "block"};
}

}  // namespace lanewise
