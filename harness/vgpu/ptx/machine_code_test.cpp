// What is read from machine code equals what ptxas said when it made it; damaged images say less, and never crash.
#include "harness/vgpu/ptx/machine_code.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/ptx/fat_binary.h"
#include "harness/vgpu/ptx/parser.h"

namespace vgpu::ptx {
namespace {

std::string file_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string real_code(FatBinaryEntry::Kind kind) {
  const std::string bytes = file_at(VGPU_REAL_CODE "/plain.fatbin");
  const auto read = read_fat_binary(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  if (const auto* entries = std::get_if<std::vector<FatBinaryEntry>>(&read))
    for (const FatBinaryEntry& entry : *entries)
      if (entry.kind == kind) return entry.contents;
  ADD_FAILURE() << "nvcc's fat binary does not hold it";
  return "";
}

const std::string& real_machine_code() {
  static const std::string kImage = real_code(FatBinaryEntry::Kind::kMachineCode);
  return kImage;
}

struct Reported {
  std::uint32_t registers = 0, stack_frame = 0, shared = 0, stored = 0, loaded = 0;
};

/// The number that stands in `line` before these words; -1 if they are not there.
long number_before(const std::string& line, const char* words) {
  const std::size_t end = line.find(words);
  if (end == std::string::npos) return -1;
  const std::size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
  return std::stol(line.substr(begin, end - begin));
}

/// What `ptxas -v` printed of each kernel: "Compiling entry function 'K'", then "Function properties for K" and on the
/// next line its stack frame, then registers and shared memory; between them other functions' properties.
std::map<std::string, Reported> reported_by_ptxas() {
  std::map<std::string, Reported> kernels;
  std::istringstream lines(file_at(VGPU_REAL_CODE "/ptxas.txt"));
  std::string kernel, described;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find("entry function '"); at != std::string::npos) {
      kernel = line.substr(at + 16, line.find('\'', at + 16) - at - 16);
      kernels[kernel] = {};
    }
    if (const std::size_t at = line.find("properties for "); at != std::string::npos) described = line.substr(at + 15);
    const long stack_frame = number_before(line, " bytes stack frame");
    if (stack_frame >= 0 && described == kernel) {
      kernels[kernel].stack_frame = static_cast<std::uint32_t>(stack_frame);
      kernels[kernel].stored = static_cast<std::uint32_t>(number_before(line, " bytes spill stores"));
      kernels[kernel].loaded = static_cast<std::uint32_t>(number_before(line, " bytes spill loads"));
    }
    const long registers = number_before(line, " registers");
    if (registers >= 0) kernels[kernel].registers = static_cast<std::uint32_t>(registers);
    const long shared = number_before(line, " bytes smem");
    if (shared >= 0) kernels[kernel].shared = static_cast<std::uint32_t>(shared);
  }
  return kernels;
}

TEST(MachineCode, RegistersAndStackFramesAreThosePtxasReported) {
  const std::map<std::string, Reported> reported = reported_by_ptxas();
  const std::map<std::string, KernelResources> read = read_kernel_resources(real_machine_code());
  ASSERT_EQ(reported.size(), 5u);
  EXPECT_GT(reported.at("spilling").stack_frame, 0u) << "the kernel is there to have one";
  for (const auto& [name, expected] : reported) {
    SCOPED_TRACE(name);
    ASSERT_EQ(read.count(name), 1u);
    EXPECT_EQ(read.at(name).registers, expected.registers);
    EXPECT_EQ(read.at(name).local_bytes, expected.stack_frame);
  }
}

// Shared memory is not read from machine code but counted from the PTX; ptxas must count the same.
TEST(MachineCode, SharedMemoryOfALoadedKernelIsWhatPtxasReported) {
  std::string problem;
  const std::unique_ptr<AddressSpace> memory = AddressSpace::reserve(0x200000000000, std::uint64_t{64} << 20, problem);
  ASSERT_NE(memory, nullptr) << problem;
  auto loaded = LoadedModule::load(file_at(VGPU_REAL_CODE "/code.ptx"), *memory);
  ASSERT_TRUE(std::holds_alternative<std::unique_ptr<LoadedModule>>(loaded)) << std::get<Diagnostic>(loaded).message;
  LoadedModule& module = *std::get<std::unique_ptr<LoadedModule>>(loaded);
  for (const auto& [name, expected] : reported_by_ptxas()) {
    SCOPED_TRACE(name);
    const Kernel* const kernel = module.kernel(name, false);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->shared_bytes(), expected.shared);
  }
}

TEST(MachineCode, SpillsAreThosePtxasReported) {
  const Reported reported = reported_by_ptxas().at("crowded");
  const CodeByLine code = read_kernel_resources(real_machine_code()).at("crowded").code;
  ASSERT_GT(reported.stored, 0u) << "the kernel is there to spill";
  std::uint32_t stored = 0, loaded = 0;
  for (const auto& [line, made] : code) stored += 4 * made.local_store_words, loaded += 4 * made.local_load_words;
  EXPECT_EQ(stored, reported.stored);
  EXPECT_EQ(loaded, reported.loaded);
}

TEST(MachineCode, SpillsAreAtTheLinesOfThePtxThatNeedThem) {
  const auto parsed = parse(real_code(FatBinaryEntry::Kind::kPtx));
  ASSERT_TRUE(std::holds_alternative<Module>(parsed));
  const Function& crowded = *find_function(std::get<Module>(parsed), "crowded");
  const CodeByLine code = read_kernel_resources(real_machine_code()).at("crowded").code;
  std::uint32_t all = 0, in_arithmetic = 0, written_once = 0, products = 0;
  std::map<std::uint32_t, std::string_view> opcode_at;
  for (const Instruction& instruction : crowded.body) opcode_at[instruction.line] = instruction.opcode;
  for (const auto& [line, made] : code) {
    const std::uint32_t spills = made.local_loads + made.local_stores;
    all += spills;
    if (spills != 0) {
      EXPECT_EQ(opcode_at.count(line), 1u) << line << " has no instruction of the kernel";
    }
    if (opcode_at.count(line) == 0 || opcode_at[line] != "fma") continue;
    in_arithmetic += spills;
    ++products;
    if (made.copies == 1) ++written_once;
  }
  EXPECT_GT(in_arithmetic, all / 5) << "the loop holds the values that are too many";
  EXPECT_GE(products, 48u);
  EXPECT_EQ(written_once, products);
}

TEST(MachineCode, CodeThatNeverGoesToLocalMemoryIsNotKept) {
  EXPECT_TRUE(read_kernel_resources(real_machine_code()).at("sum_of_tile").code.empty());
}

TEST(MachineCode, WhatIsNoElfImageHasNoKernels) {
  EXPECT_TRUE(read_kernel_resources("").empty());
  EXPECT_TRUE(read_kernel_resources("\x7F"
                                    "ELF")
                  .empty());
  EXPECT_TRUE(read_kernel_resources(std::string(4096, '\0')).empty());
  std::string narrow = real_machine_code();
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_TRUE(read_kernel_resources(narrow).empty());
}

TEST(MachineCode, CutShortAtEveryLengthItIsRead) {
  const std::string& image = real_machine_code();
  ASSERT_GT(image.size(), 1000u);
  const std::size_t all = read_kernel_resources(image).size();
  for (std::size_t length = 0; length < image.size(); length += length < 200 ? 1 : 61)
    EXPECT_LE(read_kernel_resources(image.substr(0, length)).size(), all) << length;
}

/// Where the table of lines begins, and the relocations of its addresses.
std::vector<std::size_t> places_of_the_line_table(const std::string& image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image.data() + header.e_shoff, sections.size() * sizeof sections[0]);
  std::vector<std::size_t> places;
  for (const Elf64_Shdr& section : sections) {
    const std::string name = image.data() + sections[header.e_shstrndx].sh_offset + section.sh_name;
    if (name == ".nv_debug_line_sass" || name == ".rela.nv_debug_line_sass") places.push_back(section.sh_offset);
  }
  EXPECT_EQ(places.size(), 2u);
  return places;
}

TEST(MachineCode, AnyByteMayBeAnything) {
  const std::string& image = real_machine_code();
  const auto header_at = [&] {
    Elf64_Ehdr header;
    std::memcpy(&header, image.data(), sizeof header);
    return header;
  }();
  std::string damaged = image;
  std::size_t tried = 0;
  const auto try_all = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end && at < image.size(); ++at) {
      for (const unsigned char flip : {0x01, 0x80, 0xFF}) {
        damaged[at] = static_cast<char>(static_cast<unsigned char>(image[at]) ^ flip);
        tried += 1 + read_kernel_resources(damaged).size() / 1000;  // a flip makes no thousand kernels
      }
      damaged[at] = image[at];
    }
  };
  try_all(0, sizeof(Elf64_Ehdr));
  for (const std::size_t at : places_of_the_line_table(image)) try_all(at, at + 64);
  try_all(header_at.e_shoff, header_at.e_shoff + header_at.e_shnum * sizeof(Elf64_Shdr));
  EXPECT_EQ(tried, 3 * (2 * 64 + sizeof(Elf64_Ehdr) + header_at.e_shnum * sizeof(Elf64_Shdr)));
}

/// An image whose sections are all one table: symbols, names and records overlap, as often as an image can hold them.
std::string folded_image(std::uint16_t sections, std::size_t contents) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shnum = sections;
  header.e_shstrndx = 0;
  const std::uint64_t contents_at = sizeof header + sections * sizeof(Elf64_Shdr);
  std::string image(reinterpret_cast<const char*>(&header), sizeof header);
  for (std::uint16_t i = 0; i < sections; ++i) {
    Elf64_Shdr section{};
    section.sh_type = SHT_SYMTAB;
    section.sh_offset = contents_at;
    section.sh_size = contents;
    image.append(reinterpret_cast<const char*>(&section), sizeof section);
  }
  std::string body = std::string(".nv.info") + '\0';
  const char record[] = {4, 0x2f, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0};  // registers of symbol 0
  while (body.size() + sizeof record <= contents) body.append(record, sizeof record);
  body.resize(contents, 'n');
  return image + body;
}

// Sixty thousand sections, each of which claims to be the table of a megabyte: work must not multiply.
TEST(MachineCode, SectionsThatOverlapAreNotReadAgainAndAgain) {
  const auto read = read_kernel_resources(folded_image(60000, 1 << 20));
  EXPECT_LE(read.size(), 1u);
}

}  // namespace
}  // namespace vgpu::ptx
