// The `lanewise` command line: what the subcommands have in common.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "grader/commands/commands.h"
#include "harness/lab/nearest_name.h"
#include "harness/report/safe_text.h"

namespace {

// Output that could not be written is an error.
int unless_unwritten(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fputs("lanewise: standard output cannot be written; is the disk full?\n", stderr);
  return lanewise::kExitEnvironment;
}

std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  return lanewise::safe_text(CLI::FailureMessage::simple(app, error));
}

// Empty if it begins with a command that there is, or with an option.
std::string unknown_command(CLI::App& app, int argc, char** argv) {
  if (argc < 2 || *argv[1] == '-') return "";
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), argv[1]) != known.end()) return "";
  return lanewise::unknown_name("command", argv[1], known, "lanewise --help lists them");
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Lanewise: GPU programming labs, graded with evidence", "lanewise");
  app.require_subcommand(1);
  app.failure_message(usage_message);
  app.set_version_flag("--version", LANEWISE_VERSION);
  int exit_code = lanewise::kExitDone;
  lanewise::add_commands(app, exit_code);
  if (const std::string sentence = unknown_command(app, argc, argv); !sentence.empty()) {
    std::fprintf(stderr, "lanewise: %s\n", lanewise::safe_line(sentence).c_str());
    return lanewise::kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lanewise::kExitDone : lanewise::kExitUsage;
  }
  return unless_unwritten(exit_code);
} catch (const std::exception& error) {
  std::fprintf(stderr, "lanewise: %s\n", lanewise::safe_line(error.what()).c_str());
  return lanewise::kExitEnvironment;
}
