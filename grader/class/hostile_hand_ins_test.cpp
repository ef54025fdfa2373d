// What a student could hand in to harm the grader or the others: none of it does, and all of it is said.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "grader/class/class_fixture_test.h"

namespace lanewise::class_test {
namespace {

using Lines = std::vector<std::string>;

const std::string kReversed = "\xe2\x80\xae";  // what follows is shown from right to left

class HostileHandInsTest : public HandInsTest {
 protected:
  /// An honest student, who must come out whole whatever the other one does.
  void add_bob() { put("bob/scan.cu", "B"); }

  static std::string read_bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
};

TEST_F(HostileHandInsTest, NamesOfAnyBytes) {
  add_bob();
  const Lines names = {"-rf",   "a\nb",     "\x1b[2Jalice",        "\xff\xfe", kReversed + "ecila", "alice",
                       "Alice", "a\\..\\b", std::string(255, 'x'), "<script>", "$(reboot)"};
  for (const std::string& name : names) put(name + "/scan.cu", name);
  put("alice/-x.cu");
  put("alice/a\nb.cu");
  put("alice/" + std::string(252, 'y') + ".cu");
  put("alice/\xff.cu");
  collect();
  EXPECT_EQ(found_.students.size(), names.size() + 1);
  EXPECT_EQ(found_.hand_ins.size(), names.size() + 1);
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < found_.hand_ins.size(); ++i) {
    const std::string text = content(i, "scan.cu");  // each student's own work came out as theirs
    EXPECT_EQ(found_.hand_ins[i].came_from, text == "B" ? "bob" : text);
    std::string id = found_.hand_ins[i].student;
    std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::tolower(c); });
    seen.push_back(id);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST_F(HostileHandInsTest, NamesThatDifferInCaseOnlyAreBothKept) {
  put("alice/SCAN.cu", "large");
  put("alice/scan.cu", "small");
  put("alice/x/A.cu");
  put("alice/X/a.cu");
  add_bob();
  collect();
  EXPECT_EQ(kept().front(), "alice: SCAN_2.cu X/a.cu scan.cu x/A_2.cu");
}

TEST_F(HostileHandInsTest, LinksPipesSocketsAndDevicesAreNotOpened) {
  add_bob();
  put("eve/scan.cu", "E");
  std::filesystem::create_symlink("/etc/passwd", options_.input / "eve/a.cu");
  std::filesystem::create_symlink("../bob/scan.cu", options_.input / "eve/b.cu");
  std::filesystem::create_directory_symlink("../bob", options_.input / "eve/others");
  std::filesystem::create_directory_symlink("bob", options_.input / "eve2");
  std::filesystem::create_symlink("bob/scan.cu", options_.input / "eve3.cu");
  ASSERT_EQ(mkfifo((options_.input / "eve/pipe.cu").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((options_.input / "eve4.zip").c_str(), 0600), 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = (options_.input / "eve/s.cu").string();
  ASSERT_LT(name.size(), sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  const int socket_of_eve = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(socket_of_eve, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  close(socket_of_eve);
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "eve: scan.cu"}));
  const std::string why = "it is neither a file nor a folder and was not opened";
  EXPECT_EQ(aside(), (Lines{"eve2: " + why, "eve3.cu: " + why, "eve4.zip: " + why,
                            "eve: 5 entries are not opened, being neither files nor folders: a.cu (a symbolic link), "
                            "b.cu (a symbolic link) and 3 more"}));
}

TEST_F(HostileHandInsTest, ASourceOfAGigabyteIsSetAsideUnread) {
  add_bob();
  put("eve/scan.cu");
  std::filesystem::resize_file(options_.input / "eve/scan.cu", 1ULL << 30);
  put("mallory/scan.cu", std::string((1 << 20) + 1, 'x'));
  put("zoe/scan.cu", std::string(1 << 20, 'x'));  // the most that is taken
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "zoe: scan.cu"}));
  EXPECT_EQ(aside(), (Lines{"eve/scan.cu: it is larger than 1,048,576 bytes, the limit",
                            "mallory/scan.cu: it is larger than 1,048,576 bytes, the limit"}));
}

TEST_F(HostileHandInsTest, AHundredThousandFilesHideNobody) {
  add_bob();
  std::filesystem::create_directories(options_.input / "eve/many");
  for (int i = 0; i <= 100'000; ++i) {
    const int file =
        open((options_.input / "eve/many" / (std::to_string(i) + ".cu")).c_str(), O_CREAT | O_WRONLY, 0600);
    ASSERT_GE(file, 0);
    close(file);
  }
  put("zoe/scan.cu");
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "zoe: scan.cu"}));
  EXPECT_EQ(aside().back(), "eve: it contains more than 20,000 files and folders; nothing in it is accepted");
}

TEST_F(HostileHandInsTest, TooManyFilesOrAttempts) {
  add_bob();
  for (int i = 0; i < 201; ++i) put("eve/" + std::to_string(i) + ".cu");
  for (int i = 1; i <= 102; ++i) put("mallory/attempt_" + std::to_string(i) + "/scan.cu");
  collect();
  EXPECT_EQ(found_.hand_ins.size(), 101U);
  EXPECT_EQ(aside().size(), 2U);
  EXPECT_EQ(aside()[0], "eve: 201 files are too many; at most 200 are accepted per attempt");
  EXPECT_NE(aside()[1].find("it is attempt number 101 by this student; only the first 100 are accepted"),
            std::string::npos);
}

TEST_F(HostileHandInsTest, FilesThatComeToTooMuchTogether) {
  add_bob();
  for (int i = 0; i < 17; ++i) put("eve/" + std::to_string(i) + ".cu", std::string(1 << 20, 'x'));
  collect();
  EXPECT_EQ(kept(), Lines{"bob: scan.cu"});
  EXPECT_EQ(aside(), Lines{"eve: its files total more than 16,777,216 bytes; none of them is accepted"});
}

TEST_F(HostileHandInsTest, FoldersWithoutEnd) {
  add_bob();
  std::string path = "eve";
  for (int i = 0; i < 100; ++i) path += "/d";
  put(path + "/scan.cu");
  collect();
  EXPECT_EQ(kept(), Lines{"bob: scan.cu"});
  EXPECT_EQ(aside(), Lines{"eve: it has folders nested more than 16 deep; they are ignored"});
}

TEST_F(HostileHandInsTest, ArchivesThatLeadOutOfThemselves) {
  add_bob();
  for (const char* archive : {"eve.zip", "mallory.tar.gz"}) {
    pack(options_.input / archive, {{"scan.cu", "E"},
                                    {"../../bob/scan.cu", "X"},
                                    {"/tmp/x.cu", "X"},
                                    {"a/../../x.cu", "X"},
                                    {"..\\x.cu", "X"},
                                    {"C:\\x.cu", "X"}});
  }
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "eve: scan.cu", "mallory: scan.cu"}));
  EXPECT_EQ(content(0, "scan.cu"), "B");
  ASSERT_EQ(aside().size(), 2U);
  EXPECT_EQ(aside()[0],
            "eve.zip: 5 entries would be unpacked outside it and are not accepted: ../../bob/scan.cu, /tmp/x.cu and 3 "
            "more");
}

TEST_F(HostileHandInsTest, ArchivesWithLinksAndDevices) {
  add_bob();
  pack(options_.input / "eve.zip",
       {{"d", "", AE_IFLNK, "../../bob"}, {"d/scan.cu", "E"}, {"p.cu", "", AE_IFLNK, "/etc/passwd"}});
  pack(options_.input / "mallory.tar.gz", {{"scan.cu", "M"},
                                           {"h.cu", "", AE_IFREG, "/etc/passwd"},
                                           {"n.cu", "", AE_IFCHR},
                                           {"f.cu", "", AE_IFIFO},
                                           {"l.cu", "", AE_IFLNK, "scan.cu"}});
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "eve: d/scan.cu", "mallory: scan.cu"}));
  EXPECT_EQ(
      aside(),
      (Lines{"eve.zip: 2 entries are not opened, being neither files nor folders: d (a symbolic link) and p.cu (a "
             "symbolic link)",
             "mallory.tar.gz: 4 entries are not opened, being neither files nor folders: f.cu (a pipe), h.cu (a "
             "hard link) and 2 more"}));
}

TEST_F(HostileHandInsTest, Bombs) {
  add_bob();
  const std::string zeros(64 << 20, '\0');  // 64 KiB when packed
  pack(options_.input / "a.zip", {{"scan.cu", zeros}});
  pack(options_.input / "b.tar.gz", {{"zeros.bin", zeros}, {"scan.cu", "code"}});
  pack(options_.input / "c.zip", {{"zeros.bin", zeros}, {"scan.cu", "code"}});  // never unpacked: it can be skipped
  pack(options_.input / "d.zip", {{"inner.tgz", read_bytes(options_.input / "b.tar.gz")}});
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "c: scan.cu"}));
  EXPECT_EQ(aside(), (Lines{"a.zip/scan.cu: it is larger than 1,048,576 bytes, the limit",
                            "b.tar.gz: it unpacks to more than 16,777,216 bytes; nothing in it is accepted",
                            "c.zip: 1 other file is ignored: zeros.bin",
                            "d.zip/inner.tgz: it unpacks to more than 16,777,216 bytes; nothing in it is accepted"}));
}

TEST_F(HostileHandInsTest, AHeaderThatAdmitsToLessIsNotBelieved) {
  add_bob();
  pack(options_.input / "eve.zip", {{"scan.cu", std::string(4 << 20, 'x')}});
  std::string bytes = read_bytes(options_.input / "eve.zip");
  const std::size_t table = bytes.find("PK\x01\x02");
  ASSERT_NE(table, std::string::npos);
  bytes.replace(table + 24, 4, std::string("\x0a\0\0\0", 4));  // 10 bytes when unpacked
  put("eve.zip", bytes);
  collect();
  EXPECT_EQ(kept(), Lines{"bob: scan.cu"});
  EXPECT_FALSE(aside().empty());
}

TEST_F(HostileHandInsTest, ArchivesInArchives) {
  add_bob();
  pack(options_.input / "eve.zip", {{"scan.cu", "1"}});
  for (int depth = 2; depth <= 4; ++depth)
    pack(options_.input / "eve.zip", {{"inner.zip", read_bytes(options_.input / "eve.zip")}});
  pack(options_.input / "zoe.zip", {{"scan.cu", "Z"}});
  pack(options_.input / "zoe.zip", {{"inner.zip", read_bytes(options_.input / "zoe.zip")}});
  collect();
  EXPECT_EQ(kept(), (Lines{"bob: scan.cu", "zoe: scan.cu"}));
  EXPECT_EQ(aside(), Lines{"eve.zip/inner.zip: archives in archives in archives are not unpacked: inner.zip"});
}

TEST_F(HostileHandInsTest, EncryptedCutOffAndNoArchives) {
  add_bob();
  pack(options_.input / "eve.zip", {{"scan.cu", "E"}}, "secret");
  std::string noise(20'000, '\0');  // does not pack, so that half of it is missing
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>((i * i * 2654435761U) >> 13);
  pack(options_.input / "gil.zip", {{"scan.cu", noise}});
  put("gil.zip", read_bytes(options_.input / "gil.zip").substr(0, 5'000));
  pack(options_.input / "hal.tar.gz", {{"scan.cu", noise}, {"x.cu", noise}});
  put("hal.tar.gz", read_bytes(options_.input / "hal.tar.gz").substr(0, 5'000));
  put("ivy.zip", "this is not a zip");
  put("jim.zip", "");
  std::string flipped;
  pack(options_.input / "kim.zip", {{"scan.cu", noise}});
  flipped = read_bytes(options_.input / "kim.zip");
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  put("kim.zip", flipped);
  collect();
  EXPECT_EQ(kept(), Lines{"bob: scan.cu"});
  const std::string damaged = ": it is damaged, incomplete, or not a .zip, .tar or .tar.gz; ask for it again";
  EXPECT_EQ(aside(), (Lines{"eve.zip: it is encrypted; ask for it without a password", "gil.zip" + damaged,
                            "hal.tar.gz" + damaged, "ivy.zip" + damaged, "jim.zip" + damaged,
                            "kim.zip/scan.cu: it is damaged in its archive; ask for it again"}));
}

TEST_F(HostileHandInsTest, AnArchiveWithNamesOfAnyBytes) {
  add_bob();
  const Lines names = {"-x.cu",
                       "a\nb.cu",
                       "\xff\xfe.cu",
                       "Zo\xc3\xab.cu",
                       kReversed + "uc.cu",
                       "A.cu",
                       "a.cu",
                       "a.cu",
                       std::string(300, 'x') + ".cu",
                       "x.cu/y.cu",
                       ".h/z.cu"};
  for (const char* archive : {"eve.zip", "mallory.tar.gz"}) {
    std::vector<Packed> entries;
    for (const std::string& name : names) entries.push_back({name, "code"});
    pack(options_.input / archive, entries);
  }
  collect();
  ASSERT_EQ(found_.hand_ins.size(), 3U);
  for (const std::string& line : kept()) {
    if (line.rfind("bob", 0) == 0) continue;
    EXPECT_EQ(std::count(line.begin(), line.end(), ' '), 10) << line;  // all but the hidden one
  }
}

TEST_F(HostileHandInsTest, NothingOfOneStudentEndsWithAnother) {
  roster("id,name\nalice,Alice\nbob,Bob\n");
  put("alice/scan.cu", "A");
  put("alice/bob/scan.cu", "A");
  put("alice/bob_scan.cu", "A");
  pack(options_.input / "alice.zip", {{"bob/scan.cu", "A"}, {"bob_502_1_scan.cu", "A"}});
  collect();
  ASSERT_EQ(found_.hand_ins.size(), 2U);
  for (const HandIn& each : found_.hand_ins) EXPECT_EQ(each.student, "alice");
}

TEST_F(HostileHandInsTest, WhatIsBehindALinkInThePlaceOfOurCopiesIsNotTouched) {
  add_bob();
  std::filesystem::create_directories(scratch_.path() / "copies");
  std::filesystem::create_directory_symlink(options_.input / "bob", scratch_.path() / "copies/bob");
  collect();
  EXPECT_EQ(read_bytes(options_.input / "bob/scan.cu"), "B");
  EXPECT_FALSE(std::filesystem::exists(options_.input / "bob/1"));
}

}  // namespace
}  // namespace lanewise::class_test
