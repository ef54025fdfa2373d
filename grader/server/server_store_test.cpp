// The order of the queue, and what the store promises to those who send twice, too often, or a newer version.
#include "grader/server/server_store.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "grader/server/submission_files.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise::server_store_test {
namespace {

constexpr int kManyADay = 1000;

class ServerQueue : public ::testing::Test {
 protected:
  void SetUp() override { open(); }

  void open() {
    store_.reset();
    auto store = ServerStore::open(folder_->path());
    ASSERT_TRUE(store) << store.sentence();
    store_ = std::move(*store);
  }

  std::string add(const std::string& student, const std::string& lab, std::int64_t now = 100,
                  const std::string& key = "") {
    const std::string ticket = std::to_string(++count_);
    const auto receipt = store_->add({ticket, student, lab, key.empty() ? ticket : key, "c", now}, kManyADay);
    return receipt ? receipt->ticket : receipt.sentence();
  }

  std::string next() {
    const auto ticket = store_->take_next(100);
    if (!ticket || !*ticket) return "";
    return (*ticket)->sent.student + "/" + (*ticket)->sent.lab;
  }

  TicketState state_of(const std::string& ticket) { return (*store_->find(ticket))->state; }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  std::unique_ptr<ServerStore> store_;
  int count_ = 0;
};

TEST_F(ServerQueue, ServesEachStudentOnceBeforeAnyoneTwice) {
  for (const char* lab : {"l1", "l2", "l3"}) add("ada", lab);
  add("bob", "l1");
  add("cem", "l1");
  EXPECT_EQ(next(), "ada/l1");
  EXPECT_EQ(next(), "bob/l1");
  add("dan", "l1");  // came late, and is still before ada's second
  EXPECT_EQ(next(), "cem/l1");
  EXPECT_EQ(next(), "dan/l1");
  EXPECT_EQ(next(), "ada/l2");
  EXPECT_EQ(next(), "ada/l3");
  EXPECT_EQ(next(), "");
}

// A student's first waiting submission is overtaken at most once by what each other student sends later, whatever is
// sent in whatever order.
TEST_F(ServerQueue, NobodyIsOvertakenTwiceByTheSameStudent) {
  std::mt19937 random(7);
  std::map<std::string, std::map<int, std::map<std::string, int>>> waiting;  // student, ticket: overtaken by whom
  std::map<std::string, int> labs;
  int taken_in_all = 0;
  for (int step = 0; step < 400; ++step) {
    if (random() % 2 == 0) {
      const std::string student = "s" + std::to_string(random() % 5);
      waiting[student][std::stoi(add(student, "l" + std::to_string(labs[student]++)))];
      continue;
    }
    const auto taken = store_->take_next(100);
    ASSERT_TRUE(taken);
    if (!*taken) continue;
    ++taken_in_all;
    const auto& [student, number] = std::pair((*taken)->sent.student, std::stoi((*taken)->sent.ticket));
    EXPECT_EQ(waiting[student].begin()->first, number) << "each student's are graded in the order they were sent";
    waiting[student].erase(number);
    for (auto& [other, tickets] : waiting)
      if (other != student && !tickets.empty() && tickets.begin()->first < number) {
        EXPECT_LE(++tickets.begin()->second[student], 1) << tickets.begin()->first;
      }
  }
  EXPECT_GT(taken_in_all, 100);
}

TEST_F(ServerQueue, PlacesAreThePlacesInWhichTicketsAreTaken) {
  std::map<std::int64_t, std::string> by_place;
  for (const char* student : {"ada", "ada", "bob", "cem", "bob", "ada"}) {
    const std::string ticket = add(student, "lab" + std::to_string(count_));
    ASSERT_GT(*store_->place(ticket), 0);
  }
  for (int i = 1; i <= count_; ++i) by_place[*store_->place(std::to_string(i))] = std::to_string(i);
  ASSERT_EQ(by_place.size(), 6U);
  for (const auto& [place, ticket] : by_place) {
    const auto taken = store_->take_next(100);
    EXPECT_EQ((*taken)->sent.ticket, ticket) << place;
    EXPECT_EQ(*store_->place(ticket), 0);
  }
}

TEST_F(ServerQueue, TheNewestTakesThePlaceOfTheOneThatStillWaits) {
  const std::string old = add("ada", "scan");
  add("bob", "scan");
  const std::string fresh = add("ada", "scan");
  EXPECT_EQ(state_of(old), TicketState::kReplaced);
  EXPECT_EQ((*store_->find(old))->replaced_by, fresh);
  EXPECT_EQ(*store_->place(fresh), 1);
  EXPECT_EQ((*store_->take_next(100))->sent.ticket, fresh);
  add("ada", "scan");  // what is being graded is not replaced
  EXPECT_EQ(state_of(fresh), TicketState::kGrading);
}

TEST_F(ServerQueue, TheSameKeyIsTheSameSubmissionOfThatStudent) {
  const std::string first = add("ada", "scan", 100, "k");
  EXPECT_EQ(add("ada", "scan", 101, "k"), first);
  EXPECT_NE(add("bob", "scan", 102, "k"), first);
  EXPECT_EQ(state_of(first), TicketState::kWaiting) << "it does not replace itself";
}

TEST_F(ServerQueue, SoManyADayAndNotOneMore) {
  const auto send = [&](std::int64_t now, const std::string& lab = "scan") {
    const std::string ticket = std::to_string(++count_);
    return *store_->add({ticket, "ada", lab, ticket, "c", now}, 2);
  };
  EXPECT_FALSE(send(1000).ticket.empty());
  EXPECT_FALSE(send(2000).ticket.empty());
  const Receipt refused = send(3000);
  EXPECT_TRUE(refused.ticket.empty());
  EXPECT_EQ(refused.retry_after, 1000 + 86'400 - 3000);
  EXPECT_FALSE(send(3000, "sort").ticket.empty()) << "another lab has entries of its own";
  EXPECT_FALSE(send(3000 + refused.retry_after).ticket.empty());
}

TEST_F(ServerQueue, WhatWasBeingGradedWaitsAgainAfterTheEndOfTheServer) {
  const std::string ticket = add("ada", "scan");
  add("bob", "scan");
  ASSERT_EQ(next(), "ada/scan");
  open();
  EXPECT_EQ(*store_->requeue_unfinished(), 1);
  EXPECT_EQ(*store_->place(ticket), 1) << "at its old place";
}

TEST_F(ServerQueue, AVerdictStaysUntilThereIsANewOne) {
  const std::string ticket = add("ada", "scan");
  next();
  EXPECT_FALSE(*store_->regrade(ticket)) << "is not graded yet";
  ASSERT_FALSE(store_->finish(ticket, {"{}", "", "t", ticket, 41, 75, 0}, 200));
  EXPECT_EQ((*store_->known_outcome("scan", "c", "t"))->points, 41);
  EXPECT_FALSE(*store_->known_outcome("scan", "c", "other terms"));
  ASSERT_TRUE(*store_->regrade(ticket));
  add("ada", "scan");
  EXPECT_EQ(state_of(ticket), TicketState::kWaiting) << "a graded one is not replaced";
  next();
  ASSERT_FALSE(store_->finish(ticket, {"", "no disk", "", "", 0, 0, 0}, 300));
  const Ticket failed = **store_->find(ticket);
  EXPECT_EQ(failed.state, TicketState::kFailed);
  EXPECT_EQ(failed.outcome.trouble, "no disk");
  EXPECT_EQ(failed.outcome.points, 41);
  EXPECT_EQ(*store_->verdict(ticket), "{}");
}

TEST_F(ServerQueue, NothingIsTakenWhileItIsPaused) {
  add("ada", "scan");
  ASSERT_FALSE(store_->set_paused(true));
  open();
  EXPECT_TRUE(*store_->is_paused()) << "also after a restart";
  EXPECT_EQ(next(), "");
  ASSERT_FALSE(store_->set_paused(false));
  EXPECT_EQ(next(), "ada/scan");
}

TEST_F(ServerQueue, ARevokedTokenEndsItsSessions) {
  ASSERT_FALSE(store_->keep_token({"ada", false}, "digest"));
  ASSERT_FALSE(store_->begin_session("ada", "session", 500));
  EXPECT_EQ((*store_->person_with_token("digest"))->id, "ada");
  EXPECT_EQ((*store_->person_in_session("session", 499))->id, "ada");
  EXPECT_FALSE(*store_->person_in_session("session", 500)) << "has expired";
  EXPECT_TRUE(*store_->revoke_token("ada"));
  EXPECT_FALSE(*store_->person_with_token("digest"));
  EXPECT_FALSE(*store_->person_in_session("session", 499));
  EXPECT_FALSE(*store_->revoke_token("ada"));
}

TEST_F(ServerQueue, OnlyWhatInterruptedUploadsLeftIsRemoved) {
  const auto folder_of = [this](const char* name) { return folder_of_ticket(folder_->path(), name); };
  ASSERT_FALSE(remove_interrupted(folder_->path()));
  ASSERT_FALSE(keep_submission(folder_->path(), "aa", {{"x.cu", "x"}}));
  std::filesystem::create_directories(folder_of("my own") / "files");
  std::filesystem::create_directories(folder_of(".arriving-bb") / "files");
  ASSERT_FALSE(remove_interrupted(folder_->path()));
  EXPECT_TRUE(std::filesystem::exists(folder_of("aa") / "x.cu"));
  EXPECT_TRUE(std::filesystem::exists(folder_of("my own")));
  EXPECT_FALSE(std::filesystem::exists(folder_of(".arriving-bb")));
}

}  // namespace
}  // namespace lanewise::server_store_test
