// A file of secrets: what it must hold, and that a mistake in it is told before anybody is graded.
#include "grader/grading/secrets.h"

#include <gtest/gtest.h>

#include <fstream>

#include "grader/workplace/temporary_folder.h"
#include "harness/declared/known_labs.h"
#include "harness/lab/lab.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

class SecretsTest : public ::testing::Test {
 protected:
  SecretsTest() {
    Installation installation;
    installation.labs = LANEWISE_LABS_FOLDER;
    const auto read = known_labs(installation, {}, Oracles::kLater);
    EXPECT_TRUE(read) << read.sentence();
    if (read) selections_ = *read;
  }

  Expected<Secrets> read(const std::string& text) {
    std::ofstream(file()) << text;
    return read_secrets(file(), selections_);
  }
  // Without the path of the file.
  std::string sentence(const std::string& text) {
    const auto secrets = read(text);
    if (secrets) return "";
    const std::string prefix = file().string() + ":";
    EXPECT_EQ(secrets.sentence().rfind(prefix, 0), 0U) << secrets.sentence();
    return secrets.sentence().substr(std::min(prefix.size(), secrets.sentence().size()));
  }
  fs::path file() const { return folder_->path() / "secret.toml"; }

  Expected<TemporaryFolder> folder_ = TemporaryFolder::create();
  std::vector<LabSelection> selections_;
};

std::string a_case(const std::string& replaced = "", const std::string& by = "") {
  std::string text =
      "[[case]]\nlab = \"scan\"\ntask = \"inclusive_scan\"\nname = \"a hidden prime\"\n"
      "make = { kind = \"uniform\", n = 3079, low = 0, high = 3 }\npoints = 4\nwhy = \"no block divides it\"\n";
  if (const std::size_t at = text.find(replaced); !replaced.empty() && at != std::string::npos)
    text.replace(at, replaced.size(), by);
  return text;
}

TEST_F(SecretsTest, SeedAloneIsEnough) {
  const auto secrets = read("seed = 9223372036854775807\n");
  ASSERT_TRUE(secrets) << secrets.sentence();
  EXPECT_EQ(secrets->seed, 9223372036854775807U);
  EXPECT_TRUE(secrets->cases.empty());
}

TEST_F(SecretsTest, HiddenCasesComeAfterTheLabsOwnInTheGroupGrade) {
  const auto secrets = read("seed = 7\n" + a_case());
  ASSERT_TRUE(secrets) << secrets.sentence();
  std::vector<LabSelection> labs = selections_;
  add_hidden_cases(*secrets, labs);
  std::size_t added = 0;
  for (std::size_t i = 0; i < labs.size(); ++i)
    for (std::size_t t = 0; t < labs[i].file.tasks.size(); ++t) {
      const auto& cases = labs[i].file.tasks[t].cases;
      added += cases.size() - selections_[i].file.tasks[t].cases.size();
      if (labs[i].file.tasks[t].name != "inclusive_scan") continue;
      EXPECT_EQ(cases.back().name, "a hidden prime");
      EXPECT_EQ(cases.back().group, "grade");
      EXPECT_EQ(cases.back().points, 4);
      EXPECT_EQ(cases.back().make.integer("n"), 3079);
    }
  EXPECT_EQ(added, 1U);
}

TEST_F(SecretsTest, MistakesAreToldWithTheirLine) {
  const std::string seed = "seed = 1\n";
  EXPECT_EQ(sentence(a_case()), "1: the key 'seed' must be a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(sentence("seed = -1\n"), "1: the key 'seed' must be a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(sentence(seed + a_case("\"scan\"", "\"scam\"")), "3: there is no lab 'scam'");
  EXPECT_EQ(sentence(seed + a_case("inclusive", "exclusive")), "4: the lab scan has no task 'exclusive_scan'");
  EXPECT_EQ(sentence(seed + a_case() + a_case()),
            "12: the task inclusive_scan already has a case named 'a hidden prime'");
  EXPECT_EQ(sentence(seed + a_case("points = 4\n", "")), "2: the key 'points' is missing");
  EXPECT_EQ(sentence(seed + a_case("\"uniform\"", "\"unicorn\""))
                .rfind("6: the case 'a hidden prime' cannot be generated: ", 0),
            0U);
  EXPECT_EQ(sentence(seed + a_case("n = 3079, ", "")).rfind("6: the case 'a hidden prime' cannot be generated: ", 0),
            0U);
  EXPECT_NE(sentence(seed + "cases = 1\n"), "") << "a misspelt key";
}

TEST_F(SecretsTest, SecretsOfOneLabAreTheSeedAndItsCasesAlone) {
  const std::string other = a_case("\"scan\"", "\"vecadd\"");
  std::ofstream(file()) << "seed = 7 # not to be told\n" + a_case() + other;
  const auto of_scan = secrets_of_lab(file(), "scan");
  ASSERT_TRUE(of_scan) << of_scan.sentence();
  EXPECT_EQ(of_scan->find("vecadd"), std::string::npos);
  const auto secrets = read(*of_scan);
  ASSERT_TRUE(secrets) << secrets.sentence();
  EXPECT_EQ(secrets->seed, 7U);
  ASSERT_EQ(secrets->cases.size(), 1U);
  const CaseFile& hidden = secrets->cases.begin()->second.at(0);
  EXPECT_EQ(hidden.name, "a hidden prime");
  EXPECT_EQ(hidden.make.integer("n"), 3079);
  std::ofstream(file()) << "seed = 7\n" + other;
  EXPECT_EQ(*secrets_of_lab(file(), "scan"), "seed = 7\n");
  EXPECT_FALSE(secrets_of_lab("/nowhere/secret.toml", "scan"));
}

TEST_F(SecretsTest, FileThatIsNotThereIsNamed) {
  const auto secrets = read_secrets("/nowhere/secret.toml", selections_);
  ASSERT_FALSE(secrets);
  EXPECT_NE(secrets.sentence().find("/nowhere/secret.toml"), std::string::npos);
}

}  // namespace
}  // namespace lanewise
