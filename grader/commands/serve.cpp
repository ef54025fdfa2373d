// `lanewise serve`: a class server for one course's folder, and the tokens for it.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "grader/class/course.h"
#include "grader/class/roster.h"
#include "grader/commands/commands.h"
#include "grader/commands/toolchain_option.h"
#include "grader/grading/secrets.h"
#include "grader/grading/student_confinement.h"
#include "grader/server/class_server.h"
#include "grader/server/submission_export.h"
#include "grader/server/submission_files.h"
#include "grader/server/tokens.h"
#include "grader/store/folder_lock.h"
#include "grader/workplace/workplace.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/read_file.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestSecret = 16 << 20;

struct ServeOptions {
  std::string course;
  std::string tokens;
  std::string revoked;
  std::string exported;
  bool exports_all = false;
  ServerOptions server;
  std::string backend = "auto";
  std::string toolchain = "auto";
  unsigned jobs = std::max(2U, std::thread::hardware_concurrency()) - 1;
  bool no_sandbox = false;
  bool no_timing = false;
};

constexpr const char* kServeExamples = R"(
Examples:
  lanewise serve gpu-course --tokens tokens.csv    makes a token for everyone on the roster who has none
  lanewise serve gpu-course                        serves http://127.0.0.1:8080 until Ctrl-C
  lanewise serve gpu-course --host gpu.example.edu --proxy 127.0.0.1
                                                   runs behind a reverse proxy on this machine, which speaks TLS
  lanewise serve gpu-course --revoke alice         voids alice's token at once, even while the server runs
  lanewise serve gpu-course --export submitted     what was submitted, for lanewise grade and lanewise board

The course's folder holds course.toml, roster.csv and, if you like, secret.toml with a seed and hidden cases. The server
keeps its state there: server.db, server.log, submissions/. To move it, stop the server, copy the folder and start it on
the other machine; whatever was being graded is graded again.)";

class ServeCommand {
 public:
  explicit ServeCommand(ServeOptions& options) : options_(options) {}
  int run();

 private:
  static int fail(int code, const std::string& sentence) {
    std::fprintf(stderr, "lanewise serve: %s\n", safe_line(sentence).c_str());
    return code;
  }
  int read_course_folder();
  int make_tokens();
  int revoke();
  int export_submissions();
  int read_labs();
  void note_names_without_effect() const;
  int serve();

  ServeOptions& options_;
  fs::path folder_;
  Course course_;
  std::vector<Student> students_;
  std::vector<LabSelection> labs_;
  Secrets secrets_;
  GradingOptions grading_;
  std::unique_ptr<ServerStore> store_;
};

int ServeCommand::run() {
  umask(077);  // everything it writes is private
  if (const int code = read_course_folder(); code != kExitDone) return code;
  if (!options_.revoked.empty()) return revoke();
  if (!options_.tokens.empty()) return make_tokens();
  if (!options_.exported.empty()) return export_submissions();
  const auto lock = FolderLock::take(folder_ / "server.lock", folder_.string());
  if (!lock) return fail(kExitEnvironment, lock.sentence());
  if (const int code = read_labs(); code != kExitDone) return code;
  return serve();
}

int ServeCommand::read_course_folder() {
  std::error_code error;
  folder_ = fs::canonical(options_.course, error);
  if (error) return fail(kExitUsage, options_.course + ": there is no such folder");
  auto course = read_course(folder_ / "course.toml");
  if (!course) return fail(kExitUsage, course.sentence());
  course_ = std::move(*course);
  auto students = read_roster(folder_ / "roster.csv");
  if (!students) return fail(kExitUsage, students.sentence());
  students_ = std::move(*students);
  auto store = ServerStore::open(folder_);
  if (!store) return fail(kExitEnvironment, store.sentence());
  store_ = std::move(*store);
  return kExitDone;
}

int ServeCommand::make_tokens() {
  std::error_code error;
  if (fs::exists(options_.tokens, error))
    return fail(kExitUsage, shown_path(options_.tokens) +
                                ": the file exists, and may hold tokens that are stored nowhere else; name a new file");
  const auto count = lanewise::make_tokens(*store_, students_, options_.tokens);
  if (!count) return fail(kExitEnvironment, count.sentence());
  if (*count == 0)
    fmt::print("Everyone has a token already; --revoke ID voids one.\n");
  else
    fmt::print("{} token{} in {}: give each to its owner, then delete the file.\n", *count, *count == 1 ? "" : "s",
               shown_path(options_.tokens));
  return kExitDone;
}

int ServeCommand::revoke() {
  const auto was_there = store_->revoke_token(options_.revoked);
  if (!was_there) return fail(kExitEnvironment, was_there.sentence());
  if (!*was_there) return fail(kExitUsage, fmt::format("'{}' has no token", options_.revoked));
  fmt::print("The token of {} is void; --tokens makes a new one.\n", options_.revoked);
  return kExitDone;
}

int ServeCommand::export_submissions() {
  std::error_code error;
  if (fs::exists(options_.exported, error) &&
      !(fs::is_directory(options_.exported, error) && fs::is_empty(options_.exported, error)))
    return fail(kExitUsage, shown_path(options_.exported) + " holds something; name a new or an empty folder");
  const auto done = lanewise::export_submissions(*store_, folder_, options_.exported, options_.exports_all);
  if (!done) return fail(kExitEnvironment, done.sentence());
  fmt::print("{} submission{} of {} student{} in {}\n", done->submissions, done->submissions == 1 ? "" : "s",
             done->students, done->students == 1 ? "" : "s", shown_path(options_.exported));
  return kExitDone;
}

// A misspelt name in course.toml would silently change nothing.
void ServeCommand::note_names_without_effect() const {
  std::vector<std::string> labs;
  std::vector<std::string> ids;
  labs.reserve(labs_.size());
  ids.reserve(students_.size());
  for (const LabSelection& lab : labs_) labs.push_back(lab.file.id);
  for (const Student& student : students_) ids.push_back(student.id);
  for (const std::string& sentence : names_without_effect(course_, labs, ids))
    fail(kExitDone, "course.toml: " + sentence);
}

// Without a secret.toml, a seed is drawn and kept in one, so that a server that is moved grades as before.
int ServeCommand::read_labs() {
  const auto labs = known_labs(this_installation(), {}, Oracles::kBegun);
  if (!labs) return fail(kExitEnvironment, labs.sentence());
  labs_ = *labs;
  note_names_without_effect();
  const fs::path file = folder_ / "secret.toml";
  std::error_code error;
  if (!fs::exists(file, error))
    if (const auto failure = write_private(file, fmt::format("seed = {}\n", drawn_seed())))
      return fail(kExitEnvironment, failure->sentence);
  const auto secrets = read_secrets(file, labs_);
  if (!secrets) return fail(kExitUsage, secrets.sentence());
  secrets_ = *secrets;
  add_hidden_cases(secrets_, labs_);
  const auto text = read_file(file, kLargestSecret);
  if (!text) return fail(kExitUsage, text.sentence());
  grading_.course = folder_;
  grading_.seed = secrets_.seed;
  grading_.secret_terms = *text;
  grading_.jobs = options_.jobs;
  grading_.is_timed = !options_.no_timing;
  return kExitDone;
}

int ServeCommand::serve() {
  auto log = ServerLog::open(folder_ / "server.log");
  if (!log) return fail(kExitEnvironment, log.sentence());
  if (const auto failure = remove_interrupted(folder_)) return fail(kExitEnvironment, failure->sentence);
  if (const auto again = store_->requeue_unfinished(); !again) return fail(kExitEnvironment, again.sentence());

  BackendChoice choice = BackendChoice::kAuto;
  for (const auto& [name, value] : backend_choices())
    if (name == options_.backend) choice = value;
  auto confinement = student_confinement(this_installation(), choice, options_.no_sandbox);
  if (!confinement) return fail(kExitEnvironment, confinement.sentence());
  const auto workplace =
      open_workplace(this_installation(), choice, std::move(*confinement), toolchain_choice(options_.toolchain));
  if (!workplace) return fail(kExitEnvironment, workplace.sentence());

  GradingQueue queue(*store_, *log, *workplace, labs_, grading_);
  options_.server.folder = folder_;
  ClassServer server({*store_, *log, queue, course_, labs_, students_, secrets_}, options_.server);
  const auto port = server.bind();
  if (!port) return fail(kExitEnvironment, port.sentence());
  fmt::print("Serving {} on http://{}:{} (students: {}; {}); Ctrl-C stops\n", shown_path(folder_),
             bracketed(options_.server.address), *port, students_.size(),
             workplace->backend.is_virtual() ? "the virtual GPU" : workplace->backend.device);
  std::fflush(stdout);
  queue.start();
  server.run();
  return kExitDone;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = app.add_subcommand("serve", "Run a class server: students submit over the network");
  command->footer(kServeExamples);
  command->add_option("course", options->course, "The course's folder: course.toml, roster.csv and the server's state")
      ->type_name("DIR")
      ->required();
  const auto tokens = command
                          ->add_option("--tokens", options->tokens,
                                       "Make a token for everyone without one, write them to this new file, and exit")
                          ->type_name("CSV");
  const auto revoked = command->add_option("--revoke", options->revoked, "Void this person's token, and exit")
                           ->type_name("ID")
                           ->excludes(tokens);
  const auto exported = command
                            ->add_option("--export", options->exported,
                                         "Copy each student's newest submission for each lab into this new folder, "
                                         "for grade and board, and exit")
                            ->type_name("DIR")
                            ->excludes(tokens)
                            ->excludes(revoked);
  command->add_flag("--all", options->exports_all, "With --export: all submissions, but those that were replaced")
      ->needs(exported);
  command->add_option("--port", options->server.port, "Where to listen; 0 is any free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->add_option("--address", options->server.address, "Which of this machine's addresses to listen on")
      ->capture_default_str();
  command
      ->add_option("--host", options->server.hosts,
                   "Another name by which clients may reach the server (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  command
      ->add_option("--proxy", options->server.proxies,
                   "Address of a reverse proxy to trust about clients' addresses (may be repeated)")
      ->allow_extra_args(false)
      ->type_name("ADDRESS");
  std::vector<std::string> backends;
  for (const auto& [name, value] : backend_choices()) backends.push_back(name);
  command->add_option("--backend", options->backend, "What to run on: a GPU if there is one, or the virtual GPU")
      ->check(CLI::IsMember(backends))
      ->capture_default_str();
  add_toolchain_option(*command, options->toolchain);
  command->add_option("--jobs", options->jobs, "Submissions graded at a time; on a GPU, always one")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--no-timing", options->no_timing, "On a GPU: do not time correct submissions");
  command->add_flag("--no-sandbox", options->no_sandbox,
                    "Compile and run students' code as yourself, without a sandbox");
  command->callback([options, &exit_code] { exit_code = ServeCommand(*options).run(); });
}

}  // namespace lanewise
