// A public scanner (Debian: wapiti) finds nothing at the class server.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/server/testing/running_server.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise::server_scan_test {
namespace {

// Those that need no service of the scanner's makers.
constexpr const char* kModules =
    "backup,blindsql,cookieflags,crlf,csp,exec,file,htaccess,http_headers,methods,permanentxss,redirect,shellshock,sql,"
    "xss";
// Browsers have removed what this header steered, since it opened holes of its own.
constexpr const char* kObsolete = "X-XSS-Protection is not set";

// What it found, and how many addresses it looked at.
void scan(const RunningServer& server, const std::string& path, const std::vector<std::string>& headers) {
  const std::filesystem::path report = server.folder() / "scan.json";
  ProcessOptions options;
  options.command = {"/usr/bin/wapiti",
                     "-u",
                     server.url() + path,
                     "--scope",
                     "domain",
                     "-m",
                     kModules,
                     "-f",
                     "json",
                     "-o",
                     report.string(),
                     "--flush-session",
                     "--store-session",
                     (server.folder() / "scan").string(),
                     "--no-bugreport",
                     "-H",
                     "Accept-Encoding: identity"};
  for (const std::string& header : headers) options.command.insert(options.command.end(), {"-H", header});
  options.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + server.folder().string()};
  const auto finished = run_to_end(options, std::chrono::minutes(4), 1 << 20);
  ASSERT_TRUE(finished && finished->succeeded()) << (finished ? finished->output : finished.sentence());
  const std::string found = "Wapiti found ";
  const std::size_t at = finished->output.find(found);
  ASSERT_NE(at, std::string::npos) << finished->output;
  EXPECT_GE(std::atoi(finished->output.c_str() + at + found.size()), 3) << "it did not read the pages";
  const auto text = read_file(report, 1 << 24);
  ASSERT_TRUE(text) << text.sentence();
  const auto json = nlohmann::json::parse(*text);
  for (const char* kind : {"vulnerabilities", "anomalies"})
    for (const auto& [name, list] : json[kind].items())
      for (const auto& each : list) EXPECT_EQ(each["info"], kObsolete) << path << " " << name << ": " << each.dump();
}

TEST(ServerScan, FindsNothing) {
  if (!std::filesystem::exists("/usr/bin/wapiti")) GTEST_SKIP() << "the package wapiti is not installed";
  RunningServer server(2, "", true);
  // As behind a proxy, which has no limit of its own here.
  ASSERT_TRUE(server.start({"--proxy", "127.0.0.1"})) << server.trouble();
  const auto sent = server.submit("s0", "vecadd", right_vecadd(1));
  ASSERT_TRUE(sent && sent->status == 201);
  const std::string origin = "Origin: " + server.url();
  scan(server, "/", {origin});
  scan(server, "/instructor", {"Cookie: " + server.log_in("instructor")});
  scan(server, "/", {origin, "Cookie: " + server.log_in("s0")});
  EXPECT_GT(server.log_lines(), 500U) << "it tried";
  EXPECT_FALSE(server.get("s0", "/api/history").is_discarded()) << "and the server still answers";
}

}  // namespace
}  // namespace lanewise::server_scan_test
