// The class server: takes submissions over HTTP, and shows students and instructors what became of them.
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

/// The person who may see and steer everything; no student has this id.
inline constexpr const char* kInstructor = "instructor";

struct ServerOptions {
  std::filesystem::path folder;  ///< the course's
  std::string address = "127.0.0.1";
  int port = 8080;                   ///< 0: any that is free
  std::vector<std::string> hosts;    ///< further names under which clients know the server
  std::vector<std::string> proxies;  ///< addresses of reverse proxies, which are believed about the client's address
};

/// Everything that it works with must outlive it.
struct ServerParts {
  ServerStore& store;
  ServerLog& log;
  GradingQueue& queue;
  const Course& course;
  const std::vector<LabSelection>& labs;
  const std::vector<Student>& students;
  const Secrets& secrets;  ///< whose cases `labs` have as well
};

/// An address as URLs have it: IPv6 ones are in brackets.
std::string bracketed(const std::string& address);

class ClassServer {
 public:
  ClassServer(const ServerParts& parts, const ServerOptions& options);
  ~ClassServer();
  ClassServer(const ClassServer&) = delete;
  ClassServer& operator=(const ClassServer&) = delete;

  /// Begins to listen; the port.
  Expected<int> bind();
  /// Answers requests until the process ends.
  void run();

 private:
  class Routes;
  std::unique_ptr<Routes> routes_;
};

}  // namespace lanewise
