// The catalogue against the files: nothing missing, nothing extra, nothing changed.
#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

namespace lanewise {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = LANEWISE_DATASETS_FOLDER;

// What coreutils' sha256sum says, so that the test needs no cryptography of its own.
std::string sha256(const fs::path& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      popen(("sha256sum -b '" + file.string() + "'").c_str(), "r"), &pclose);
  std::array<char, 65> digest{};
  if (!pipe || std::fread(digest.data(), 1, 64, pipe.get()) != 64) return "sha256sum could not be run";
  return digest.data();
}

toml::table catalogue() { return toml::parse_file((kFolder / "catalogue.toml").string()); }

TEST(Catalogue, EveryEntryIsComplete) {
  const auto table = catalogue();
  const auto* files = table["file"].as_array();
  ASSERT_NE(files, nullptr);
  for (const auto& entry : *files)
    for (const char* key : {"name", "path", "what", "source", "licence", "sha256"})
      EXPECT_FALSE((*entry.as_table())[key].value_or(std::string{}).empty()) << key;
}

TEST(Catalogue, SizesAndDigestsAreThoseOfTheFiles) {
  const auto table = catalogue();
  for (const auto& entry : *table["file"].as_array()) {
    const auto& file = *entry.as_table();
    const fs::path path = kFolder / file["path"].value_or(std::string{});
    ASSERT_TRUE(fs::is_regular_file(path)) << path;
    EXPECT_EQ(path.filename().string(), file["name"].value_or(std::string{}));
    EXPECT_EQ(static_cast<std::int64_t>(fs::file_size(path)), file["bytes"].value_or(std::int64_t{-1})) << path;
    EXPECT_EQ(sha256(path), file["sha256"].value_or(std::string{})) << path;
  }
}

TEST(Catalogue, EveryShippedFileIsListed) {
  const auto table = catalogue();
  std::set<std::string> listed;
  for (const auto& entry : *table["file"].as_array())
    listed.insert((*entry.as_table())["path"].value_or(std::string{}));
  for (const char* folder : {"images", "matrices"})
    for (const auto& entry : fs::recursive_directory_iterator(kFolder / folder))
      if (entry.is_regular_file()) {
        EXPECT_EQ(listed.count(fs::relative(entry.path(), kFolder).string()), 1u) << entry.path();
      }
}

}  // namespace
}  // namespace lanewise
