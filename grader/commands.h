// The subcommands of `lanewise`, one file each. Every function adds its subcommand to `app`; when that is what the user
// asked for, its callback sets `exit_code`.
#pragma once

#include <CLI/CLI.hpp>

namespace lanewise {

/// Exit codes of `lanewise`.
inline constexpr int kExitDone = 0;         ///< also when a student scored 0
inline constexpr int kExitNotGraded = 1;    ///< some submission could not be graded, or is below what was required
inline constexpr int kExitUsage = 2;        ///< the command line makes no sense
inline constexpr int kExitEnvironment = 3;  ///< something lanewise needs is missing or broken

void add_bench_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_data_command(CLI::App& app, int& exit_code);
void add_demo_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);

}  // namespace lanewise
