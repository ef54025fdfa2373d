// course_map: prints the course map of the labs folder that it is given, for scripts/course_map.sh.
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "labs/course_map.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("Usage: course_map LABS_FOLDER\n", stderr);
    return 2;
  }
  std::vector<lanewise::LabFile> labs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
    if (!std::filesystem::is_regular_file(entry.path() / "lab.toml")) continue;
    auto lab = lanewise::read_lab_file(entry.path());
    if (!lab) {
      std::fprintf(stderr, "course_map: %s\n", lab.sentence().c_str());
      return 3;
    }
    labs.push_back(*lab);
  }
  if (labs.empty()) {
    std::fprintf(stderr, "course_map: %s holds no labs\n", argv[1]);
    return 3;
  }
  std::fputs(lanewise::course_map(labs).c_str(), stdout);
  return 0;
}
