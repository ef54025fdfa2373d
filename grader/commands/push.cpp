// `lanewise push`: sends a class's scores to a learning platform's gradebook, by LTI Assignment and Grade Services.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "grader/commands/commands.h"
#include "grader/data/download.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct PushOptions {
  std::string scores;
  std::string line_item;
  std::string token;
};

constexpr const char* kPushExamples = R"(
Example:
  lanewise push grades/ags/scan.json --line-item https://lms.example.org/api/lti/courses/7/line_items/31 --token token

`lanewise grade` writes ags/LAB.json, with a score for each student who has a `number` in the roster: the platform's
user id. The line item is the gradebook's column, by the URL that the platform gives to your LTI tool. The token file
holds an access token with the scope https://purl.imsglobal.org/spec/lti-ags/scope/score.

Pushing again is harmless: a score's time is that of grading, and the platform keeps the newest score. Temporary errors
are retried five times. If it is interrupted, run it again.

Exit codes: 0 the platform has every score, 1 it refused some or there was none to send, 2 the command line makes no sense, 3 the platform cannot
be reached or does not accept the token.)";

constexpr std::chrono::minutes kPatience(5);

// LINE_ITEM/scores, before the query if there is one.
std::string scores_url(const std::string& line_item) {
  const std::size_t query = std::min(line_item.find('?'), line_item.size());
  return line_item.substr(0, query) + "/scores" + line_item.substr(query);
}

// A token must not travel in the clear, except on this machine.
CLI::Validator safe_url() {
  return {[](const std::string& url) -> std::string {
            return is_safe_for_secrets(url) ? "" : "'" + url + "' is not an https:// address";
          },
          "", "URL"};
}

class Push {
 public:
  explicit Push(const PushOptions& options) : options_(options) {}
  int run();

 private:
  static int fail(int code, const std::string& sentence) {
    std::fprintf(stderr, "lanewise push: %s\n", safe_line(sentence).c_str());
    return code;
  }
  std::optional<Failure> read();
  Expected<int> post(const Json& score);

  const PushOptions& options_;
  std::string token_;
  Json scores_;
  std::size_t left_out_ = 0;
  fs::path curl_;
  std::optional<TemporaryFolder> folder_;
};

std::optional<Failure> Push::read() {
  auto token = read_file(options_.token, 1 << 16);
  if (!token) return token.failure();
  token_ = token->substr(0, token->find_last_not_of(" \t\r\n") + 1);
  if (token_.empty() || token_.find_first_of("\"\\\n\r") != std::string::npos)
    return Failure{options_.token + ": expected a token, on a line of its own"};
  const auto text = read_file(options_.scores, 1 << 28);
  if (!text) return text.failure();
  const Json file = Json::parse(*text, nullptr, false);
  if (!file.is_object() || !file.contains("scores") || !file["scores"].is_array())
    return Failure{options_.scores + ": this is not a file of scores that lanewise grade wrote into ags/"};
  scores_ = file["scores"];
  left_out_ = file.value("without_number", std::size_t{0});
  return std::nullopt;
}

// Returns the platform's status. The token is in a file, because anyone can see command lines.
Expected<int> Push::post(const Json& score) {
  const fs::path config = folder_->path() / "curl";
  std::ofstream(config) << "url = \"" << scores_url(options_.line_item) << "\"\nheader = \"Authorization: Bearer "
                        << token_
                        << "\"\nheader = \"Content-Type: application/vnd.ims.lis.v1.score+json\"\ndata-binary = \"@"
                        << (folder_->path() / "score").string() << "\"\n";
  std::ofstream(folder_->path() / "score", std::ios::binary) << score.dump();
  ProcessOptions options;
  options.command = {
      curl_.string(),        "-q",          "--silent",     "--show-error", "--proto", "=http,https", "--output",
      "/dev/null",           "--write-out", "%{http_code}", "--retry",      "5",       "--max-time",  "60",
      "--retry-connrefused", "--config",    config.string()};
  options.environment = whole_environment();
  const auto finished = run_to_end(options, kPatience, 1 << 16);
  if (!finished) return finished.failure();
  if (!finished->succeeded())
    return Failure{fmt::format("{} cannot be reached: {}", options_.line_item, finished->output)};
  return std::atoi(
      finished->output.substr(finished->output.size() - std::min<std::size_t>(3, finished->output.size())).c_str());
}

int Push::run() {
  if (const auto failure = read()) return fail(kExitUsage, failure->sentence);
  if (left_out_ > 0)
    fmt::print("left out: {} student{} without a number in the roster\n", left_out_, left_out_ == 1 ? "" : "s");
  std::fflush(stdout);
  if (scores_.empty()) return fail(kExitNotGraded, options_.scores + ": there is nothing to send");
  curl_ = find_program("curl");
  if (curl_.empty()) return fail(kExitEnvironment, "the program curl is missing: install the package curl");
  auto folder = TemporaryFolder::create();
  if (!folder) return fail(kExitEnvironment, folder.sentence());
  folder_.emplace(std::move(*folder));
  std::size_t sent = 0;
  std::size_t known = 0;
  std::size_t refused = 0;
  for (const Json& score : scores_) {
    const auto status = post(score);
    if (!status) return fail(kExitEnvironment, status.sentence());
    const std::string user = score.value("userId", "");
    if (*status / 100 == 2) {
      ++sent;
    } else if (*status == 409) {
      ++known;  // it has this score or a newer one
    } else if (*status == 401 || *status == 403) {
      return fail(
          kExitEnvironment,
          fmt::format("the platform does not accept the token ({}), after {} scores: has it expired, or does it "
                      "lack the scope lti-ags/scope/score?",
                      *status, sent + known));
    } else {
      ++refused;
      fail(kExitNotGraded, fmt::format("the platform refuses the score of {} ({})", user, *status));
    }
  }
  fmt::print("scores: {} sent, {} already there, {} refused\n", sent, known, refused);
  return refused == 0 ? kExitDone : kExitNotGraded;
}

}  // namespace

void add_push_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PushOptions>();
  CLI::App* command = app.add_subcommand("push", "Send a class's scores to a learning platform, by LTI");
  command->footer(kPushExamples);
  command->add_option("scores", options->scores, "ags/LAB.json, from lanewise grade")->required()->type_name("FILE");
  command->add_option("--line-item", options->line_item, "The URL of the gradebook's column")
      ->required()
      ->check(safe_url());
  command->add_option("--token", options->token, "A file with an access token")->required()->type_name("FILE");
  command->callback([options, &exit_code] { exit_code = Push(*options).run(); });
}

}  // namespace lanewise
