// Stands where clang looks for ptxas: the virtual GPU runs PTX, so what would be machine code stays empty.
#include <cstdio>
#include <fstream>
#include <string>

int main(int count, char** arguments) {
  std::string output, input;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--output-file" || argument == "--gpu-name" || argument == "-o") {
      if (++i == count) {
        std::fprintf(stderr, "ptxas: %s has to be followed by a value\n", argument.c_str());
        return 2;
      }
      if (argument != "--gpu-name") output = arguments[i];
    } else if (argument.empty() || argument.front() != '-') {
      input = argument;
    }
  }
  if (input.empty() || output.empty()) {
    std::fputs("ptxas: name one file of PTX, and the file to write after --output-file\n", stderr);
    return 2;
  }
  if (!std::ifstream(input)) {
    std::fprintf(stderr, "ptxas: cannot read %s\n", input.c_str());
    return 2;
  }
  std::ofstream file(output, std::ios::binary);
  file.close();
  if (!file) {
    std::fprintf(stderr, "ptxas: cannot write %s\n", output.c_str());
    return 2;
  }
  return 0;
}
