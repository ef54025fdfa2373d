// The subcommands of `lanewise`, one file each. Each function adds its subcommand to `app`; if the user chose it, its
// callback sets `exit_code`.
#pragma once

#include <CLI/CLI.hpp>

#include "grader/workplace/exit_codes.h"

namespace lanewise {

/// Those that this program has: lanewise_command in CMake.
void add_commands(CLI::App& app, int& exit_code);

void add_bench_command(CLI::App& app, int& exit_code);
void add_board_command(CLI::App& app, int& exit_code);
void add_bundle_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_data_command(CLI::App& app, int& exit_code);
void add_grade_command(CLI::App& app, int& exit_code);
void add_new_lab_command(CLI::App& app, int& exit_code);
void add_nvcc_command(CLI::App& app, int& exit_code);
void add_profile_command(CLI::App& app, int& exit_code);
void add_push_command(CLI::App& app, int& exit_code);
void add_regrade_command(CLI::App& app, int& exit_code);
void add_release_command(CLI::App& app, int& exit_code);
void add_reproduce_command(CLI::App& app, int& exit_code);
void add_restore_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_serve_command(CLI::App& app, int& exit_code);
void add_submit_command(CLI::App& app, int& exit_code);
void add_verify_command(CLI::App& app, int& exit_code);
void add_worker_command(CLI::App& app, int& exit_code);

}  // namespace lanewise
