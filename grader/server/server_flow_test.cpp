// A class at its server, with the programs that students and instructors use.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "grader/server/testing/running_server.h"
#include "harness/lab/read_file.h"
#include "harness/runner/process.h"

namespace lanewise::server_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBroken = "nothing that compiles\n";

class ServerFlow : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string text;
  };

  Outcome run(const std::vector<std::string>& command, const std::string& token = "") const {
    ProcessOptions options;
    options.command = command;
    options.command.insert(options.command.begin(), LANEWISE_EXECUTABLE);
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + home_->path().string()};
    if (!token.empty()) options.environment.push_back("LANEWISE_TOKEN=" + token);
    const auto finished = run_to_end(options, std::chrono::minutes(3), 1 << 20);
    if (!finished) return {-1, finished.sentence()};
    return {WIFEXITED(finished->status) ? WEXITSTATUS(finished->status) : -1, finished->output};
  }

  // `lanewise submit` as a student who has not logged in.
  Outcome submit_as(const RunningServer& server, const std::string& id, std::vector<std::string> more) const {
    more.insert(more.begin(), {"submit", "--server", server.url()});
    return run(more, server.token(id));
  }

  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(home_->path() / name) << content;
    return (home_->path() / name).string();
  }

  static std::string ticket_of(const httplib::Result& answer) {
    return answer && answer->status / 100 == 2 ? nlohmann::json::parse(answer->body)["ticket"].get<std::string>() : "";
  }

  // With their times.
  static std::map<std::string, std::int64_t> files_below(const fs::path& folder) {
    std::map<std::string, std::int64_t> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      struct stat status {};
      if (entry.is_regular_file() && stat(entry.path().c_str(), &status) == 0)
        files[entry.path().lexically_relative(folder).string()] = status.st_mtim.tv_sec;
    }
    return files;
  }

  static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

  Expected<TemporaryFolder> home_ = TemporaryFolder::create();
};

TEST_F(ServerFlow, StudentsSubmitAndLearnWhatBecameOfIt) {
  RunningServer server(2, "", false);
  ASSERT_TRUE(server.start()) << server.trouble();
  file(".curlrc", "proxy = http://127.0.0.1:1\n");
  const Outcome login =
      run({"submit", "--login", "--server", server.url(), "--token-file", file("token", server.token("s0") + "\n")});
  ASSERT_EQ(login.exit_code, 0) << login.text;
  EXPECT_EQ(fs::status(home_->path() / ".config/lanewise/login.json").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);

  const std::string marked = right_vecadd(1) + "// <script>alert(1)</script>\n";
  const Outcome right = run({"submit", "vecadd", "--submission", file("vecadd.cu", marked)});
  EXPECT_EQ(right.exit_code, 0) << right.text;
  for (const char* part : {"Ticket ", "vec_add_device", "cases right", "/report"})
    EXPECT_TRUE(has(right.text, part)) << part << ": " << right.text;

  const Outcome wrong = submit_as(server, "s1", {"vecadd", "--submission", file("wrong.cu", kBroken)});
  EXPECT_EQ(wrong.exit_code, 0) << wrong.text;
  EXPECT_TRUE(has(wrong.text, "does not compile")) << wrong.text;

  // Equal work under equal terms is not graded again.
  const std::string same = ticket_of(server.submit("s1", "vecadd", marked));
  const auto settled = server.settled("s1", same);
  const auto first = server.get("s0", "/api/history")["submissions"][0];
  EXPECT_EQ(settled["points"], first["points"]);
  const auto pictures = server.folder() / "submissions" / same / "pictures";
  EXPECT_FALSE(fs::exists(pictures)) << "nothing was run";

  const Outcome history = run({"submit", "--history"});
  EXPECT_TRUE(has(history.text, "done")) << history.text;
  EXPECT_TRUE(has(history.text, first["ticket"].get<std::string>().c_str())) << history.text;
  EXPECT_TRUE(has(submit_as(server, "s1", {"--status", same}).text, "cases right"));
  EXPECT_EQ(run({"submit", "--status", same}).exit_code, 3) << "another's";

  const auto report = server.client().Get("/tickets/" + first["ticket"].get<std::string>() + "/report",
                                          httplib::Headers{{"Cookie", server.log_in("s0")}});
  ASSERT_TRUE(report && report->status == 200);
  EXPECT_TRUE(has(report->body, "vec_add_device"));
  EXPECT_FALSE(has(report->body, "<script>alert"));
  EXPECT_TRUE(has(report->get_header_value("Content-Security-Policy"), "frame-ancestors 'none'"));
}

TEST_F(ServerFlow, WhatMakesNoSenseIsSaidInASentence) {
  RunningServer server(1, "entries_a_day = 1\n", true);
  ASSERT_TRUE(server.start()) << server.trouble();
  const std::string source = file("vecadd.cu", kBroken);
  EXPECT_EQ(run({"submit", "vecadd"}).exit_code, 2) << "no server";
  EXPECT_EQ(run({"submit", "vecadd", "--server", server.url()}).exit_code, 2) << "no token";
  for (const char* unsafe : {"example.org", "http://example.org"})
    EXPECT_EQ(run({"submit", "vecadd", "--server", unsafe}, "x").exit_code, 2) << unsafe;
  EXPECT_EQ(submit_as(server, "s0", {"vecsub"}).exit_code, 2);
  EXPECT_EQ(submit_as(server, "s0", {}).exit_code, 2);
  EXPECT_EQ(submit_as(server, "s0", {"--status", "../x"}).exit_code, 2);
  const Outcome stranger = run({"submit", "--history", "--server", server.url()}, "0123");
  EXPECT_EQ(stranger.exit_code, 3);
  EXPECT_TRUE(has(stranger.text, "unknown or revoked")) << stranger.text;

  const std::vector<std::string> once = {"vecadd", "--submission", source, "--no-wait"};
  EXPECT_EQ(submit_as(server, "s0", once).exit_code, 0);
  const Outcome twice = submit_as(server, "s0", once);
  EXPECT_EQ(twice.exit_code, 3);
  EXPECT_TRUE(has(twice.text, "which is the limit; the next one is accepted in 24 h")) << twice.text;
  const auto refused = server.submit("s0", "vecadd", "again");
  ASSERT_TRUE(refused && refused->status == 429);
  EXPECT_GT(std::stoi(refused->get_header_value("Retry-After")), 86'000);
  EXPECT_EQ(std::distance(fs::directory_iterator(server.folder() / "submissions"), fs::directory_iterator()), 1);

  EXPECT_EQ(run({"serve", server.folder().string(), "--port", "0"}).exit_code, 3) << "one at a time";
  EXPECT_EQ(run({"serve", "/nowhere"}).exit_code, 2);
  const RunningServer another(1, "", true);
  const Outcome taken = run({"serve", another.folder().string(), "--port", std::to_string(server.port())});
  EXPECT_EQ(taken.exit_code, 3);
  EXPECT_TRUE(has(taken.text, "is another program using the port")) << taken.text;
  EXPECT_EQ(run({"serve", server.folder().string(), "--tokens", (server.folder() / "tokens.csv").string()}).exit_code,
            2)
      << "the file exists";
  EXPECT_EQ(run({"serve", server.folder().string(), "--revoke", "s0"}).exit_code, 0);
  EXPECT_EQ(submit_as(server, "s0", {"--history"}).exit_code, 3) << "at once";
  EXPECT_EQ(run({"serve", server.folder().string(), "--tokens", file("x", "") + ".csv"}).exit_code, 0);
  EXPECT_TRUE(has(*read_file(home_->path() / "x.csv", 1 << 16), "s0,"));
  EXPECT_FALSE(has(*read_file(home_->path() / "x.csv", 1 << 16), "instructor")) << "has one";
}

TEST_F(ServerFlow, TheQueueOutlivesTheServerAndObeysItsInstructor) {
  RunningServer server(2, "", true);
  ASSERT_TRUE(server.start()) << server.trouble();
  const std::string old = ticket_of(server.submit("s0", "vecadd", kBroken));
  const std::string others = ticket_of(server.submit("s1", "vecadd", kBroken));
  const std::string key = "0123456789abcdef";
  const std::string fresh = ticket_of(server.submit("s0", "vecadd", std::string(kBroken) + "2", key));
  EXPECT_EQ(server.get("s0", "/api/tickets/" + old)["replaced_by"], fresh);
  EXPECT_EQ(submit_as(server, "s0", {"--status", old}).exit_code, 1) << "replaced";
  EXPECT_EQ(server.get("s0", "/api/tickets/" + fresh)["place"], 1);
  EXPECT_EQ(server.get("s1", "/api/tickets/" + others)["place"], 2);

  server.kill();
  ASSERT_TRUE(server.start()) << server.trouble();
  EXPECT_EQ(ticket_of(server.submit("s0", "vecadd", std::string(kBroken) + "2", key)), fresh) << "sent again";
  EXPECT_EQ(server.get("s0", "/api/tickets/" + fresh)["place"], 1);
  EXPECT_EQ(server.get("s0", "/api/history")["submissions"].size(), 2U);

  const std::string cookie = server.log_in("instructor");
  ASSERT_FALSE(cookie.empty());
  const auto page = [&](const std::string& path) {
    const auto answer = server.client().Get(path, httplib::Headers{{"Cookie", cookie}});
    return answer ? answer->body : "";
  };
  EXPECT_TRUE(has(page("/instructor"), "Grading is paused"));
  EXPECT_FALSE(has(page("/instructor"), "<b>Tests</b>")) << "the title is text";
  EXPECT_EQ(server.post(cookie, "/instructor/resume"), 303);
  EXPECT_EQ(server.settled("s0", fresh)["state"], "done");
  EXPECT_EQ(server.settled("s1", others)["state"], "done");
  EXPECT_TRUE(has(page("/instructor"), others.c_str()));
  const std::string csv = page("/instructor/points.csv");
  EXPECT_TRUE(has(csv, fresh.c_str()) && has(csv, others.c_str()) && !has(csv, old.c_str())) << csv;

  EXPECT_EQ(server.post(cookie, "/instructor/pause"), 303);
  EXPECT_EQ(server.post(cookie, "/instructor/regrade", {{"ticket", fresh}}), 303);
  EXPECT_EQ(server.post(cookie, "/instructor/regrade", {{"ticket", old}}), 404) << "was never graded";
  EXPECT_EQ(server.get("s0", "/api/tickets/" + fresh)["state"], "waiting");
  EXPECT_EQ(server.post(cookie, "/instructor/resume"), 303);
  EXPECT_EQ(server.settled("s0", fresh)["state"], "done");
  const auto log = read_file(server.folder() / "server.log", 1 << 20);
  for (const char* what : {"\"paused\"", "\"resumed\"", "\"regrade\"", "\"exported\""})
    EXPECT_TRUE(has(*log, what)) << what;
  EXPECT_EQ(server.post(cookie, "/logout"), 303);
  EXPECT_EQ(server.post(cookie, "/instructor/pause"), 401) << "the session has ended";
}

TEST_F(ServerFlow, WhatWasInterruptedIsGradedAgainAndWhatWasNotAnsweredIsSentAgain) {
  RunningServer server(1, "", false);
  ASSERT_TRUE(server.start()) << server.trouble();
  const std::string ticket = ticket_of(server.submit("s0", "vecadd", right_vecadd(2)));
  for (int i = 0; i < 500 && server.get("s0", "/api/tickets/" + ticket)["state"] == "waiting"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(server.get("s0", "/api/tickets/" + ticket)["state"], "grading");
  server.kill();
  Outcome sent;
  std::thread client([&] {
    sent = submit_as(server, "s0", {"vecadd", "--submission", file("x.cu", kBroken), "--no-wait"});
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(server.start()) << server.trouble();
  client.join();
  EXPECT_EQ(sent.exit_code, 0) << sent.text;
  EXPECT_EQ(server.settled("s0", ticket)["state"], "done");
  EXPECT_EQ(server.get("s0", "/api/history")["submissions"].size(), 2U);
}

TEST_F(ServerFlow, AnotherServersAnswersAreNoTickets) {
  httplib::Server other;
  std::string answer = "<p>Welcome!</p>";
  const auto greet = [&answer](const httplib::Request&, httplib::Response& response) {
    response.set_content(answer, "text/html");
  };
  other.Get(".*", greet).Post(".*", greet);
  const std::string url = "http://127.0.0.1:" + std::to_string(other.bind_to_any_port("127.0.0.1"));
  std::thread serving([&other] { other.listen_after_bind(); });
  const std::string source = file("vecadd.cu", kBroken);
  for (const char* each : {"<p>Welcome!</p>", "{}", R"({"state": "on holiday"})"}) {
    answer = each;
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
             {"vecadd", "--submission", source}, {"--login"}, {"--history"}, {"--status", "0123"}}) {
      std::vector<std::string> command = {"submit", "--server", url};
      command.insert(command.end(), more.begin(), more.end());
      const Outcome outcome = run(command, "token");
      EXPECT_EQ(outcome.exit_code, 3) << each << more[0] << outcome.text;
      EXPECT_TRUE(has(outcome.text, "is its address right?")) << outcome.text;
      EXPECT_FALSE(has(outcome.text, "Submitted") || has(outcome.text, "Logged in")) << outcome.text;
    }
  }
  other.stop();
  serving.join();
}

TEST_F(ServerFlow, AllThreadsGradeAgainAfterAPauseAndAVerdictWaitsForItsDatabase) {
  RunningServer server(2, "", true);
  ASSERT_TRUE(server.start({"--jobs", "2"})) << server.trouble();
  const std::string one = ticket_of(server.submit("s0", "vecadd", std::string(kBroken) + "1"));
  const std::string two = ticket_of(server.submit("s1", "vecadd", std::string(kBroken) + "2"));
  SQLite::Database database((server.folder() / "server.db").string(), SQLite::OPEN_READWRITE, 10'000);
  database.exec(
      "CREATE TRIGGER full_disk BEFORE UPDATE OF verdict ON submissions BEGIN SELECT RAISE(FAIL, 'full'); END");
  EXPECT_EQ(server.post(server.log_in("instructor"), "/instructor/resume"), 303);
  const auto log_has = [&server](const char* what) {
    return has(*read_file(server.folder() / "server.log", 1 << 20), what);
  };
  for (int i = 0; i < 1000 && !log_has("\"trouble\""); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(log_has("\"trouble\""));
  EXPECT_EQ(server.get("s0", "/api/tickets/" + one)["state"], "grading");
  EXPECT_EQ(server.get("s1", "/api/tickets/" + two)["state"], "grading") << "both at a time";
  database.exec("DROP TRIGGER full_disk");
  EXPECT_EQ(server.settled("s0", one)["state"], "done");
  EXPECT_EQ(server.settled("s1", two)["state"], "done");
}

TEST_F(ServerFlow, WhatWasSubmittedIsExportedForGrading) {
  RunningServer server(2, "", true);
  ASSERT_TRUE(server.start()) << server.trouble();
  EXPECT_EQ(server.submit("instructor", "vecadd", kBroken)->status, 201);
  EXPECT_EQ(server.submit("s0", "vecadd", "replaced")->status, 201);
  EXPECT_EQ(server.submit("s0", "scan", kBroken)->status, 201);
  EXPECT_EQ(server.submit("s0", "vecadd", kBroken, "", "answer = 1\n")->status, 201);
  EXPECT_EQ(server.submit("s1", "vecadd", kBroken)->status, 201);
  constexpr std::int64_t kReceived = 1795376400;  // 2026-11-22 19:40 UTC
  SQLite::Database((server.folder() / "server.db").string(), SQLite::OPEN_READWRITE, 10'000)
      .exec("UPDATE submissions SET received = 1795376400 + number, state = iif(number = 2, 'done', state)");

  const fs::path newest = home_->path() / "newest";
  const auto exported = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"serve", server.folder().string(), "--export"});
    return run(more);
  };
  const Outcome first = exported({newest.string()});
  EXPECT_TRUE(has(first.text, "3 submissions of 2 students in ")) << first.text;
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(files_below(newest), (std::map<std::string, std::int64_t>{{"s0/scan/scan.cu", kReceived + 3},
                                                                      {"s0/vecadd/answers.toml", kReceived + 4},
                                                                      {"s0/vecadd/vecadd.cu", kReceived + 4},
                                                                      {"s1/vecadd/vecadd.cu", kReceived + 5}}));
  EXPECT_EQ(*read_file(newest / "s0/vecadd/vecadd.cu", 100), kBroken);
  EXPECT_EQ(exported({newest.string()}).exit_code, 2) << "it holds something";
  const fs::path all = home_->path() / "all";
  fs::create_directory(all);
  EXPECT_EQ(exported({all.string(), "--all"}).exit_code, 0);
  EXPECT_EQ(files_below(all), (std::map<std::string, std::int64_t>{{"s0/attempt_1/scan/scan.cu", kReceived + 3},
                                                                   {"s0/attempt_1/vecadd/vecadd.cu", kReceived + 2},
                                                                   {"s0/attempt_2/vecadd/answers.toml", kReceived + 4},
                                                                   {"s0/attempt_2/vecadd/vecadd.cu", kReceived + 4},
                                                                   {"s1/attempt_1/vecadd/vecadd.cu", kReceived + 5}}));

  const Outcome graded =
      run({"grade", "vecadd", "--submissions", all.string(), "--roster", (server.folder() / "roster.csv").string(),
           "--out", (home_->path() / "grades").string(), "--backend", "vgpu"});
  EXPECT_EQ(graded.exit_code, 0) << graded.text;
  const auto table = read_file(home_->path() / "grades/grades.csv", 1 << 20);
  ASSERT_TRUE(table) << graded.text;
  std::map<std::string, int> attempts;
  std::istringstream rows(*table);
  for (std::string row; std::getline(rows, row);)
    if (has(row, "2026-11-22 19:40 UTC")) ++attempts[row.substr(0, row.find(','))];
  EXPECT_EQ(attempts, (std::map<std::string, int>{{"s0", 2}, {"s1", 1}})) << *table;
}

TEST_F(ServerFlow, AVerdictThatIsNotShownIsNotShown) {
  RunningServer server(1, "shows = []\n", false);
  ASSERT_TRUE(server.start()) << server.trouble();
  const Outcome outcome = submit_as(server, "s0", {"vecadd", "--submission", file("vecadd.cu", kBroken)});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(has(outcome.text, "does not show verdicts")) << outcome.text;
  EXPECT_FALSE(has(outcome.text, "compile error")) << outcome.text;
  EXPECT_FALSE(server.get("s0", "/api/history")["submissions"][0].contains("points"));
  EXPECT_EQ(server.client().Get("/board/")->status, 404);
}

}  // namespace
}  // namespace lanewise::server_flow_test
