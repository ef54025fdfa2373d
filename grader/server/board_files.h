// The board's public files, as the class server publishes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lanewise {

struct BoardFile {
  std::string content;
  const char* type = "";  ///< for Content-Type
};

/// The file BOARD/`below`, or the index.html of a folder. Nothing if it is private, lies elsewhere, or has an extension
/// that no part of a page has. `below` is what a client asks for.
std::optional<BoardFile> read_board_file(const std::filesystem::path& board, const std::string& below);

}  // namespace lanewise
