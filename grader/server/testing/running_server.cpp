// Its output is read up to the line with its address.
#include "grader/server/testing/running_server.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "grader/server/server_store.h"
#include "grader/server/tokens.h"
#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

constexpr std::chrono::seconds kStartsWithin(30);
constexpr std::chrono::minutes kSettlesWithin(1);

}  // namespace

RunningServer::RunningServer(int students, const std::string& terms, bool is_paused) {
  std::ofstream(folder() / "course.toml") << "title = \"<b>Tests</b>\"\n[server]\n" << terms;
  std::ofstream roster(folder() / "roster.csv");
  roster << "id,name\n";
  std::vector<Student> all(static_cast<std::size_t>(students));
  for (int i = 0; i < students; ++i) {
    all[static_cast<std::size_t>(i)].id = "s" + std::to_string(i);
    roster << "s" << i << ",<i>Student</i> " << i << "\n";
  }
  const auto store = ServerStore::open(folder());
  if (!store || !make_tokens(**store, all, folder() / "tokens.csv") || (*store)->set_paused(is_paused)) {
    trouble_ = "no tokens could be made";
    return;
  }
  std::ifstream lines(folder() / "tokens.csv");
  for (std::string line; std::getline(lines, line);)
    tokens_[line.substr(0, line.find(','))] = line.substr(line.rfind(',') + 1, 32);
}

bool RunningServer::start(const std::vector<std::string>& more) {
  ProcessOptions options;
  options.command = {LANEWISE_EXECUTABLE,  "serve", folder().string(), "--backend", "vgpu", "--port",
                     std::to_string(port_)};
  options.command.insert(options.command.end(), more.begin(), more.end());
  if (std::find(more.begin(), more.end(), "--jobs") == more.end())
    options.command.insert(options.command.end(), {"--jobs", "1"});
  options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  auto process = Process::start(options);
  if (!process) {
    trouble_ = process.sentence();
    return false;
  }
  process_.emplace(std::move(*process));
  CapturedOutput output(1 << 16);
  const auto deadline = std::chrono::steady_clock::now() + kStartsWithin;
  while (std::chrono::steady_clock::now() < deadline) {
    pollfd readable{process_->output(), POLLIN, 0};
    poll(&readable, 1, milliseconds_until(deadline));
    const bool goes_on = output.read_from(process_->output());
    const std::string& text = output.text();
    if (const std::size_t at = text.find("127.0.0.1:"); at != std::string::npos && text.find('\n', at) != text.npos) {
      port_ = std::atoi(text.c_str() + at + 10);
      return true;
    }
    if (!goes_on) break;
  }
  trouble_ = output.text();
  kill();
  return false;
}

httplib::Client RunningServer::client() const {
  httplib::Client client("127.0.0.1", port_);
  client.set_read_timeout(30);
  return client;
}

httplib::Result RunningServer::submit(const std::string& id, const std::string& lab, const std::string& source,
                                      const std::string& key, const std::string& answers) const {
  httplib::MultipartFormDataItems fields{{"lab", lab, "", ""}, {"source", source, "x.cu", "text/plain"}};
  if (!key.empty()) fields.push_back({"key", key, "", ""});
  if (!answers.empty()) fields.push_back({"answers", answers, "answers.toml", "text/plain"});
  return client().Post("/api/submissions", headers(id), fields);
}

nlohmann::json RunningServer::get(const std::string& id, const std::string& path) const {
  const auto answer = client().Get(path, headers(id));
  return nlohmann::json::parse(answer && answer->status == 200 ? answer->body : "", nullptr, false);
}

nlohmann::json RunningServer::settled(const std::string& id, const std::string& ticket) const {
  const auto deadline = std::chrono::steady_clock::now() + kSettlesWithin;
  for (;;) {
    nlohmann::json answer = get(id, "/api/tickets/" + ticket);
    if (answer.is_discarded() || std::chrono::steady_clock::now() > deadline) return answer;
    if (answer["state"] != "waiting" && answer["state"] != "grading") return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

std::string RunningServer::log_in(const std::string& id) const {
  const auto answer =
      client().Post("/login", httplib::Headers{{"Origin", url()}}, httplib::Params{{"token", token(id)}});
  if (!answer || answer->status != 303) return "";
  const std::string cookie = answer->get_header_value("Set-Cookie");
  return cookie.substr(0, cookie.find(';'));
}

int RunningServer::post(const std::string& cookie, const std::string& path, const httplib::Params& fields) const {
  const auto answer = client().Post(path, httplib::Headers{{"Origin", url()}, {"Cookie", cookie}}, fields);
  return answer ? answer->status : 0;
}

std::size_t RunningServer::log_lines() const {
  const auto log = read_file(folder() / "server.log", 64 << 20);
  return log ? static_cast<std::size_t>(std::count(log->begin(), log->end(), '\n')) : 0;
}

std::string right_vecadd(int mark) {
  return "#include \"vecadd.cuh\"\n// " + std::to_string(mark) +
         "\n"
         "__global__ void add(const float* a, const float* b, float* c, std::size_t n) {\n"
         "  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;\n"
         "  if (i < n) c[i] = a[i] + b[i];\n}\n"
         "void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {\n"
         "  if (n > 0) add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);\n}\n";
}

}  // namespace lanewise
