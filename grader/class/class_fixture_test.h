// A folder that a class fills, and what is collected from it.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "datasets/scratch_folder.h"
#include "grader/class/hand_ins.h"

namespace lanewise {

/// One entry of an archive that a test makes; links have `link`, folders and devices no content.
struct Packed {
  std::string name;
  std::string content;
  unsigned type = AE_IFREG;
  std::string link = {};
};

/// Writes an archive with whatever entries; `password` encrypts a zip.
inline void pack(const std::filesystem::path& file, const std::vector<Packed>& entries,
                 const char* password = nullptr) {
  archive* writer = archive_write_new();
  if (file.extension() == ".zip") {
    archive_write_set_format_zip(writer);
    if (password != nullptr) {
      archive_write_set_options(writer, "zip:encryption=traditional");
      archive_write_set_passphrase(writer, password);
    }
  } else {
    archive_write_set_format_pax_restricted(writer);
    if (file.extension() == ".gz" || file.extension() == ".tgz") archive_write_add_filter_gzip(writer);
  }
  std::filesystem::create_directories(file.parent_path());
  EXPECT_EQ(archive_write_open_filename(writer, file.c_str()), ARCHIVE_OK);
  for (const Packed& each : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, each.name.c_str());
    archive_entry_set_filetype(entry, each.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 1'000'000'000, 0);  // what the student's clock said
    if (each.type == AE_IFLNK) archive_entry_set_symlink(entry, each.link.c_str());
    if (each.type == AE_IFREG && !each.link.empty()) archive_entry_set_hardlink(entry, each.link.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(each.content.size()));
    EXPECT_GE(archive_write_header(writer, entry), ARCHIVE_WARN) << archive_error_string(writer);
    archive_write_data(writer, each.content.data(), each.content.size());
    archive_entry_free(entry);
  }
  EXPECT_EQ(archive_write_close(writer), ARCHIVE_OK);
  archive_write_free(writer);
}

class HandInsTest : public ::testing::Test {
 protected:
  HandInsTest() {
    options_.input = scratch_.path() / "input";
    options_.into = scratch_.path() / "copies";
    options_.known_sources = {"scan.cu", "vecadd.cu"};
    std::filesystem::create_directories(options_.input);
  }

  /// `time`: of its last change; every file has the same one if nothing is said.
  void put(const std::string& name, const std::string& content = "code", std::int64_t time = 1'700'000'000) {
    const std::filesystem::path path = options_.input / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    set_time(path, time);
  }

  void roster(const std::string& text) {
    options_.roster = scratch_.path() / "roster.csv";
    std::ofstream(options_.roster) << text;
  }

  static void set_time(const std::filesystem::path& path, std::int64_t time) {
    const timespec moment = {static_cast<time_t>(time), 0};
    const timespec both[2] = {moment, moment};
    utimensat(AT_FDCWD, path.c_str(), both, AT_SYMLINK_NOFOLLOW);
  }

  const HandIns& collect() {
    auto collected = collect_hand_ins(options_);
    EXPECT_TRUE(collected) << collected.sentence();
    found_ = collected ? *collected : HandIns();
    expect_harmless();
    return found_;
  }

  std::string failure() const {
    const auto collected = collect_hand_ins(options_);
    return collected ? "it was collected" : collected.sentence();
  }

  /// "alice: scan.cu scan/x.cu" for each hand-in.
  std::vector<std::string> kept() const {
    std::vector<std::string> lines;
    for (const HandIn& each : found_.hand_ins) {
      std::vector<std::string> files;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(each.folder))
        if (!entry.is_directory()) files.push_back(std::filesystem::relative(entry.path(), each.folder).string());
      std::sort(files.begin(), files.end());
      std::string line = each.student + ":";
      for (const std::string& file : files) line += " " + file;
      lines.push_back(line);
    }
    return lines;
  }

  /// "what: why" for each.
  std::vector<std::string> aside() const {
    std::vector<std::string> lines;
    for (const SetAside& each : found_.set_aside) lines.push_back(each.what + ": " + each.why);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  std::string content(std::size_t hand_in, const std::string& name) const {
    std::ifstream stream(found_.hand_ins.at(hand_in).folder / name, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  ScratchFolder scratch_;
  CollectOptions options_;
  HandIns found_;

 private:
  /// Whatever came in: nothing but plain files with harmless names came out, and only where it should.
  void expect_harmless() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(options_.into)) {
      EXPECT_TRUE(entry.is_directory() || entry.symlink_status().type() == std::filesystem::file_type::regular);
      const std::string name = entry.path().filename().string();
      EXPECT_LE(name.size(), 64U);
      EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-@"),
                std::string::npos)
          << name;
      EXPECT_TRUE(name.front() != '.' && name.front() != '-') << name;
    }
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name == "input" || name == "copies" || name == "roster.csv") << name;
    }
  }
};

}  // namespace lanewise
