// Names find those who are meant, and nobody else.
#include "grader/class/identity.h"

#include <gtest/gtest.h>

namespace lanewise::class_test {
namespace {

using Places = std::vector<std::size_t>;

Student student(const char* id, const char* name, const char* login, const char* number, const char* email) {
  Student result;
  result.id = id;
  result.name = name;
  result.login = login;
  result.number = number;
  result.email = email;
  return result;
}

const std::vector<Student> kMembers = {
    student("s1", "Doe, Jane Mary", "jdoe", "501", "jane.doe@uni.example"),
    student("s2", "\xc3\x89mile Zola", "ezola", "502", "emile@uni.example"),
    student("s3", "Sam Lee", "slee", "503", "sam@uni.example"),
    student("s4", "Lee Sam", "lees", "s1", "jdoe@elsewhere.example"),
};

TEST(Identity, ByWhateverIsKnown) {
  const Identities identities(kMembers);
  for (const char* text : {"s1", "S1", "jdoe", "JDoe", "501", "jane.doe", "Jane.Doe@uni.example"})
    EXPECT_EQ(identities.find(text), Places{0}) << text;
}

TEST(Identity, TheIdDecidesBeforeAnotherOnesNumber) {
  const Identities identities(kMembers);
  EXPECT_EQ(identities.find("s1"), Places{0});
  EXPECT_EQ(identities.find_number("s1"), Places{3});
}

TEST(Identity, NamesInAnyOrderAndCase) {
  const Identities identities(kMembers);
  for (const char* text :
       {"Jane Mary Doe", "doe jane mary", "Doe, Mary Jane", "doejanemary", "JaneMaryDoe", "jane_mary_doe"})
    EXPECT_EQ(identities.find(text), Places{0}) << text;
  EXPECT_EQ(identities.find("zola\xc3\xa9mile"), Places{1});  // the capital letter's small one
  EXPECT_TRUE(identities.find("Emile Zola").empty());         // another letter
  EXPECT_TRUE(identities.find("Jane").empty());
}

TEST(Identity, TwoWhoMayBeMeantAreBothNamed) {
  const Identities identities(kMembers);
  EXPECT_EQ(identities.find("sam lee"), (Places{2, 3}));
  EXPECT_EQ(identities.find("samlee"), (Places{2, 3}));
}

TEST(Identity, NothingMeansNobody) {
  const Identities identities(kMembers);
  for (const char* text : {"", " ", "...", "\xff\xfe"}) EXPECT_TRUE(identities.find(text).empty());
  EXPECT_TRUE(Identities({}).find("s1").empty());
}

}  // namespace
}  // namespace lanewise::class_test
