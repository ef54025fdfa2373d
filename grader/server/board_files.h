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

/// The file BOARD/`below`; a folder's index.html. Nothing for what is private, lies elsewhere, or has a name that ends
/// like no web page's part. `below` is what a client asks for.
std::optional<BoardFile> read_board_file(const std::filesystem::path& board, const std::string& below);

}  // namespace lanewise
