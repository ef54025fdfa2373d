// The order in which data folders are searched, and what is said when nothing is found.
#include "datasets/data_path.h"

#include <gtest/gtest.h>

#include "datasets/environment_variable.h"
#include "datasets/image.h"
#include "datasets/matrix_market.h"
#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

TEST(DataPath, ShippedPicturesAreFound) {
  const auto found = find_data("chelsea.png");
  ASSERT_TRUE(std::holds_alternative<fs::path>(found)) << std::get<DataError>(found).sentence;
  EXPECT_TRUE(std::holds_alternative<Image>(read_image(std::get<fs::path>(found))));
}

TEST(DataPath, ShippedMatricesAreFound) {
  const auto found = find_data("olm1000.mtx");
  ASSERT_TRUE(std::holds_alternative<fs::path>(found)) << std::get<DataError>(found).sentence;
  EXPECT_TRUE(std::holds_alternative<Coordinates>(read_matrix_market(std::get<fs::path>(found))));
}

TEST(DataPath, TheFirstFolderThatHasTheFileWins) {
  const ScratchFolder first;
  const ScratchFolder second;
  const auto in_second = second.write("only_second", {1});
  first.write("both", {1});
  second.write("both", {2});
  const std::vector<fs::path> folders = {first.path(), second.path()};
  EXPECT_EQ(std::get<fs::path>(find_data("only_second", folders)), in_second);
  EXPECT_EQ(std::get<fs::path>(find_data("both", folders)), first.path() / "both");
}

TEST(DataPath, AFolderOfThatNameIsNotTheFile) {
  const ScratchFolder folder;
  fs::create_directory(folder.path() / "name");
  EXPECT_TRUE(std::holds_alternative<DataError>(find_data("name", {folder.path()})));
}

TEST(DataPath, TheSentenceNamesTheFileAndEveryFolder) {
  const auto result = find_data("no_such.png", {"/first", "/second/place"});
  const auto* error = std::get_if<DataError>(&result);
  ASSERT_NE(error, nullptr);
  for (const char* part : {"no_such.png", "/first", "/second/place", "LANEWISE_DATA"})
    EXPECT_NE(error->sentence.find(part), std::string::npos) << error->sentence;
}

TEST(DataPath, NamesThatLeaveTheFolderAreRefused) {
  const ScratchFolder folder;
  folder.write("file", {1});
  const auto inside = folder.path() / "inside";
  fs::create_directory(inside);
  for (const std::string name : {"../file", "/etc/hostname", "..", ".", ""})
    EXPECT_TRUE(std::holds_alternative<DataError>(find_data(name, {inside}))) << name;
}

TEST(DataPath, FoldersComeFromTheEnvironment) {
  const EnvironmentVariable shipped("LANEWISE_DATASETS", "/shipped");
  const EnvironmentVariable more("LANEWISE_DATA", "/one::/two:");
  EXPECT_EQ(data_folders(), (std::vector<fs::path>{"/shipped/images", "/shipped/matrices", "/one", "/two"}));
}

TEST(DataPath, WithoutOneTheDownloadsAreLookedThrough) {
  const EnvironmentVariable shipped("LANEWISE_DATASETS", "");
  const EnvironmentVariable more("LANEWISE_DATA", "");
  const EnvironmentVariable home("HOME", "/home/me");
  const fs::path folder = LANEWISE_DATASETS_FOLDER;
  {
    const EnvironmentVariable data_home("XDG_DATA_HOME", "");
    EXPECT_EQ(data_folders(),
              (std::vector<fs::path>{folder / "images", folder / "matrices", "/home/me/.local/share/lanewise"}));
  }
  const EnvironmentVariable data_home("XDG_DATA_HOME", "/my/data");
  EXPECT_EQ(data_folders(), (std::vector<fs::path>{folder / "images", folder / "matrices", "/my/data/lanewise"}));
}

TEST(DataPath, DownloadsGoToTheFirstFolderOfTheEnvironment) {
  const EnvironmentVariable more("LANEWISE_DATA", ":/one:/two");
  EXPECT_EQ(download_folder(), "/one");
}

TEST(DataPath, WithoutAHomeThereIsNoFolderForDownloads) {
  const EnvironmentVariable more("LANEWISE_DATA", "");
  const EnvironmentVariable data_home("XDG_DATA_HOME", "");
  const EnvironmentVariable home("HOME", "");
  EXPECT_EQ(download_folder(), "");
  EXPECT_EQ(data_folders().size(), 2u);
}

}  // namespace
}  // namespace lanewise
