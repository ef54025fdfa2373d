// What each kind of keys is meant to be, and that none has changed.
#include "datasets/key_generators.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "datasets/environment_variable.h"
#include "datasets/fingerprint.h"

namespace lanewise {
namespace {

using Keys = std::vector<std::uint32_t>;

struct Kind {
  const char* name;
  std::function<void(std::uint32_t*, std::int64_t)> fill;
  std::uint64_t print;  // of 200,001 keys, when this test was written
};

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kAll = {
      {"uniform", [](std::uint32_t* keys, std::int64_t n) { fill_entropy_keys(keys, n, 1, 1); }, 0x10be074a1b7f907},
      {"of three words", [](std::uint32_t* keys, std::int64_t n) { fill_entropy_keys(keys, n, 3, 1); },
       0x360991c925eba311},
      {"zero", [](std::uint32_t* keys, std::int64_t n) { fill_entropy_keys(keys, n, 0, 1); }, 0x7beaa6004e2922df},
      {"sorted", [](std::uint32_t* keys, std::int64_t n) { fill_sorted_keys(keys, n, 2); }, 0x3c567f4fac48d505},
      {"reversed", [](std::uint32_t* keys, std::int64_t n) { fill_reversed_keys(keys, n, 3); }, 0xd4fbe484f328ca24},
      {"equal", [](std::uint32_t* keys, std::int64_t n) { fill_equal_keys(keys, n, 4); }, 0xcb4866bda5b458b8},
      {"few", [](std::uint32_t* keys, std::int64_t n) { fill_few_keys(keys, n, 10, 5); }, 0x8f9db9c8232994d4},
      {"zipf", [](std::uint32_t* keys, std::int64_t n) { fill_zipf_keys(keys, n, 6); }, 0xa996806520c739a7},
      {"nearly sorted", [](std::uint32_t* keys, std::int64_t n) { fill_nearly_sorted_keys(keys, n, 7); },
       0xc6b3ac24709b75c1},
  };
  return kAll;
}

Keys made(const Kind& kind, std::int64_t n) {
  Keys keys(static_cast<std::size_t>(n), 0xDEADBEEF);
  kind.fill(keys.data(), n);
  return keys;
}

std::uint64_t fingerprint(const Keys& keys) {
  Fingerprint print;
  print.add(keys);
  return print.value();
}

Keys filled(std::int64_t n, const std::function<void(std::uint32_t*, std::int64_t)>& fill) {
  return made({"", fill, 0}, n);
}

TEST(KeyGenerators, GiveWhatTheyAlwaysGave) {
  for (const Kind& kind : all_kinds()) {
    const std::uint64_t print = fingerprint(made(kind, 200'001));
    EXPECT_EQ(print, kind.print) << kind.name << ", 0x" << std::hex << print;
  }
}

TEST(KeyGenerators, GiveTheSameForEveryNumberOfThreads) {
  for (const char* threads : {"1", "2", "5"}) {
    const EnvironmentVariable several("LANEWISE_THREADS", threads);
    for (const Kind& kind : all_kinds())
      EXPECT_EQ(fingerprint(made(kind, 200'001)), kind.print) << kind.name << ' ' << threads;
  }
}

TEST(KeyGenerators, WriteNothingWhenThereIsNothing) {
  for (const Kind& kind : all_kinds()) {
    std::uint32_t key = 7;
    kind.fill(&key, 0);
    EXPECT_EQ(key, 7u) << kind.name;
  }
}

TEST(KeyGenerators, UseTheWholeRange) {
  for (const Kind& kind : all_kinds()) {
    const std::string name = kind.name;
    if (name == "zero" || name == "equal") continue;
    const Keys keys = made(kind, 200'001);
    EXPECT_LT(*std::min_element(keys.begin(), keys.end()), 1U << 29) << name;
    EXPECT_GT(*std::max_element(keys.begin(), keys.end()), 7U << 29) << name;
  }
}

TEST(EntropyKeys, HaveHalfOfTheOnesForEveryFurtherWord) {
  for (int words = 1; words <= 5; ++words) {
    const Keys keys =
        filled(100'000, [words](std::uint32_t* to, std::int64_t n) { fill_entropy_keys(to, n, words, 1); });
    double ones = 0;
    for (const std::uint32_t key : keys) ones += __builtin_popcount(key);
    EXPECT_NEAR(ones / 3.2e6, 1.0 / (1 << words), 0.002) << words;
  }
}

TEST(SortedKeys, AscendAndReversedOnesDescend) {
  for (const std::int64_t n : {1, 2, 3, 1000, 100'003}) {
    const Keys up = filled(n, [](std::uint32_t* to, std::int64_t count) { fill_sorted_keys(to, count, 1); });
    EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
    const Keys down = filled(n, [](std::uint32_t* to, std::int64_t count) { fill_reversed_keys(to, count, 1); });
    EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend()));
  }
}

TEST(EqualKeys, AreEqualAndDependOnTheSeed) {
  std::set<std::uint32_t> keys;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Keys same = filled(1000, [seed](std::uint32_t* to, std::int64_t n) { fill_equal_keys(to, n, seed); });
    EXPECT_EQ(std::set<std::uint32_t>(same.begin(), same.end()).size(), 1u);
    keys.insert(same[0]);
  }
  EXPECT_EQ(keys.size(), 4u);
}

TEST(FewKeys, AreSoManyAndAllAlike) {
  for (const std::int64_t different : {1, 2, 10, 256}) {
    const Keys keys =
        filled(100'000, [different](std::uint32_t* to, std::int64_t n) { fill_few_keys(to, n, different, 1); });
    std::map<std::uint32_t, int> counts;
    for (const std::uint32_t key : keys) ++counts[key];
    EXPECT_EQ(static_cast<std::int64_t>(counts.size()), different);
    const double mean = 100'000.0 / static_cast<double>(different);
    for (const auto& [key, count] : counts) EXPECT_NEAR(count, mean, mean / 3) << key;
  }
  const Keys any =
      filled(1000, [](std::uint32_t* to, std::int64_t n) { fill_few_keys(to, n, std::int64_t{1} << 32, 1); });
  EXPECT_EQ(std::set<std::uint32_t>(any.begin(), any.end()).size(), 1000u);
}

TEST(ZipfKeys, HaveARankForEveryCount) {
  const Keys keys = filled(1'000'000, [](std::uint32_t* to, std::int64_t n) { fill_zipf_keys(to, n, 1); });
  std::map<std::uint32_t, int> counts;
  for (const std::uint32_t key : keys) ++counts[key];
  std::vector<int> ranked;
  ranked.reserve(counts.size());
  for (const auto& [key, count] : counts) ranked.push_back(count);
  std::sort(ranked.rbegin(), ranked.rend());
  EXPECT_LE(ranked.size(), 65536u);
  EXPECT_GT(ranked.size(), 40'000u);
  EXPECT_NEAR(ranked[0], 1e6 / 11.6676, 1500);
  EXPECT_NEAR(ranked[1], 1e6 / 11.6676 / 2, 1000);
  EXPECT_NEAR(ranked[99], 1e6 / 11.6676 / 100, 100);
}

TEST(NearlySortedKeys, AreSortedButForAFew) {
  const Keys keys = filled(100'000, [](std::uint32_t* to, std::int64_t n) { fill_nearly_sorted_keys(to, n, 1); });
  int falling = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) falling += keys[i] < keys[i - 1] ? 1 : 0;
  EXPECT_NEAR(falling, 100'000 / 128.0, 150);  // each stray key makes one fall, before it or after it
}

}  // namespace
}  // namespace lanewise
