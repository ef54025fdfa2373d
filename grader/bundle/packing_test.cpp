// What was packed comes out again; what a stranger packed does no harm, and is told in one sentence.
#include "grader/bundle/packing.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "grader/bundle/sample_bundle_test.h"
#include "grader/class/class_fixture_test.h"
#include "harness/lab/read_file.h"

namespace lanewise::bundle_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Packing : public ::testing::Test {
 protected:
  fs::path zip() const { return scratch_.path() / "a.zip"; }

  Expected<Manifest> unpack() const {
    fs::remove_all(into());
    fs::create_directories(into());
    return unpack_bundle(zip(), into());
  }
  fs::path into() const { return scratch_.path() / "into"; }

  // The entries of a good bundle.
  std::vector<Packed> entries() const {
    const auto bytes = packed_bundle(sample_manifest(), sample_files());
    EXPECT_TRUE(bytes) << bytes.sentence();
    std::ofstream(zip(), std::ios::binary) << *bytes;
    const auto manifest = unpack();
    EXPECT_TRUE(manifest) << manifest.sentence();
    std::vector<Packed> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(into()))
      if (!entry.is_directory())
        all.push_back({entry.path().lexically_relative(into()).string(), content(entry.path())});
    return all;
  }
  static std::string content(const fs::path& file) {
    const auto text = read_file(file, 1 << 26);
    return text ? *text : text.sentence();
  }

  // Why these entries are no bundle, without the file's name; nothing must lie outside of where they were unpacked.
  std::string trouble(const std::vector<Packed>& all) const {
    pack(zip(), all);
    return trouble();
  }
  std::string trouble() const {
    const auto manifest = unpack();
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch_.path()), fs::directory_iterator()), 2);
    if (manifest) return "";
    const std::string prefix = zip().string() + ": ";
    EXPECT_EQ(manifest.sentence().rfind(prefix, 0), 0U) << manifest.sentence();
    EXPECT_EQ(manifest.sentence().find_first_of("\n\x1b"), std::string::npos);
    return manifest.sentence().substr(prefix.size());
  }
  std::string trouble_with_one_more(const Packed& more) const {
    std::vector<Packed> all = entries();
    all.push_back(more);
    return trouble(all);
  }
  static Packed& find(std::vector<Packed>& all, const std::string& name) {
    return *std::find_if(all.begin(), all.end(), [&](const Packed& each) { return each.name == name; });
  }

  ScratchFolder scratch_;
};

TEST_F(Packing, SameBundleIsTheSameBytesAndComesOutWhole) {
  const auto one = packed_bundle(sample_manifest(), sample_files());
  const auto other = packed_bundle(sample_manifest(), sample_files());
  ASSERT_TRUE(one && other);
  EXPECT_EQ(*one, *other);
  std::ofstream(zip(), std::ios::binary) << *one;
  const auto manifest = unpack();
  ASSERT_TRUE(manifest) << manifest.sentence();
  for (const auto& [path, text] : sample_files()) EXPECT_EQ(content(into() / path), text);
  EXPECT_NE(content(into() / "README.txt").find("lanewise reproduce"), std::string::npos);
  EXPECT_EQ(source_in(*manifest), "hand-in/scan.cu");
}

TEST_F(Packing, PackedByAnotherProgramItIsStillABundle) {
  std::vector<Packed> all = entries();
  std::reverse(all.begin(), all.end());
  all.push_back({"labs/", "", AE_IFDIR});
  all.push_back({"__MACOSX/._seed.toml", "of a file manager"});
  EXPECT_EQ(trouble(all), "");
}

TEST_F(Packing, NamesThatLeadElsewhereOrAreNoneOfOursAreRefused) {
  for (const char* const name : {"../evil", "/etc/evil", "labs/../../evil", "..\\evil", "c:\\evil"})
    EXPECT_EQ(trouble_with_one_more({name, "x"}).rfind("1 entry would be unpacked outside it", 0), 0U) << name;
  EXPECT_EQ(trouble_with_one_more({"a\nb", "x"}), "a bundle may not contain anything named 'a b'");
  EXPECT_EQ(trouble_with_one_more({"\x1b[2J", "x"}), "a bundle may not contain anything named '\\x1b[2J'");
  EXPECT_EQ(trouble_with_one_more({"-rf", "x"}), "a bundle may not contain anything named '-rf'");
  EXPECT_EQ(trouble_with_one_more({"a/b/c/d/e", "x"}), "a bundle may not contain anything named 'a/b/c/d/e'");
  EXPECT_EQ(trouble_with_one_more({"seed.toml", "seed = 8\n"}), "seed.toml is in it twice");
  EXPECT_EQ(trouble_with_one_more({"seed.toml/x", "x"}), "seed.toml/x is inside a file");
}

TEST_F(Packing, LinksAreRefused) {
  EXPECT_EQ(trouble_with_one_more({"labs/scan/x", "", AE_IFLNK, "/etc/passwd"}),
            "labs/scan/x is a link, or not a file at all, and bundles contain only files");
}

TEST_F(Packing, BombsAreRefused) {
  EXPECT_EQ(trouble_with_one_more({"labs/scan/x", std::string((16 << 20) + 1, 'x')}),
            "it unpacks to more than 16,777,216 bytes, the most that a bundle may hold");
  std::vector<Packed> many = entries();
  for (int i = 0; i < 200; ++i) many.push_back({std::to_string(i), "x"});
  EXPECT_EQ(trouble(many), "it contains more than 200 files and folders; nothing in it is accepted");
  std::map<std::string, std::string> files = sample_files();
  files["labs/scan/x"] = std::string(16 << 20, 'x');
  EXPECT_FALSE(packed_bundle(sample_manifest(), files)) << "what would not be taken is not made";
}

TEST_F(Packing, WhatWasChangedIsRefused) {
  std::vector<Packed> all = entries();
  find(all, "hand-in/scan.cu").content = "another source\n";
  EXPECT_EQ(trouble(all),
            fmt::format("hand-in/scan.cu is not as it was bundled: its SHA-256 is {}, and manifest.json has {}",
                        sha256_of("another source\n"), sha256_of("the source\n")));
  // With a hash to suit it is still not the work that was graded.
  Json json = Json::parse(find(all, "manifest.json").content);
  json["files"]["hand-in/scan.cu"] = sha256_of("another source\n");
  find(all, "manifest.json").content = json.dump();
  EXPECT_EQ(trouble(all), "its folder hand-in does not contain the work that manifest.json describes");

  all = entries();
  all.erase(all.begin() + (&find(all, "seed.toml") - all.data()));
  EXPECT_EQ(trouble(all), "seed.toml is missing from it");
  EXPECT_EQ(trouble_with_one_more({"labs/scan/scan.cuh", "x"}),
            "it contains labs/scan/scan.cuh, which manifest.json does not list");
}

TEST_F(Packing, WhatIsNoBundleIsRefused) {
  EXPECT_EQ(trouble({{"hand-in/scan.cu", "x"}}), "there is no manifest.json in it: it was not made by lanewise bundle");
  EXPECT_EQ(trouble({{"manifest.json", "{}"}}), "manifest.json: format is missing");
  entries();
  const std::string whole = content(zip());
  std::ofstream(zip(), std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(trouble(), "it is damaged, incomplete, or not a .zip, .tar or .tar.gz; ask for it again");
  fs::remove(zip());
  EXPECT_FALSE(unpack_bundle(zip(), into()));
}

}  // namespace
}  // namespace lanewise::bundle_test
