// The class server: takes submissions over HTTP, and shows students and instructors their verdicts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "grader/class/course.h"
#include "grader/class/student.h"
#include "grader/grading/secrets.h"
#include "grader/server/grading_queue.h"
#include "grader/server/server_log.h"
#include "grader/server/server_store.h"
#include "harness/lab/failure.h"
#include "harness/runner/find.h"

namespace lanewise {

/// The id of the person who may see and control everything; no student has it.
inline constexpr const char* kInstructor = "instructor";

struct ServerOptions {
  std::filesystem::path folder;  ///< the course's
  std::string address = "127.0.0.1";
  int port = 8080;                   ///< 0: any that is free
  std::vector<std::string> hosts;    ///< further names by which clients reach the server
  std::vector<std::string> proxies;  ///< addresses of reverse proxies, which are trusted about the client's address
};

/// Everything that it works with must outlive it.
struct ServerParts {
  ServerStore& store;
  ServerLog& log;
  GradingQueue& queue;
  const Course& course;
  const std::vector<LabSelection>& labs;
  const std::vector<Student>& students;
  const Secrets& secrets;  ///< `labs` already contain its cases
};

/// An address as in URLs: with brackets if it is an IPv6 address.
std::string bracketed(const std::string& address);

class ClassServer {
 public:
  ClassServer(const ServerParts& parts, const ServerOptions& options);
  ~ClassServer();
  ClassServer(const ClassServer&) = delete;
  ClassServer& operator=(const ClassServer&) = delete;

  /// Begins to listen, and returns the port.
  Expected<int> bind();
  /// Answers requests until the process ends.
  void run();

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
};

}  // namespace lanewise
