// Arrivals are spread at random over the time that is given, and do not wait for each other.
#include "grader/server/testing/load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

namespace lanewise {
namespace {

using Steady = std::chrono::steady_clock;

double milliseconds_since(Steady::time_point begin) {
  return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
}

// What the connections share.
struct Shared {
  std::atomic<int> next{0};
  std::vector<double> arrivals;  // seconds from the beginning
  std::vector<std::string> tickets;
  std::mutex mutex;
  LoadResult result;
};

void one_student(const RunningServer& server, const LoadOptions& options, int number, Shared& shared) {
  const std::string id = "s" + std::to_string(number);
  const auto begin = Steady::now();
  const auto answer = server.submit(id, options.lab, "// " + std::to_string(number) + "\nthis does not compile\n");
  const double took = milliseconds_since(begin);
  const bool is_accepted = answer && answer->status == 201;
  if (is_accepted) shared.tickets[static_cast<std::size_t>(number)] = nlohmann::json::parse(answer->body)["ticket"];
  int failed = is_accepted ? 0 : 1;
  std::vector<double> glances;
  for (int i = 0; is_accepted && i < options.glances; ++i) {
    const auto glance = Steady::now();
    if (server.get(id, "/api/tickets/" + shared.tickets[static_cast<std::size_t>(number)]).is_discarded()) ++failed;
    glances.push_back(milliseconds_since(glance));
  }
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.result.ticket_ms.push_back(took);
  shared.result.glance_ms.insert(shared.result.glance_ms.end(), glances.begin(), glances.end());
  shared.result.failed += failed;
}

}  // namespace

LoadResult load(const RunningServer& server, const LoadOptions& options) {
  Shared shared;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> moment(0, options.seconds);
  for (int i = 0; i < options.students; ++i) shared.arrivals.push_back(moment(random));
  std::sort(shared.arrivals.begin(), shared.arrivals.end());
  shared.tickets.resize(shared.arrivals.size());
  const auto begin = Steady::now();
  std::vector<std::thread> connections;
  connections.reserve(static_cast<std::size_t>(options.connections));
  for (int i = 0; i < options.connections; ++i)
    connections.emplace_back([&] {
      for (int number = 0; (number = shared.next++) < options.students;) {
        std::this_thread::sleep_until(begin + std::chrono::microseconds(static_cast<std::int64_t>(
                                                  1e6 * shared.arrivals[static_cast<std::size_t>(number)])));
        one_student(server, options, number, shared);
      }
    });
  for (std::thread& connection : connections) connection.join();
  for (int number = 0; number < options.students; ++number) {
    const auto history = server.get("s" + std::to_string(number), "/api/history");
    const std::string& ticket = shared.tickets[static_cast<std::size_t>(number)];
    int found = 0;
    if (!history.is_discarded())
      for (const auto& each : history["submissions"]) ++(each["ticket"] == ticket ? found : shared.result.extra);
    shared.result.lost += ticket.empty() || found == 1 ? 0 : 1;
  }
  std::sort(shared.result.ticket_ms.begin(), shared.result.ticket_ms.end());
  std::sort(shared.result.glance_ms.begin(), shared.result.glance_ms.end());
  return shared.result;
}

double percentile(const std::vector<double>& ascending, double share) {
  if (ascending.empty()) return 0;
  return ascending[static_cast<std::size_t>(share * static_cast<double>(ascending.size() - 1))];
}

}  // namespace lanewise
