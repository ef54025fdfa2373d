// Pictures read from real files, and every way in which a file can fail to be a picture.
#include "datasets/image.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "datasets/random.h"
#include "datasets/scratch_folder.h"

namespace lanewise {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::filesystem::path shipped(const std::string& name) {
  return std::filesystem::path(LANEWISE_DATASETS_FOLDER) / "images" / name;
}

Bytes contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Image read(const std::filesystem::path& file, int channels = 0) {
  auto result = read_image(file, channels);
  if (const auto* error = std::get_if<DataError>(&result)) {
    ADD_FAILURE() << error->sentence;
    return {};
  }
  return std::get<Image>(std::move(result));
}

std::string sentence(const std::variant<Image, DataError>& result) {
  const auto* error = std::get_if<DataError>(&result);
  if (error == nullptr) ADD_FAILURE() << "a picture came out where an error was expected";
  return error == nullptr ? "" : error->sentence;
}

Image noise(int width, int height, int channels) {
  Image image{width, height, channels, Bytes(static_cast<std::size_t>(width * height * channels))};
  Random random(7);
  for (auto& sample : image.pixels) sample = static_cast<std::uint8_t>(random.below(256));
  return image;
}

// A PNG's first 33 bytes, with a header that claims `width` x `height` grey pixels. Checksums are left at 0.
Bytes png_header(std::uint32_t width, std::uint32_t height) {
  Bytes bytes = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R'};
  for (const std::uint32_t extent : {width, height})
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
  bytes.insert(bytes.end(), {8, 0, 0, 0, 0, 0, 0, 0, 0});
  return bytes;
}

TEST(ReadImage, ReadsAPng) {
  const Image cat = read(shipped("chelsea.png"));
  EXPECT_EQ(cat.width, 451);
  EXPECT_EQ(cat.height, 300);
  EXPECT_EQ(cat.channels, 3);
  EXPECT_EQ(cat.pixels.size(), 451u * 300u * 3u);
}

TEST(ReadImage, ReadsAJpeg) {
  const Image rocket = read(shipped("rocket.jpg"));
  EXPECT_EQ(rocket.width, 640);
  EXPECT_EQ(rocket.height, 427);
  EXPECT_EQ(rocket.channels, 3);
}

TEST(ReadImage, TellsTheKindFromTheBytesNotTheName) {
  const ScratchFolder folder;
  const auto file = folder.write("photo.jpg", contents(shipped("chelsea.png")));
  EXPECT_EQ(read(file).pixels, read(shipped("chelsea.png")).pixels);
}

TEST(ReadImage, GreyFromColourFollowsTheRule) {
  const ScratchFolder folder;
  const Image colour{2, 1, 3, {255, 0, 0, 10, 20, 30}};
  ASSERT_FALSE(write_image(folder.path() / "two.png", colour));
  // 0.21 * 255 = 53.55; 2.1 + 14.4 + 2.1 = 18.6
  EXPECT_EQ(read(folder.path() / "two.png", 1).pixels, (Bytes{54, 19}));
}

TEST(ReadImage, ColourAndAlphaFromGreyRepeatIt) {
  const ScratchFolder folder;
  ASSERT_FALSE(write_image(folder.path() / "grey.png", Image{2, 1, 1, {7, 9}}));
  EXPECT_EQ(read(folder.path() / "grey.png", 3).pixels, (Bytes{7, 7, 7, 9, 9, 9}));
  EXPECT_EQ(read(folder.path() / "grey.png", 4).pixels, (Bytes{7, 7, 7, 255, 9, 9, 9, 255}));
}

TEST(ReadImage, AlphaIsKeptOrDropped) {
  const ScratchFolder folder;
  ASSERT_FALSE(write_image(folder.path() / "rgba.png", Image{1, 1, 4, {1, 2, 3, 4}}));
  EXPECT_EQ(read(folder.path() / "rgba.png", 4).pixels, (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(read(folder.path() / "rgba.png", 3).pixels, (Bytes{1, 2, 3}));
  ASSERT_FALSE(write_image(folder.path() / "grey_alpha.png", Image{1, 1, 2, {5, 6}}));
  EXPECT_EQ(read(folder.path() / "grey_alpha.png", 4).pixels, (Bytes{5, 5, 5, 6}));
}

TEST(ReadImage, AMissingFileIsNamed) {
  EXPECT_EQ(sentence(read_image("/nowhere/cat.png")), "'/nowhere/cat.png' does not exist");
}

TEST(ReadImage, AFolderIsNotAPicture) {
  const ScratchFolder folder;
  EXPECT_NE(sentence(read_image(folder.path())).find("is a folder"), std::string::npos);
}

TEST(ReadImage, ADeviceIsNotReadFor) {  // reading /dev/zero would never end
  EXPECT_NE(sentence(read_image("/dev/zero")).find("is not a readable file"), std::string::npos);
}

TEST(ReadImage, AnEmptyFileIsSaidToBeEmpty) {
  const ScratchFolder folder;
  EXPECT_NE(sentence(read_image(folder.write("empty.png", {}))).find("is empty"), std::string::npos);
}

TEST(ReadImage, TextIsNotAPicture) {
  const ScratchFolder folder;
  const std::string text = "This is not a picture, whatever its name says.\n";
  EXPECT_NE(sentence(read_image(folder.write("text.png", Bytes(text.begin(), text.end())))).find("is not a picture"),
            std::string::npos);
}

TEST(ReadImage, AHeaderThatClaimsTooMuchIsRefused) {
  const ScratchFolder folder;
  EXPECT_NE(sentence(read_image(folder.write("large.png", png_header(20'000, 20'000)))).find("pixels"),
            std::string::npos);
  EXPECT_FALSE(sentence(read_image(folder.write("huge.png", png_header(0xFFFFFFFF, 0xFFFFFFFF)))).empty());
  EXPECT_FALSE(sentence(read_image(folder.write("flat.png", png_header(0, 5)))).empty());
}

TEST(ReadImage, UnknownChannelCountsAreRefused) {
  EXPECT_NE(sentence(read_image(shipped("chelsea.png"), 2)).find("2 channels"), std::string::npos);
  EXPECT_FALSE(sentence(read_image(shipped("chelsea.png"), -1)).empty());
}

// The last bytes of a file may be missing without any pixel missing; otherwise a cut must be noticed.
TEST(ReadImage, AFileCutShortIsAnErrorOrTheWholePicture) {
  const ScratchFolder folder;
  for (const std::string name : {"chelsea.png", "rocket.jpg"}) {
    const Bytes whole = contents(shipped(name));
    const Bytes pixels = read(shipped(name)).pixels;
    std::vector<std::size_t> lengths;
    for (std::size_t n = 1; n < 64; ++n) lengths.push_back(n);                                // inside the header
    for (std::size_t n = 64; n < whole.size(); n += whole.size() / 25) lengths.push_back(n);  // inside the pixels
    for (std::size_t n = 1; n < 20; ++n) lengths.push_back(whole.size() - n);                 // inside the end
    for (const std::size_t length : lengths) {
      const auto at = static_cast<std::ptrdiff_t>(length);
      const auto result = read_image(folder.write("cut", Bytes(whole.begin(), whole.begin() + at)));
      if (const auto* image = std::get_if<Image>(&result)) {
        EXPECT_GT(length, whole.size() - 20) << name;
        EXPECT_EQ(image->pixels, pixels) << name << " cut to " << length;
      }
    }
  }
}

// Whatever comes out, the program must live (and, with the sanitizers on, touch nothing it may not).
TEST(ReadImage, DamagedFilesDoNoHarm) {
  const ScratchFolder folder;
  Random random(11);
  for (const std::string name : {"chelsea.png", "rocket.jpg"}) {
    const Bytes whole = contents(shipped(name));
    for (int round = 0; round < 20; ++round) {
      Bytes damaged = whole;
      const std::uint64_t reach = round % 2 == 0 ? 700 : whole.size();  // half the rounds hit tables and headers
      for (int hit = 0; hit < 5; ++hit) damaged[2 + random.below(reach - 2)] = static_cast<std::uint8_t>(random.next());
      const auto result = read_image(folder.write("damaged", damaged));
      if (const auto* image = std::get_if<Image>(&result)) {
        EXPECT_EQ(image->pixels.size(), static_cast<std::size_t>(image->width) *
                                            static_cast<std::size_t>(image->height) *
                                            static_cast<std::size_t>(image->channels));
      }
    }
  }
}

TEST(ReadImage, AHuffmanTableThatIsTooLongIsRefused) {
  const ScratchFolder folder;
  Bytes bytes = contents(shipped("rocket.jpg"));
  std::size_t at = 0;
  while (bytes[at] != 0xFF || bytes[at + 1] != 0xC4) ++at;
  for (std::size_t i = 0; i < 16; ++i) bytes[at + 5 + i] = 255;  // codes of each length; a table holds 256 in all
  EXPECT_NE(sentence(read_image(folder.write("table.jpg", bytes))).find("Huffman table"), std::string::npos);
}

TEST(ReadImage, RandomBytesBehindEachMagicDoNoHarm) {
  const ScratchFolder folder;
  Random random(12);
  for (const Bytes& magic : {Bytes{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'}, Bytes{0xFF, 0xD8, 0xFF},
                             Bytes{'P', '6', ' '}, png_header(64, 64), Bytes{}}) {
    for (int round = 0; round < 50; ++round) {
      Bytes bytes = magic;
      for (int i = 0; i < 300; ++i) bytes.push_back(static_cast<std::uint8_t>(random.next()));
      EXPECT_FALSE(sentence(read_image(folder.write("noise", bytes))).empty());
    }
  }
}

TEST(WriteImage, WhatIsWrittenIsReadBack) {
  const ScratchFolder folder;
  for (int channels = 1; channels <= 4; ++channels)
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 257}, {300, 1}, {31, 17}}) {
      const Image image = noise(width, height, channels);
      const auto file = folder.path() / "picture.png";
      ASSERT_FALSE(write_image(file, image));
      const Image back = read(file);
      EXPECT_EQ(back.width, width);
      EXPECT_EQ(back.height, height);
      EXPECT_EQ(back.channels, channels);
      EXPECT_EQ(back.pixels, image.pixels);
    }
}

TEST(WriteImage, PortablePixmapsAreReadBack) {
  const ScratchFolder folder;
  const Image colour = noise(13, 7, 3);
  const Image grey = noise(13, 7, 1);
  ASSERT_FALSE(write_image(folder.path() / "colour.ppm", colour));
  ASSERT_FALSE(write_image(folder.path() / "grey.pgm", grey));
  EXPECT_EQ(read(folder.path() / "colour.ppm").pixels, colour.pixels);
  EXPECT_EQ(read(folder.path() / "grey.pgm").pixels, grey.pixels);
}

TEST(WriteImage, WhatCannotBeWrittenIsSaid) {
  const ScratchFolder folder;
  const Image colour = noise(2, 2, 3);
  EXPECT_TRUE(write_image(folder.path() / "colour.pgm", colour));
  EXPECT_TRUE(write_image(folder.path() / "colour.bmp", colour));
  EXPECT_TRUE(write_image(folder.path() / "no_such_folder" / "colour.png", colour));
  EXPECT_TRUE(write_image(folder.path() / "none.png", Image{}));
  EXPECT_TRUE(write_image(folder.path() / "torn.png", Image{2, 2, 3, Bytes(11)}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lanewise
