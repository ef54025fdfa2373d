// The page's style builds on that of all pages.
#include "grader/board/public_files.h"

#include "grader/board/board_json.h"
#include "grader/board/board_page.h"
#include "grader/board/board_page_files.h"
#include "harness/report/html_style.h"

namespace lanewise {

std::vector<PublicFile> public_files(const Board& board) {
  return {{"board.css", std::string(kHtmlStyle) + kBoardStyle},
          {"board.js", kBoardScript},
          {"index.html", board_page(board)},
          {kStandingsFile, board_json(board)},
          {"version.json", "{\"version\": \"" + board_version(board) + "\"}\n"}};
}

}  // namespace lanewise
