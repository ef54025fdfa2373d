// The `lanewise` command line: registers the subcommands and turns what goes wrong into exit codes.
#include <cstdio>
#include <exception>

#include "grader/commands.h"

int main(int argc, char** argv) try {
  CLI::App app("Lanewise: GPU programming labs, graded with evidence", "lanewise");
  app.require_subcommand(1);
  app.set_version_flag("--version", LANEWISE_VERSION);
  int exit_code = lanewise::kExitDone;
  lanewise::add_check_command(app, exit_code);
#ifdef LANEWISE_HAS_DEMO
  lanewise::add_demo_command(app, exit_code);
#endif
#ifdef LANEWISE_HAS_RUN
  lanewise::add_run_command(app, exit_code);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? lanewise::kExitDone : lanewise::kExitUsage;
  }
  return exit_code;
} catch (const std::exception& error) {
  std::fprintf(stderr, "lanewise: %s\n", error.what());
  return lanewise::kExitEnvironment;
}
