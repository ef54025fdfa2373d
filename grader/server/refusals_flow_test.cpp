// Requests that a class server refuses: each with its status, one line in the log, and nothing kept.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>

#include "grader/grading/digest.h"
#include "grader/server/guarded_server.h"
#include "grader/server/testing/running_server.h"
#include "harness/lab/read_file.h"
#include "harness/runner/descriptor.h"

namespace lanewise::refusals_flow_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestUpload = 4096;  // of the course below

Descriptor connect_to(int port) {
  Descriptor client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) client.reset();
  return client;
}

std::string answer_on(const Descriptor& client) {
  std::string answer;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = recv(client.get(), part.data(), part.size(), 0)) > 0;)
    answer.append(part.data(), static_cast<std::size_t>(count));
  return answer;
}

// Sends these bytes and nothing more; the whole answer.
std::string answer_to(int port, const std::string& bytes) {
  const Descriptor client = connect_to(port);
  send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  shutdown(client.get(), SHUT_WR);
  return answer_on(client);
}

int status_of(const std::string& answer) {
  return answer.rfind("HTTP/1.1 ", 0) == 0 ? std::atoi(answer.c_str() + 9) : 0;
}

using Headers = std::vector<std::string>;

struct Refused {
  const char* what;
  int status;
  std::string request;
};

class Requests {
 public:
  explicit Requests(const RunningServer& server)
      : host_("Host: 127.0.0.1:" + std::to_string(server.port())),
        origin_("Origin: " + server.url()),
        bearer_("Authorization: Bearer " + server.token("s0")) {}

  static std::string of(const std::string& line, const Headers& headers, const std::string& body = "") {
    std::string text = line + " HTTP/1.1\r\n";
    for (const std::string& header : headers) text += header + "\r\n";
    return text + "\r\n" + body;
  }
  std::string get(const std::string& path, Headers headers = {}) const {
    headers.push_back(host_);
    return of("GET " + path, headers);
  }
  std::string api(const std::string& path) const { return get(path, {bearer_}); }
  std::string post(const std::string& path, Headers headers, const std::string& body) const {
    headers.push_back(host_);
    headers.push_back("Content-Length: " + std::to_string(body.size()));
    return of("POST " + path, headers, body);
  }
  // As a browser sends it from one of the server's own pages.
  std::string form(const std::string& path, const std::string& cookie, const std::string& body) const {
    return post(path, {origin_, "Cookie: " + cookie, "Content-Type: application/x-www-form-urlencoded"}, body);
  }
  std::string upload(const std::vector<std::pair<std::string, std::string>>& fields, Headers headers = {}) const {
    std::string body;
    for (const auto& [name, content] : fields)
      body.append("--b\r\nContent-Disposition: form-data; name=\"")
          .append(name)
          .append("\"\r\n\r\n")
          .append(content)
          .append("\r\n");
    headers.push_back(bearer_);
    headers.push_back("Content-Type: multipart/form-data; boundary=b");
    return post("/api/submissions", headers, body + "--b--\r\n");
  }
  // Headers of an upload that never comes.
  std::string announced(Headers headers) const {
    headers.insert(headers.end(), {host_, bearer_, "Content-Type: multipart/form-data; boundary=b"});
    return of("POST /api/submissions", headers);
  }

  const std::string& host() const { return host_; }
  const std::string& origin() const { return origin_; }
  const std::string& bearer() const { return bearer_; }

 private:
  std::string host_, origin_, bearer_;
};

std::vector<Refused> without_right(const RunningServer& server, const Requests& ask) {
  const std::string token = server.token("s0");
  std::string capitals = token;
  for (char& c : capitals) c = static_cast<char>(std::toupper(c));
  const auto with = [&](const std::string& header) { return ask.get("/api/history", {header}); };
  return {
      {"no token", 401, ask.get("/api/history")},
      {"empty token", 401, with("Authorization: Bearer ")},
      {"unknown token", 401, with("Authorization: Bearer 00000000000000000000000000000000")},
      {"another scheme", 401, with("Authorization: Basic " + token)},
      {"token in capitals", 401, with("Authorization: Bearer " + capitals)},
      {"token and more", 401, with("Authorization: Bearer " + token + "0")},
      {"beginning of a token", 401, with("Authorization: Bearer " + token.substr(0, 31))},
      {"a token's digest", 401, with("Authorization: Bearer " + sha256_of(token))},
      {"SQL for a token", 401, with("Authorization: Bearer ' OR '1'='1")},
      {"token in the address", 401, ask.get("/api/history?token=" + token)},
      {"session where programs ask", 401, with("Cookie: " + server.log_in("s0"))},
      {"submission without a token", 401, ask.post("/api/submissions", {}, "x")},
      {"submission without a session", 401, ask.form("/submissions", "", "x")},
      {"token for a session", 401, ask.form("/logout", "lanewise_session=" + token, "")},
      {"bearer where pages are", 401, ask.get("/instructor", {ask.bearer()})},
      {"login with a wrong token", 401, ask.form("/login", "", "token=0123")},
      {"login with two tokens", 401, ask.form("/login", "", "token=" + token + "&token=x")},
      {"instructor's page without login", 401, ask.get("/instructor")},
  };
}

std::vector<Refused> of_others(const RunningServer& server, const Requests& ask, const std::string& ticket) {
  const std::string cookie = server.log_in("s0");
  const auto page = [&](const std::string& path) { return ask.get(path, {"Cookie: " + cookie}); };
  return {
      {"another's ticket", 404, ask.api("/api/tickets/" + ticket)},
      {"another's verdict", 404, ask.api("/api/tickets/" + ticket + "/verdict")},
      {"another's report", 404, page("/tickets/" + ticket + "/report")},
      {"unknown ticket", 404, ask.api("/api/tickets/00000000000000000000000000000000")},
      {"SQL for a ticket", 404, ask.api("/api/tickets/'%20OR%20'1'='1")},
      {"report without login", 401, ask.get("/tickets/" + ticket + "/report")},
      {"instructor's page", 404, page("/instructor")},
      {"everybody's points", 404, page("/instructor/points.csv")},
      {"student pauses", 404, ask.form("/instructor/pause", cookie, "")},
      {"student resumes", 404, ask.form("/instructor/resume", cookie, "")},
      {"student regrades", 404, ask.form("/instructor/regrade", cookie, "ticket=" + ticket)},
  };
}

std::vector<Refused> paths(const Requests& ask) {
  return {
      {"path upwards", 400, ask.get("/../server.db")},
      {"path upwards from the board", 400, ask.get("/board/../server.db")},
      {"path upwards, encoded", 400, ask.get("/board/%2e%2e/server.db")},
      {"slash, encoded", 400, ask.get("/board/..%2fserver.db")},
      {"path upwards, encoded twice", 404, ask.get("/board/%252e%252e/server.db")},
      {"private part of the board", 404, ask.get("/board/private/entries.json")},
      {"hidden file", 400, ask.get("/board/.hidden.json")},
      {"absolute path", 400, ask.get("/board//etc/passwd")},
      {"link out of the board", 404, ask.get("/board/link.csv")},
      {"file of another kind", 404, ask.get("/board/server.db")},
      {"database", 404, ask.get("/server.db")},
      {"tokens", 404, ask.get("/tokens.csv")},
      {"backslashes", 400, ask.get("/board/..\\..\\server.db")},
      {"zero byte", 400, ask.get("/board/x%00.html")},
      {"no UTF-8", 400, ask.get("/board/%ff.html")},
      {"long address", 414, ask.get("/" + std::string(3000, 'a'))},
      {"address of another server", 400, ask.get("http://example.org/")},
      {"DELETE", 405, Requests::of("DELETE /", {ask.host()})},
      {"PUT", 405, Requests::of("PUT /board/x.html", {ask.host(), "Content-Length: 0"})},
      {"PATCH", 405, Requests::of("PATCH /", {ask.host(), "Content-Length: 0"})},
      {"OPTIONS", 405, Requests::of("OPTIONS /", {ask.host()})},
      {"TRACE", 405, Requests::of("TRACE /", {ask.host()})},
      {"unknown method", 400, Requests::of("BREW /", {ask.host()})},
      {"POST where one reads", 405, ask.form("/", "", "")},
      {"GET where one posts", 405, ask.api("/api/submissions")},
      {"no HTTP", 400, "\x16\x03\x01\x02\r\n\r\n"},
      {"no host", 400, Requests::of("GET /", {})},
      {"two hosts", 400, Requests::of("GET /", {ask.host(), ask.host()})},
      {"another host", 421, Requests::of("GET /", {"Host: example.org"})},
      {"another port", 421, Requests::of("GET /", {"Host: 127.0.0.1:1"})},
  };
}

std::vector<Refused> bodies(const Requests& ask) {
  const std::string key = "0123456789abcdef";
  const auto login_from = [&](const Headers& headers) { return ask.post("/login", headers, "token=x"); };
  const std::pair<std::string, std::string> lab{"lab", "vecadd"};
  const std::pair<std::string, std::string> source{"source", "int main() {}"};
  std::string cut = ask.upload({lab, source});
  cut.resize(cut.size() - 20);
  return {
      {"form of another site", 403, login_from({"Origin: http://example.org"})},
      {"form of no site", 403, login_from({})},
      {"form of a file", 403, login_from({"Origin: null"})},
      {"site with our name in front", 403, login_from({ask.origin() + ".example.org"})},
      {"program on another site's page", 403, ask.upload({lab, source}, {"Origin: http://example.org"})},
      {"chunks", 411, ask.announced({"Transfer-Encoding: chunked"})},
      {"no length", 411, ask.announced({})},
      {"two lengths", 400, ask.announced({"Content-Length: 1", "Content-Length: 2"})},
      {"length in words", 400, ask.announced({"Content-Length: many"})},
      {"negative length", 400, ask.announced({"Content-Length: -1"})},
      {"too large", 413, ask.announced({"Content-Length: 1000000"})},
      {"larger than numbers are", 413, ask.announced({"Content-Length: 99999999999999999999999"})},
      {"too large, and asks first", 413, ask.announced({"Content-Length: 1000000", "Expect: 100-continue"})},
      {"compressed", 415, ask.upload({lab, source}, {"Content-Encoding: gzip"})},
      {"GET with content", 400, ask.get("/", {"Content-Length: 5"})},
      {"ranges", 416, ask.get("/", {"Range: bytes=0-0,0-0,0-0"})},
      {"many headers", 431, ask.get("/", Headers(100, "X-A: b"))},
      {"no multipart", 415, ask.post("/api/submissions", {ask.bearer(), "Content-Type: application/json"}, "{}")},
      {"multipart without a boundary", 400,
       ask.post("/api/submissions", {ask.bearer(), "Content-Type: multipart/form-data"}, "x")},
      {"cut short", 400, cut},
      {"unknown field", 400, ask.upload({lab, source, {"student", "s1"}})},
      {"field given twice", 400, ask.upload({lab, source, source})},
      {"many fields", 400, ask.upload(std::vector<std::pair<std::string, std::string>>(60, lab))},
      {"zero byte in the source", 400, ask.upload({lab, {"source", std::string("int\0x", 5)}})},
      {"source that is no UTF-8", 400, ask.upload({lab, {"source", "// \xff\xfe"}})},
      {"answers that are no UTF-8", 400, ask.upload({lab, source, {"answers", "\xc3"}})},
      {"unknown lab", 400, ask.upload({{"lab", "vecsub"}, source})},
      {"lab upwards", 400, ask.upload({{"lab", "../vecadd"}, source})},
      {"no lab", 400, ask.upload({source})},
      {"no source", 400, ask.upload({lab})},
      {"empty source", 400, ask.upload({lab, {"source", ""}})},
      {"large source", 413, ask.upload({lab, {"source", std::string(kLargestUpload + 1, 'x')}})},
      {"short key", 400, ask.upload({lab, source, {"key", "1"}})},
      {"key with a quote", 400, ask.upload({lab, source, {"key", key + "'"}})},
  };
}

// The last line of the log.
nlohmann::json last_line(const RunningServer& server) {
  const auto log = read_file(server.folder() / "server.log", 1 << 20);
  return nlohmann::json::parse(log->substr(log->rfind('\n', log->size() - 2) + 1), nullptr, false);
}

TEST(ServerRefusals, EachHasItsStatusAndALineInTheLogAndLeavesNothing) {
  RunningServer server(3, "largest_upload_kb = 4\n", true);
  ASSERT_TRUE(server.start()) << server.trouble();
  for (const auto& [name, content] : {std::pair<fs::path, std::string>("index.html", "<p>board</p>"),
                                      {"server.db", "x"},
                                      {".hidden.json", "x"},
                                      {"private/entries.json", "x"}}) {
    fs::create_directories((server.folder() / "board" / name).parent_path());
    std::ofstream(server.folder() / "board" / name) << content;
  }
  fs::create_symlink(server.folder() / "tokens.csv", server.folder() / "board" / "link.csv");
  const auto board = server.client().Get("/board/");
  ASSERT_TRUE(board && board->body == "<p>board</p>") << "what the refusals are compared with";
  const auto other = server.submit("s1", "vecadd", "int x;");
  ASSERT_TRUE(other && other->status == 201);
  const std::string ticket = nlohmann::json::parse(other->body)["ticket"];

  const Requests ask(server);
  std::vector<Refused> all;
  for (const auto& part : {without_right(server, ask), of_others(server, ask, ticket), paths(ask), bodies(ask)})
    all.insert(all.end(), part.begin(), part.end());
  EXPECT_GE(all.size(), 60U);
  for (const Refused& refused : all) {
    const std::size_t before = server.log_lines();
    const std::string answer = answer_to(server.port(), refused.request);
    EXPECT_EQ(status_of(answer), refused.status) << refused.what << ": " << answer;
    EXPECT_NE(answer.find("nosniff"), std::string::npos) << refused.what;
    EXPECT_EQ(server.log_lines(), before + 1) << refused.what;
    const auto line = last_line(server);
    ASSERT_TRUE(line.is_object()) << refused.what;
    EXPECT_EQ(line["status"], refused.status) << refused.what;
    EXPECT_EQ(line["address"], "127.0.0.1") << refused.what;
    EXPECT_FALSE(line["detail"].get<std::string>().empty()) << refused.what;
  }
  EXPECT_TRUE(server.get("s0", "/api/history")["submissions"].empty());
  EXPECT_EQ(server.get("s1", "/api/history")["submissions"].size(), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(server.folder() / "submissions"), fs::directory_iterator()), 1);
}

TEST(ServerBehindAProxy, BelievesTheProxyAboutTheClientAndNobodyElse) {
  RunningServer server(1, "", true);
  const httplib::Headers headers{{"X-Forwarded-For", "192.0.2.2"}, {"X-Forwarded-For", "192.0.2.1, 203.0.113.9"}};
  ASSERT_TRUE(server.start()) << server.trouble();
  server.client().Get("/api/history", headers);
  EXPECT_EQ(last_line(server)["address"], "127.0.0.1");
  server.kill();
  ASSERT_TRUE(server.start({"--proxy", "127.0.0.1", "--host", "gpu.example.org"})) << server.trouble();
  server.client().Get("/api/history", headers);
  EXPECT_EQ(last_line(server)["address"], "203.0.113.9") << "what came before is the client's own claim";
  const auto login = server.client().Post(
      "/login", httplib::Headers{{"Host", "gpu.example.org"}, {"Origin", "https://gpu.example.org"}},
      httplib::Params{{"token", " " + server.token("s0") + "\r\n"}});
  ASSERT_TRUE(login && login->status == 303);
  EXPECT_NE(login->get_header_value("Set-Cookie").find("; Secure"), std::string::npos);
  EXPECT_FALSE(login->get_header_value("Strict-Transport-Security").empty());
}

// A server with short patience, in this process.
class ImpatientServer : public ::testing::Test {
 protected:
  void start(const ConnectionLimits& limits, const char* address = "127.0.0.1") {
    const auto note = [this](const std::string& from, int status, const std::string&) {
      const std::lock_guard<std::mutex> lock(mutex_);
      refused_.push_back(status);
      last_refused_ = from;
    };
    server_ = std::make_unique<GuardedServer>(limits, note);
    server_->set_keep_alive_max_count(1);
    server_->Get(
        "/", [](const httplib::Request&, httplib::Response& response) { response.set_content("ok", "text/plain"); });
    port_ = server_->bind_to_any_port(address);
    if (port_ <= 0) GTEST_SKIP() << "cannot listen on " << address;
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    while (!server_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  std::vector<int> refused() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return refused_;
  }
  static constexpr const char* kRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

  std::unique_ptr<GuardedServer> server_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<int> refused_;
  std::string last_refused_;  // its address
  int port_ = 0;
};

TEST_F(ImpatientServer, EndsConnectionsOnWhichARequestDribbles) {
  ConnectionLimits limits;
  limits.patience = std::chrono::milliseconds(300);
  start(limits);
  const Descriptor client = connect_to(port_);
  const auto begin = std::chrono::steady_clock::now();
  for (const char* c = "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; *c != '\0'; ++c) {
    if (send(client.get(), c, 1, MSG_NOSIGNAL) < 0 || !refused().empty()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // never silent for as long as the patience
  }
  EXPECT_EQ(status_of(answer_on(client)), 408);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_EQ(refused(), std::vector<int>{408});
  EXPECT_EQ(status_of(answer_to(port_, kRequest)), 200);
}

// Waits until so many connections have been refused.
bool has_come(const std::function<std::size_t()>& count, std::size_t expected) {
  for (int i = 0; i < 500 && count() < expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return count() == expected;
}

TEST_F(ImpatientServer, GivesOneAddressOnlySomeOfItsThreads) {
  ConnectionLimits limits;
  limits.threads = 4;
  limits.most_per_address = 2;
  start(limits);
  std::vector<Descriptor> silent;
  silent.reserve(5);
  for (int i = 0; i < 5; ++i) silent.push_back(connect_to(port_));
  ASSERT_TRUE(has_come([this] { return refused().size(); }, 3));
  for (const int status : refused()) EXPECT_EQ(status, 503) << "worth another try";
  silent.clear();
  for (int i = 0; i < 500 && status_of(answer_to(port_, kRequest)) != 200; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(status_of(answer_to(port_, kRequest)), 200) << "once they are gone";
}

TEST_F(ImpatientServer, KnowsClientsByTheSameAddressIfItListensOnAll) {
  ConnectionLimits limits;
  limits.most_per_address = 0;
  start(limits, "::");
  if (IsSkipped()) return;
  EXPECT_EQ(status_of(answer_to(port_, kRequest)), 503);
  const std::lock_guard<std::mutex> lock(mutex_);
  EXPECT_EQ(last_refused_, "127.0.0.1");
}

TEST_F(ImpatientServer, RefusesWhatFindsNoRoomToWait) {
  ConnectionLimits limits;
  limits.threads = 1;
  limits.most_waiting = 1;
  start(limits);
  std::vector<Descriptor> silent;
  silent.reserve(6);
  for (int i = 0; i < 6; ++i) silent.push_back(connect_to(port_));
  // One is served and one waits, or two wait for a thread that is late.
  for (int i = 0; i < 500 && refused().size() < 4; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::vector<int> statuses = refused();
  EXPECT_GE(statuses.size(), 4U);
  EXPECT_LE(statuses.size(), 5U);
  for (const int status : statuses) EXPECT_EQ(status, 503);
  std::size_t told = 0;
  for (const Descriptor& client : silent) {
    std::array<char, 64> begin{};
    if (recv(client.get(), begin.data(), begin.size() - 1, MSG_DONTWAIT) > 0 && status_of(begin.data()) == 503) ++told;
  }
  EXPECT_GE(told, statuses.size());
}

TEST_F(ImpatientServer, ReadsNoMoreThanARequestMayHave) {
  ConnectionLimits limits;
  limits.most_bytes = 10'000;
  start(limits);
  std::string flood = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) flood += "X-Header-" + std::to_string(i) + ": something or other\r\n";
  const std::string answer = answer_to(port_, flood + "\r\n");
  EXPECT_NE(status_of(answer), 200) << answer;
}

}  // namespace
}  // namespace lanewise::refusals_flow_test
