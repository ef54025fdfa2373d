// A store in a folder of its own, for the tests that look at what is kept in one.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "grader/store/store.h"
#include "grader/workplace/temporary_folder.h"

namespace lanewise {

class StoreInAFolder : public ::testing::Test {
 protected:
  static inline const StoredKey kKey{"scan", "c0ffee", "terms"};

  StoreInAFolder() : folder_(std::move(*TemporaryFolder::create())) {}

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path file() const { return folder() / "grades.db"; }

  std::unique_ptr<Store> open() const {
    auto store = Store::open(folder());
    if (store) return std::move(*store);
    ADD_FAILURE() << store.sentence();
    return nullptr;
  }
  // Runs SQL as somebody with an sqlite3 shell would; what SQLite says against it, or nothing.
  std::string run_sql(const std::string& sql) const {
    try {
      SQLite::Database database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      database.exec(sql);
      return "";
    } catch (const SQLite::Exception& error) {
      return error.what();
    }
  }
  // A store with one ended run of one verdict and one score.
  void fill() const {
    const auto store = open();
    ASSERT_EQ(*store->begin_run("{}"), 1);
    ASSERT_FALSE(store->keep(1, kKey, {"{}", ""}));
    ASSERT_FALSE(store->finish_run(1, {score("ada")}));
  }
  static StoredScore score(const std::string& student) {
    return {student, kKey.lab, kKey.content, "ada/scan.cu", 1'800'000'000, 41.5, 75, true, "41.5 of 75"};
  }
  static std::string found(Store& store, const StoredKey& key) {
    const auto verdict = store.find(key);
    if (!verdict) return verdict.sentence();
    return *verdict ? (*verdict)->json + (*verdict)->trouble : "nothing";
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace lanewise
