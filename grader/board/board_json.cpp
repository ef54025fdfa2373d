// Field by field, in a fixed order.
#include "grader/board/board_json.h"

#include <nlohmann/json.hpp>

#include "grader/exports/counted.h"
#include "harness/report/safe_text.h"
#include "harness/runner/content_hash.h"

namespace lanewise {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const PairedRatio& ratio) {
  return {{"median", ratio.value}, {"least", ratio.low}, {"third_quartile", ratio.high}};
}

// "2026-11-22T19:40Z"; null for 0.
Json moment_of(std::int64_t seconds) {
  const std::string text = submitted_text(seconds);
  return text.empty() ? Json() : Json(text.substr(0, 10) + "T" + text.substr(11, 5) + "Z");
}

Json json_of(const PastResult& result) {
  Json json = {{"board", moment_of(result.made)},
               {"submitted", moment_of(result.submitted)},
               {"is_withdrawn", result.is_withdrawn},
               {"rank", nullptr}};
  if (result.rank == 0) return json;
  json["rank"] = result.rank;
  json["is_shared"] = result.is_shared;
  json["ratio"] = json_of(result.ratio);
  return json;
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

Json json_of(const Place& place, const BoardEntry& entry, std::int64_t made) {
  Json json = {{"name", safe_line(entry.name)},
               {"state", state_text(entry.state)},
               {"submitted", moment_of(known_date(entry.submitted, made))},
               {"rank", nullptr},
               {"ranks_gained", entry.climbed ? Json(*entry.climbed) : Json()},
               {"not_counted", safe_line(entry.not_counted)},
               {"history", Json::array()}};
  for (const PastResult& result : entry.history) json["history"].push_back(json_of(result));
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

Json everything(const Board& board) {
  Json json = {
      {"schema_version", kBoardSchemaVersion},
      {"title", safe_line(board.title)},
      {"made", moment_of(board.made)},
      {"opens", moment_of(board.opens)},
      {"ends", moment_of(board.ends)},
      {"frozen",
       board.frozen == 0 ? Json() : Json{{"since", moment_of(board.frozen)}, {"until", moment_of(board.reveal)}}},
      {"since", moment_of(board.since())},
      {"left_out", board.left_out},
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
  for (const Place& place : board.places)
    json["standings"].push_back(json_of(place, board.entries[place.entry], board.made));
  return json;
}

}  // namespace

std::string board_version(const Board& board) { return content_hash(everything(board).dump()); }

std::string board_json(const Board& board) {
  const Json json = everything(board);
  Json with_version = {{"version", content_hash(json.dump())}};
  with_version.update(json);
  return with_version.dump(2) + "\n";
}

}  // namespace lanewise
