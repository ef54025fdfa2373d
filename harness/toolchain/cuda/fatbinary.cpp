// Stands where clang looks for fatbinary: packs PTX into the container that harness/vgpu/ptx/fat_binary.h reads.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

// Little-endian, as in NVIDIA's own; one header for the container, one for each entry.
struct Header {
  std::uint32_t magic = 0xBA55ED50;
  std::uint16_t version = 1, header_bytes = 16;
  std::uint64_t payload_bytes = 0;
};
static_assert(sizeof(Header) == 16, "the header is written as it lies in memory");

struct EntryHeader {
  std::uint16_t kind = 1, version = 0x101;  // PTX
  std::uint32_t header_bytes = 64;
  std::uint64_t padded_bytes = 0;
  std::uint32_t compressed_bytes = 0, options_offset = 0;
  std::uint16_t minor = 0, major = 0;  // of PTX
  std::uint32_t architecture = 0, name_offset = 0, name_bytes = 0;
  std::uint64_t flags = 0x11;  // 64 bits, for Linux
  std::uint64_t reserved = 0, decompressed_bytes = 0;
};
static_assert(sizeof(EntryHeader) == 64, "the header is written as it lies in memory");

struct Image {
  std::string profile, file;
};

int refuse(const std::string& sentence) {
  std::fprintf(stderr, "fatbinary: %s\n", sentence.c_str());
  return 2;
}

/// "profile=compute_90,file=/tmp/a.s"; both parts are empty if it is nothing like that.
Image parsed(const std::string& text) {
  const std::string profile = "profile=", file = ",file=";
  const std::size_t at = text.find(file);
  if (text.rfind(profile, 0) != 0 || at == std::string::npos) return {};
  return {text.substr(profile.size(), at - profile.size()), text.substr(at + file.size())};
}

void append(std::string& to, const void* bytes, std::size_t count) {
  to.append(static_cast<const char*>(bytes), count);
}

void append_entry(std::string& payload, const std::string& ptx, std::uint32_t architecture) {
  EntryHeader entry;
  entry.architecture = architecture;
  unsigned major = 0, minor = 0;
  if (const std::size_t at = ptx.find(".version"); at != std::string::npos)
    std::sscanf(ptx.c_str() + at, ".version %u.%u", &major, &minor);
  entry.major = static_cast<std::uint16_t>(major);
  entry.minor = static_cast<std::uint16_t>(minor);
  entry.padded_bytes = (ptx.size() / 8 + 1) * 8;  // at least one zero ends the text
  append(payload, &entry, sizeof entry);
  payload += ptx;
  payload.append(entry.padded_bytes - ptx.size(), '\0');
}

}  // namespace

int main(int count, char** arguments) {
  const std::string create = "--create", image = "--image=", compute = "compute_";
  std::string output;
  std::vector<Image> images;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == create) {
      if (++i == count) return refuse("--create has to be followed by the file to write");
      output = arguments[i];
    } else if (argument.rfind(create + "=", 0) == 0) {
      output = argument.substr(create.size() + 1);
    } else if (argument.rfind(image, 0) == 0) {
      images.push_back(parsed(argument.substr(image.size())));
      if (images.back().profile.empty() || images.back().file.empty())
        return refuse(argument + " does not say profile=NAME,file=NAME");
    } else if (argument != "-64" && argument != "-g") {
      return refuse("the option " + argument + " is not known");
    }
  }
  if (output.empty() || images.empty())
    return refuse("name the file to write after --create, and at least one --image=");

  std::string payload;
  for (const Image& part : images) {
    if (part.profile.rfind(compute, 0) != 0) continue;  // machine code, of which there is none
    std::ifstream file(part.file, std::ios::binary);
    if (!file) return refuse("cannot read " + part.file);
    const std::string ptx{std::istreambuf_iterator<char>(file), {}};
    append_entry(payload, ptx, static_cast<std::uint32_t>(std::atoi(part.profile.c_str() + compute.size())));
  }
  if (payload.empty()) return refuse("none of the images is PTX: one has to have the profile compute_NUMBER");
  Header header;
  header.payload_bytes = payload.size();
  std::string all;
  append(all, &header, sizeof header);
  std::ofstream file(output, std::ios::binary);
  file << all << payload;
  file.close();
  return file ? 0 : refuse("cannot write " + output);
}
