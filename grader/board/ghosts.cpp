// Reads standings.json.
#include "grader/board/ghosts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

constexpr std::uintmax_t kLargestStandings = 256 << 20;

// Throws what the JSON library throws if a field is missing.
Ghost ghost_of(const nlohmann::json& json, const std::string& name) {
  Ghost ghost{name, json.at("device").get<std::string>(), json.at("is_modelled").get<bool>(), {}};
  for (const nlohmann::json& line : json.at("standings")) {
    if (line.at("rank") != 1) continue;
    const nlohmann::json& cases = json.at("cases");
    const nlohmann::json& times = line.at("times");
    for (std::size_t i = 0; i < cases.size(); ++i)
      ghost.times.push_back({cases[i].at("lab").get<std::string>(), cases[i].at("task").get<std::string>(),
                             cases[i].at("case").get<std::string>(), times.at(i).at("ratio").at("median").get<double>(),
                             times.at(i).at("milliseconds").get<double>()});
    break;  // others who share the first rank are no faster
  }
  return ghost;
}

}  // namespace

Expected<Ghost> read_ghost(const GhostFile& file) {
  const auto text = read_file(file.file, kLargestStandings);
  if (!text) return text.failure();
  const auto fail = [&file](const std::string& why) {
    return Failure{fmt::format("{}: the ghost '{}' cannot be read: {}", file.file.string(), file.name, why)};
  };
  try {
    Ghost ghost = ghost_of(nlohmann::json::parse(*text), file.name);
    if (ghost.times.empty()) return fail("nobody has a rank in these standings");
    for (const Ghost::Time& time : ghost.times)
      if (!(time.ratio > 0) || !(time.milliseconds > 0)) return fail("one of its times is not above 0");
    return ghost;
  } catch (const nlohmann::json::exception& error) {
    return fail(fmt::format("this is not the standings.json of a board ({})", error.what()));
  }
}

std::string add_ghost(const Ghost& ghost, Board& board) {
  if (ghost.is_modelled != board.is_modelled || ghost.device != board.device)
    return fmt::format("the ghost '{}' is not shown: its times are {} {}, and this board's are {} {}", ghost.name,
                       ghost.is_modelled ? "modelled on" : "from", ghost.device,
                       board.is_modelled ? "modelled on" : "from", board.device);
  bool is_shown = false;
  for (BoardCase& each : board.cases)
    for (const Ghost::Time& time : ghost.times) {
      if (time.lab != each.lab || time.task != each.task || time.case_name != each.name) continue;
      const bool is_time = board.is_modelled && each.reference_milliseconds > 0;
      each.marks.push_back(
          {MarkKind::kGhost, ghost.name, is_time ? time.milliseconds / each.reference_milliseconds : time.ratio});
      sort_marks(each.marks);
      is_shown = true;
    }
  return is_shown ? "" : fmt::format("the ghost '{}' is not shown: it did not race in any of these cases", ghost.name);
}

}  // namespace lanewise
