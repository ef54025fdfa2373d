// A real Slurm site for a test, which ends with it: slurm_site.sh.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/runner/process.h"

namespace lanewise {

class SlurmSite {
 public:
  /// What a shell printed, and its exit code.
  struct Answer {
    int exit_code = -1;
    std::string text;
  };

  /// Starts the site, and sets SLURM_CONF for this process and what it starts. If it does not come up, says() says why.
  SlurmSite() {
    std::string folder = (std::filesystem::temp_directory_path() / "lanewise_slurm_XXXXXX").string();
    if (mkdtemp(folder.data())) folder_ = folder;
    setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
    started_ = site("start", std::to_string(getpid()));
  }
  ~SlurmSite() {
    site("stop", "");
    unsetenv("SLURM_CONF");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  SlurmSite(const SlurmSite&) = delete;
  SlurmSite& operator=(const SlurmSite&) = delete;

  bool is_up() const { return started_.exit_code == 0; }
  const std::string& says() const { return started_.text; }
  /// For scripts and outputs of jobs, too.
  const std::filesystem::path& folder() const { return folder_; }

  /// `name`: n1, n2, n3, slurmctld, munged.
  Answer end(const std::string& name) const { return site("end", name); }
  Answer crash(const std::string& name) const { return site("crash", name); }
  Answer cut_power_of(const std::string& node) const { return site("cut", node); }
  Answer run_again(const std::string& name) const { return site("run", name); }

  /// Runs a command line in folder(), such as "sbatch --parsable --wrap true".
  Answer shell(const std::string& command, std::chrono::seconds limit = std::chrono::seconds(60)) const {
    ProcessOptions options;
    options.command = {"/bin/bash", "-c", command};
    options.folder = folder_;
    options.environment = {"PATH=/usr/bin:/bin:/usr/sbin", "SLURM_CONF=" + (folder_ / "slurm.conf").string()};
    const auto finished = run_to_end(options, limit, 1 << 20);
    if (!finished) return {-1, finished.sentence()};
    return {WIFEXITED(finished->status) && !finished->timed_out ? WEXITSTATUS(finished->status) : -1, finished->output};
  }

  /// Until a command line prints `text` somewhere; false after `limit`.
  bool comes_to(const std::string& command, const std::string& text,
                std::chrono::seconds limit = std::chrono::seconds(40)) const {
    for (const auto deadline = Clock::now() + limit; Clock::now() < deadline;) {
      if (shell(command).text.find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

 private:
  Answer site(const std::string& what, const std::string& argument) const {
    return shell(LANEWISE_SLURM_SITE " " + what + " " + folder_.string() + " " + argument);
  }

  std::filesystem::path folder_;
  Answer started_;
};

}  // namespace lanewise
