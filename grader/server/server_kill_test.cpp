// What a ticket was given for is there after kill -9, once; and a crowd loses nothing either.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "grader/server/server_store.h"
#include "grader/server/submission_files.h"
#include "grader/server/testing/load.h"
#include "harness/lab/read_file.h"

namespace lanewise::server_kill_test {
namespace {

constexpr int kKills = 50, kPatience = 5;
constexpr int kClients = 4;

// Submits again and again, each time until there is a ticket: key to ticket.
std::map<std::string, std::string> submit_until(const std::atomic<bool>& is_over, std::atomic<int>& acknowledged,
                                                const RunningServer& server, const std::string& student) {
  std::map<std::string, std::string> tickets;
  for (int i = 0; !is_over; ++i) {
    const std::string key = student + "-0123456789abcdef-" + std::to_string(i);
    for (;;) {
      const auto answer = server.submit(student, i % 2 == 0 ? "vecadd" : "scan", "// " + key, key);
      if (answer && (answer->status == 201 || answer->status == 200)) {
        const auto json = nlohmann::json::parse(answer->body, nullptr, false);
        if (json.is_object()) {
          tickets[key] = json["ticket"];
          ++acknowledged;
          break;
        }
      }
      if (answer && answer->status / 100 == 4) {
        ADD_FAILURE() << answer->body;
        return tickets;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  return tickets;
}

TEST(KilledServer, LosesNothingThatWasAcknowledgedAndKeepsNothingTwice) {
  RunningServer server(kClients, "entries_a_day = 10000\n", true);
  ASSERT_TRUE(server.start()) << server.trouble();
  std::atomic<bool> is_over{false};
  std::atomic<int> acknowledged{0};
  std::vector<std::map<std::string, std::string>> tickets(kClients);
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < kClients; ++i)
    clients.emplace_back([&, i] { tickets[i] = submit_until(is_over, acknowledged, server, "s" + std::to_string(i)); });
  std::mt19937 random(std::random_device{}());
  for (int i = 0; i < kKills; ++i) {
    // Every fifth time, it waits for a new ticket first: a slow machine issues few in 60 ms.
    const int before = acknowledged;
    for (int waits = 0; i % kPatience == 0 && acknowledged == before && waits < 10'000; ++waits)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    server.kill();
    if (server.start()) continue;
    ADD_FAILURE() << "after " << i << " kills it does not start: " << server.trouble();
    std::_Exit(1);  // clients would wait for ever
  }
  is_over = true;
  for (std::thread& client : clients) client.join();

  std::size_t all = 0;
  for (std::size_t i = 0; i < kClients; ++i) {
    std::map<std::string, std::string> keys;  // by ticket
    for (const auto& [key, ticket] : tickets[i]) EXPECT_TRUE(keys.emplace(ticket, key).second) << ticket << " twice";
    all += keys.size();
    for (const auto& [ticket, key] : keys) {
      const auto answer = server.get("s" + std::to_string(i), "/api/tickets/" + ticket);
      ASSERT_FALSE(answer.is_discarded()) << ticket << " was acknowledged, and is lost";
      const auto source =
          read_file(folder_of_ticket(server.folder(), ticket) / (answer["lab"].get<std::string>() + ".cu"), 1 << 16);
      ASSERT_TRUE(source) << source.sentence();
      EXPECT_EQ(*source, "// " + key);
    }
  }
  const auto store = ServerStore::open(server.folder());
  EXPECT_EQ((*store)->all_tickets()->size(), all) << "as many as there are keys";
  EXPECT_EQ((*store)->queue(1000)->size(), 2U * kClients) << "the newest of each lab waits";
  EXPECT_GE(all, std::size_t{kKills / kPatience});
  RecordProperty("submissions", static_cast<int>(all));
}

TEST(CrowdedServer, LosesNothingAndCountsNothingTwiceWhileItGrades) {
  LoadOptions options;
  options.students = 60;
  options.seconds = 2;
  RunningServer server(options.students, "", false);
  ASSERT_TRUE(server.start({"--proxy", "127.0.0.1"})) << server.trouble();
  const LoadResult result = load(server, options);
  EXPECT_EQ(result.ticket_ms.size(), 60U);
  EXPECT_EQ(result.failed, 0);
  EXPECT_EQ(result.lost, 0);
  EXPECT_EQ(result.extra, 0);
}

}  // namespace
}  // namespace lanewise::server_kill_test
