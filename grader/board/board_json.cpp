// Field by field, in a fixed order.
#include "grader/board/board_json.h"

#include <nlohmann/json.hpp>

#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PairedRatio& ratio) {
  return {{"median", ratio.value}, {"least", ratio.low}, {"third_quartile", ratio.high}};
}

Json json_of(const std::vector<BoardMark>& marks) {
  Json all = Json::array();
  for (const BoardMark& mark : marks)
    all.push_back({{"kind", mark_text(mark.kind)}, {"name", mark.name}, {"ratio", mark.ratio}});
  return all;
}

Json json_of(const BoardCase& each) {
  return {{"lab", each.lab},
          {"task", each.task},
          {"case", each.name},
          {"sizes", each.sizes},
          {"reference_milliseconds", each.reference_milliseconds},
          {"marks", json_of(each.marks)}};
}

Json json_of(const Place& place, const BoardEntry& entry) {
  Json json = {{"name", safe_line(entry.name)}, {"state", state_text(entry.state)}, {"rank", nullptr}};
  if (place.rank == 0) {
    json["reason"] = safe_line(entry.reason);
    return json;
  }
  json["rank"] = place.rank;
  json["is_shared"] = place.is_shared;
  json["ratio"] = json_of(place.ratio);
  json["score"] = {{"value", place.score}, {"low", place.score_low}, {"high", place.score_high}};
  json["correctness"] = entry.correctness;
  json["clarity"] = entry.clarity;
  Json times = Json::array();
  for (const CaseTime& time : entry.times)
    times.push_back({{"milliseconds", time.milliseconds}, {"ratio", json_of(time.ratio)}});
  json["times"] = std::move(times);
  return json;
}

}  // namespace

std::string board_json(const Board& board) {
  Json json = {
      {"schema_version", kBoardSchemaVersion},
      {"title", safe_line(board.title)},
      {"is_modelled", board.is_modelled},
      {"device", board.device},
      {"compiler", board.compiler},
      {"driver", board.driver},
      {"clocks", board.clocks},
      {"weights",
       {{"time", board.weights.time}, {"correctness", board.weights.correctness}, {"clarity", board.weights.clarity}}}};
  json["cases"] = Json::array();
  for (const BoardCase& each : board.cases) json["cases"].push_back(json_of(each));
  json["marks"] = json_of(board.marks);
  json["standings"] = Json::array();
  for (const Place& place : board.places) json["standings"].push_back(json_of(place, board.entries[place.entry]));
  return json.dump(2) + "\n";
}

}  // namespace lanewise
