// `lanewise new-lab`: a lab that checks at once, for a teacher to go on from.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>

#include "grader/commands/commands.h"
#include "grader/workplace/temporary_folder.h"
#include "grader/workplace/workplace.h"
#include "harness/lab/lab_file.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNewLabExamples = R"(
The lab squares numbers. Change its four files: lab.toml says what is passed, made and compared, NAME.cuh declares the
function, NAME.cu is what students begin with, and oracle.cpp has the right answer and what typical mistakes give.
NAME.cu.skeleton is the copy of NAME.cu that `lanewise restore` brings back: copy it anew when you have changed NAME.cu.
Nothing has to be built. labs/README.md explains each line.

Examples:
  lanewise new-lab summation            then: lanewise check summation
  lanewise new-lab summation --in course/labs      and LANEWISE_LABS=course/labs from then on

Exit codes: 0 written, 2 the command line makes no sense, 3 the lab cannot be written.)";

struct NewLabOptions {
  std::string name;
  std::string parent;
};

struct NewFile {
  std::string name;
  const char* text;  // with NAME where the lab's name belongs
};

constexpr const char* kLabToml = R"toml(# What is passed, made and compared; labs/README.md explains each key.

[lab]
title = "Squares"
contract = "NAME.cuh"
skeleton = "NAME.cu"
oracle = "oracle.cpp"
profile = "h200"   # the GPU whose times are modelled

[[task]]
name = "NAME"      # the contract's function
points = { correct = 90, clean = 10 }
judge = "exact"    # or { ulps = 1 }, { levels = 1 }, { sum_of = "x" }: a sum of floats in any order

[task.arrays]      # the contract's d_x is x
x = { shape = ["n"], values = "uniform(-1, 1)" }   # or constant(1), ascending, descending, shuffled
y = { shape = ["n"] }

[[task.case]]
name = "one block"
group = "check"    # or "grade": for the instructor's run alone
make = { n = 256 }
points = 30
why = "exactly one block of 256 threads"

[[task.case]]
name = "one more"
group = "check"
make = { n = 257 }
points = 30
why = "the second block has a single element"

[[task.case]]
name = "a million ones"
group = "check"
make = { n = 1000000, x = "constant(1)" }
points = 30
why = "many blocks, and a right answer that is easy to see"

[[task.misconception]]
name = "only whole blocks"
function = "whole_blocks"   # in oracle.cpp
hint = "The elements after the last whole block were not computed: round the number of blocks up."
)toml";

constexpr const char* kContract = R"(// y[i] = x[i] * x[i] for all i below n. Both arrays are in device memory.
#pragma once

#include <cstddef>

void NAME(const float* d_x, float* d_y, std::size_t n);
)";

constexpr const char* kSkeleton = R"(#include "NAME.cuh"

// TODO: a kernel that computes one element a thread

void NAME(const float* d_x, float* d_y, std::size_t n) {
  // TODO: launch it
}
)";

constexpr const char* kOracle =
    R"(// What is right, one element after the other, and what typical mistakes give; pointers are to host memory.
#include "NAME.cuh"

void NAME(const float* x, float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * x[i];
}

// What a mistake leaves unwritten stays as it is.
void whole_blocks(const float* x, float* y, std::size_t n) { NAME(x, y, n / 256 * 256); }
)";

int refuse(int code, const std::string& sentence) {
  std::fprintf(stderr, "lanewise new-lab: %s\n", safe_line(sentence).c_str());
  return code;
}

bool is_keyword(const std::string& name) {
  static const std::regex kKeyword(
      "alignas|alignof|and|asm|auto|bool|break|case|catch|char|class|const|constexpr|continue|default|delete|do|double|"
      "else|enum|explicit|export|extern|false|float|for|friend|goto|if|inline|int|long|main|mutable|namespace|new|"
      "noexcept|not|nullptr|operator|or|private|protected|public|register|return|short|signed|sizeof|static|struct|"
      "switch|template|this|throw|true|try|typedef|typename|union|unsigned|using|virtual|void|volatile|while|xor");
  return std::regex_match(name, kKeyword);
}

std::string with_name(std::string text, const std::string& name) {
  constexpr std::string_view kPlace = "NAME";
  for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at + name.size()))
    text.replace(at, kPlace.size(), name);
  return text;
}

int write_lab(const NewLabOptions& options) {
  static const std::regex kName("[a-z][a-z0-9_]{0,40}");
  if (!std::regex_match(options.name, kName))
    return refuse(kExitUsage, fmt::format("'{}' cannot be the name of a lab and its function: lower-case letters, "
                                          "digits and _, with a letter first",
                                          options.name));
  if (is_keyword(options.name))
    return refuse(kExitUsage, fmt::format("'{}' is a word of C++, and the function would have its name", options.name));
  const fs::path parent = options.parent.empty() ? this_installation().labs : fs::path(options.parent);
  const fs::path folder = parent / options.name;
  std::error_code error;
  if (fs::exists(folder, error)) return refuse(kExitUsage, folder.string() + ": there is something of that name");
  fs::create_directories(parent, error);
  // Written beside, and then given its name: a lab is there whole or not at all.
  const auto beside = TemporaryFolder::create_in(parent);
  if (error || !beside)
    return refuse(kExitEnvironment,
                  fmt::format("{}: nothing can be written there; --in names another folder", parent.string()));
  fs::create_directory(beside->path() / options.name, error);
  for (const NewFile& file :
       {NewFile{"lab.toml", kLabToml}, NewFile{options.name + ".cuh", kContract},
        NewFile{options.name + ".cu", kSkeleton}, NewFile{options.name + ".cu" + kSkeletonCopy, kSkeleton},
        NewFile{"oracle.cpp", kOracle}}) {
    std::ofstream stream(beside->path() / options.name / file.name, std::ios::binary);
    stream << with_name(file.text, options.name);
    stream.close();
    if (!stream) return refuse(kExitEnvironment, parent.string() + ": nothing can be written there; is the disk full?");
  }
  fs::rename(beside->path() / options.name, folder, error);
  if (error)
    return refuse(kExitEnvironment,
                  fmt::format("{}: the folder cannot be created ({})", folder.string(), error.message()));
  const std::string there = options.parent.empty() ? "" : fmt::format("LANEWISE_LABS={} ", shown_path(parent));
  fmt::print("{} is a lab that squares numbers, and yours to change.\nNext: {}lanewise check {}\n", shown_path(folder),
             there, options.name);
  return kExitDone;
}

}  // namespace

void add_new_lab_command(CLI::App& app, int& exit_code) {
  auto* const command = app.add_subcommand("new-lab", "Begin a lab of your own, without C++ of Lanewise's");
  auto options = std::make_shared<NewLabOptions>();
  command->add_option("name", options->name, "of the lab and its function")->required()->type_name("NAME");
  command->add_option("--in", options->parent, "the folder of labs (default: LANEWISE_LABS, or this installation's)")
      ->type_name("FOLDER");
  command->footer(kNewLabExamples);
  command->callback([&exit_code, options] { exit_code = write_lab(*options); });
}

}  // namespace lanewise
