// `lanewise submit`: sends a lab's work to the class server, and shows the verdict.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "grader/commands/commands.h"
#include "grader/data/download.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"
#include "harness/runner/process.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kRequestLimit(2);
constexpr std::array kPauses = {1, 2, 4, 8};  // seconds between tries
constexpr std::uintmax_t kLargestSent = 16 << 20;
constexpr std::uintmax_t kLargestAnswer = 64 << 20;

struct SubmitOptions {
  std::string lab;
  std::string submission;
  std::string server;
  std::string token_file;
  std::string ticket;
  bool shows_history = false;
  bool remembers = false;
  bool does_not_wait = false;
};

constexpr const char* kSubmitExamples = R"(
Examples:
  lanewise submit --login --server https://gpu.example.edu --token-file token.txt
                                      once: remembers both in ~/.config/lanewise, readable by you alone
  lanewise submit scan                labs/scan/scan.cu and the answers.toml beside it; in a lab's folder, this lab
  lanewise submit scan --submission my.cu
  lanewise submit --history           what you have submitted, with states and scores
  lanewise submit --status TICKET     resumes watching after Ctrl-C, which does not stop grading

The token can also be in LANEWISE_TOKEN. If the connection breaks, the submission is sent again, but counts once.

Exit codes: 0 graded (whatever the score), 1 it could not be graded or was replaced, 2 the command line makes no sense,
3 the server cannot be reached or refuses the request.)";

// The server's answer, or why there is none.
struct Answer {
  int status = 0;  // 0: no answer
  std::string body;
  std::string trouble;

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

std::string text_in(const nlohmann::json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->is_number() ? found->dump() : "";
}

bool is_ticket(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// As curl's configuration quotes it.
std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

fs::path remembered() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fs::path(config) / "lanewise" / "login.json";
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "" : home) / ".config" / "lanewise" / "login.json";
}

class SubmitCommand {
 public:
  explicit SubmitCommand(const SubmitOptions& options) : options_(options) {}
  int run();

 private:
  static int fail(int code, const std::string& sentence) {
    std::fprintf(stderr, "lanewise submit: %s\n", safe_line(sentence).c_str());
    return code;
  }
  int find_login();
  int remember();
  int history();
  Expected<LabSelection> lab_meant() const;
  int send();
  int watch(const std::string& ticket);
  int show_verdict(const std::string& ticket);
  int explain(const Answer& answer) const;
  Expected<Answer> ask_once(const std::string& path, const std::string& form);
  Answer ask(const std::string& path, const std::string& form = "");

  const SubmitOptions& options_;
  std::string server_;
  std::string token_;
  std::optional<TemporaryFolder> scratch_;
};

int SubmitCommand::run() {
  auto scratch = TemporaryFolder::create();
  if (!scratch) return fail(kExitEnvironment, scratch.sentence());
  scratch_.emplace(std::move(*scratch));
  if (const int code = find_login(); code != kExitDone) return code;
  if (options_.remembers) return remember();
  if (options_.shows_history) return history();
  if (!options_.ticket.empty()) return watch(options_.ticket);
  return send();
}

int SubmitCommand::find_login() {
  if (const auto text = read_file(remembered(), 1 << 16)) {
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    server_ = text_in(json, "server");
    token_ = text_in(json, "token");
  }
  if (!options_.server.empty()) server_ = options_.server;
  if (const char* token = std::getenv("LANEWISE_TOKEN"); token != nullptr && *token != '\0') token_ = token;
  if (!options_.token_file.empty()) {
    const auto text = read_file(options_.token_file, 1 << 16);
    if (!text) return fail(kExitUsage, text.sentence());
    token_ = *text;
  }
  token_ = trimmed(token_);
  while (!server_.empty() && server_.back() == '/') server_.pop_back();
  if (server_.empty()) return fail(kExitUsage, "name your class server with --server URL; --login remembers it");
  if (!is_safe_for_secrets(server_))
    return fail(kExitUsage, fmt::format("'{}' is not an https:// address; your token is sent unencrypted to no other "
                                        "machine than this one",
                                        server_));
  if (token_.empty())
    return fail(kExitUsage, "give your token with --token-file FILE or in LANEWISE_TOKEN; --login remembers it");
  if (token_.find_first_of("\r\n") != std::string::npos) return fail(kExitUsage, "the token must be a single line");
  return kExitDone;
}

// Only a login that the server accepts.
int SubmitCommand::remember() {
  const Answer answer = ask("/api/history");
  const std::string student = text_in(answer.json(), "student");
  if (answer.status != 200 || student.empty()) return explain(answer);
  const nlohmann::ordered_json login{{"server", server_}, {"token", token_}};
  if (const auto failure = write_private(remembered(), login.dump(2) + "\n"))
    return fail(kExitEnvironment, failure->sentence);
  fmt::print("Logged in to {} as {}.\n", safe_line(server_), safe_line(student));
  return kExitDone;
}

// --- requests

// The token is in a private file: command lines are public.
Expected<Answer> SubmitCommand::ask_once(const std::string& path, const std::string& form) {
  const fs::path curl = find_program("curl");
  if (curl.empty()) return Failure{"the program curl is missing: install the package curl"};
  const fs::path& folder = scratch_->path();
  const std::string config = fmt::format(
      "url = {}\nheader = {}\nsilent\nshow-error\nmax-time = 60\nproto = \"=http,https\"\nmax-redirs = 0\n"
      "output = \"answer\"\nwrite-out = \"%{{http_code}}\"\n{}",
      quoted(server_ + path), quoted("Authorization: Bearer " + token_), form);
  if (const auto failure = write_private(folder / "request", config)) return *failure;
  std::error_code ignored;
  fs::remove(folder / "answer", ignored);
  ProcessOptions options;
  options.command = {curl.string(), "--disable", "--config", "request"};  // ignores .curlrc
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string(*entry).rfind("LANEWISE_TOKEN=", 0) != 0) options.environment.emplace_back(*entry);
  options.folder = folder;
  const auto finished = run_to_end(options, kRequestLimit, 1 << 16);
  if (!finished) return finished.failure();
  Answer answer;
  if (!finished->succeeded()) {
    std::string words = trimmed(finished->output);
    if (words.size() > 3 && words.compare(words.size() - 3, 3, "000") == 0) words.resize(words.size() - 3);
    answer.trouble = fmt::format("{} cannot be reached ({})", server_, trimmed(words));
    return answer;
  }
  answer.status = std::atoi(finished->output.c_str());
  if (const auto body = read_file(folder / "answer", kLargestAnswer)) answer.body = *body;
  return answer;
}

// Requests that may have been lost are sent again; a submission has a key, and so counts once.
Answer SubmitCommand::ask(const std::string& path, const std::string& form) {
  Answer answer;
  for (std::size_t i = 0;; ++i) {
    const auto one = ask_once(path, form);
    if (!one) return {0, "", one.sentence()};
    answer = *one;
    if ((answer.status != 0 && answer.status < 500) || i == kPauses.size()) return answer;
    if (i == 0) fail(kExitEnvironment, server_ + " does not answer; trying again");
    std::this_thread::sleep_for(std::chrono::seconds(kPauses.at(i)));
  }
}

int SubmitCommand::explain(const Answer& answer) const {
  if (answer.status == 0) return fail(kExitEnvironment, answer.trouble);
  const std::string words = text_in(answer.json(), "error");
  if (!words.empty()) return fail(kExitEnvironment, words);
  return fail(
      kExitEnvironment,
      fmt::format("{} does not answer as a class server of this version does (status {}): is its address right?",
                  server_, answer.status));
}

// --- what is asked for

int SubmitCommand::history() {
  const Answer answer = ask("/api/history");
  if (answer.status != 200) return explain(answer);
  const auto json = answer.json();
  const auto submissions = json.is_object() ? json.find("submissions") : json.end();
  if (!json.is_object() || submissions == json.end() || !submissions->is_array()) return explain(answer);
  if (submissions->empty()) fmt::print("Nothing submitted yet.\n");
  for (const auto& each : *submissions) {
    const std::string after = text_in(each, "replaced_by");
    fmt::print("{}  {:<10}  {:<8}  {}  {}\n", safe_line(text_in(each, "received")), safe_line(text_in(each, "lab")),
               safe_line(text_in(each, "state")), safe_line(text_in(each, "ticket")),
               safe_line(after.empty() ? text_in(each, "score") : "by " + after));
  }
  return kExitDone;
}

// The one that was named, or the one whose folder is the current one.
Expected<LabSelection> SubmitCommand::lab_meant() const {
  std::vector<std::string> names;
  if (!options_.lab.empty()) names = {options_.lab};
  const auto all = known_labs(this_installation(), names, Oracles::kLater);
  if (!all) return all.failure();
  if (names.empty()) {
    if (const auto here = lab_around(*all, fs::path("."))) return *here;
    return Failure{"name the lab to submit, such as  lanewise submit scan"};
  }
  const auto named = select_labs(*all, names);
  if (!named) return named.failure();
  return named->front();
}

int SubmitCommand::send() {
  const auto found = lab_meant();
  if (!found) return fail(kExitUsage, found.sentence());
  const LabFile& lab = found->file;
  std::optional<fs::path> submission;
  if (!options_.submission.empty()) submission = options_.submission;
  const auto source = find_source(lab, submission);
  if (!source) return fail(kExitUsage, source.sentence());
  const fs::path answers = source->parent_path() / "answers.toml";

  std::random_device random;
  std::string form = fmt::format("form-string = \"lab={}\"\nform-string = \"key={:08x}-{:08x}-{:08x}-{:08x}\"\n",
                                 lab.id, random(), random(), random(), random());
  std::error_code error;
  for (const auto& [field, file] : {std::pair<std::string, fs::path>("source", *source), {"answers", answers}}) {
    if (field == "answers" && !fs::exists(file, error)) continue;
    const auto content = read_file(file, kLargestSent);
    if (!content) return fail(kExitUsage, content.sentence());
    if (const auto failure = write_private(scratch_->path() / field, *content))
      return fail(kExitEnvironment, failure->sentence);
    form += fmt::format("form = \"{0}=@{0}\"\n", field);
  }
  const Answer answer = ask("/api/submissions", form);
  if (answer.status != 200 && answer.status != 201) return explain(answer);
  const std::string ticket = text_in(answer.json(), "ticket");
  if (!is_ticket(ticket)) return explain(answer);  // some other server's page
  fmt::print("Submitted {} for {}. Ticket {}\n", shown_path(*source), lab.id, safe_line(ticket));
  std::fflush(stdout);
  return options_.does_not_wait ? kExitDone : watch(ticket);
}

int SubmitCommand::watch(const std::string& ticket) {
  if (!is_ticket(ticket)) return fail(kExitUsage, fmt::format("'{}' is not a ticket", ticket));
  std::string shown;
  for (;;) {
    const Answer answer = ask("/api/tickets/" + ticket);
    if (answer.status != 200) return explain(answer);
    const auto json = answer.json();
    const std::string state = text_in(json, "state");
    if (state == "done") return show_verdict(ticket);
    if (state == "failed") return fail(kExitNotGraded, "it could not be graded: " + text_in(json, "sentence"));
    if (state == "replaced")
      return fail(kExitNotGraded, "replaced by your newer submission, ticket " + text_in(json, "replaced_by"));
    if (state != "waiting" && state != "grading") return explain(answer);
    std::string line = "being graded";
    if (state == "waiting") line = fmt::format("waiting, number {} in the queue", text_in(json, "place"));
    if (const std::string progress = text_in(json, "progress"); !progress.empty()) line += ": " + progress;
    if (line != shown) fmt::print("{}\n", safe_line(line));
    std::fflush(stdout);
    shown = line;
    if (options_.does_not_wait) return kExitDone;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

int SubmitCommand::show_verdict(const std::string& ticket) {
  const Answer answer = ask("/api/tickets/" + ticket + "/verdict");
  if (answer.status == 403) {  // the instructor does not show it
    fmt::print("graded; {}\n", safe_line(text_in(answer.json(), "error")));
    return kExitDone;
  }
  if (answer.status != 200) return explain(answer);
  fmt::print("{}\n  report     {}/tickets/{}/report\n", safe_text(answer.body), safe_line(server_), ticket);
  return kExitDone;
}

}  // namespace

void add_submit_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command = app.add_subcommand("submit", "Submit your work to the class server");
  command->footer(kSubmitExamples);
  command->add_option("lab", options->lab, "The lab; may be left out in its folder")->type_name("LAB");
  command->add_option("--submission", options->submission, "A .cu file, or a folder that holds one, instead of labs/")
      ->type_name("FILE|DIR");
  command->add_option("--server", options->server, "The class server")->type_name("URL")->envname("LANEWISE_SERVER");
  command->add_option("--token-file", options->token_file, "A file that holds your token")->type_name("FILE");
  const auto login = command->add_flag("--login", options->remembers, "Remember server and token");
  const auto history = command->add_flag("--history", options->shows_history, "List what you have submitted");
  command->add_option("--status", options->ticket, "Watch an earlier submission")
      ->type_name("TICKET")
      ->excludes(login)
      ->excludes(history);
  command->add_flag("--no-wait", options->does_not_wait, "Do not wait for the verdict");
  command->callback([options, &exit_code] { exit_code = SubmitCommand(*options).run(); });
}

}  // namespace lanewise
