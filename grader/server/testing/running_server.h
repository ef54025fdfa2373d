// A class server for tests: the real program on a course's folder of its own, killed and started at will.
#pragma once

#include <httplib.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/workplace/temporary_folder.h"
#include "harness/runner/process.h"

namespace lanewise {

class RunningServer {
 public:
  /// The students are s0, s1, ...; `terms` is the course's [server] table. Nothing is graded until resume() if the
  /// server starts paused.
  RunningServer(int students, const std::string& terms, bool is_paused);

  /// On the port that it had before. False, and a sentence in trouble(), if it did not start.
  bool start(const std::vector<std::string>& more = {});
  /// kill -9
  void kill() { process_.reset(); }
  const std::string& trouble() const { return trouble_; }

  std::filesystem::path folder() const { return folder_->path(); }
  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// The token of a person: "s0", or "instructor".
  const std::string& token(const std::string& id) const { return tokens_.at(id); }

  httplib::Client client() const;
  httplib::Headers headers(const std::string& id) const { return {{"Authorization", "Bearer " + token(id)}}; }
  httplib::Result submit(const std::string& id, const std::string& lab, const std::string& source,
                         const std::string& key = "", const std::string& answers = "") const;
  /// What GET answers to `id`, as JSON; discarded if the status is not 200.
  nlohmann::json get(const std::string& id, const std::string& path) const;
  /// Waits, for a minute at most, until the ticket is in none of the states "waiting" and "grading".
  nlohmann::json settled(const std::string& id, const std::string& ticket) const;

  /// Logs in as a browser does; the cookie.
  std::string log_in(const std::string& id) const;
  /// POST as a form of the server's own pages; the status.
  int post(const std::string& cookie, const std::string& path, const httplib::Params& fields = {}) const;

  std::size_t log_lines() const;

 private:
  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  std::map<std::string, std::string> tokens_;
  std::optional<Process> process_;
  std::string trouble_;
  int port_ = 0;
};

/// A source that is right for vecadd's task vec_add_device; `mark` makes it another one.
std::string right_vecadd(int mark);

}  // namespace lanewise
