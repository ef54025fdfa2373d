#include "harness/vgpu/sweep/bundle.h"

#include <algorithm>
#include <charconv>

namespace vgpu::sweep {
namespace {

constexpr std::string_view kName = "variant_";

bool is_include(std::string_view directive) {
  const std::size_t word = directive.find_first_not_of(" \t", 1);
  return word != std::string_view::npos && directive.substr(word, 7) == "include";
}

}  // namespace

std::string Bundle::without_includes(std::string_view source, const std::vector<Directive>& directives) {
  std::string text(source);
  for (const Directive& d : directives) {
    if (!is_include(d.text)) continue;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(d.begin);
    std::replace_if(
        begin, begin + static_cast<std::ptrdiff_t>(d.text.size()), [](char c) { return c != '\n'; }, ' ');
  }
  return text;
}

Bundle::Bundle(const std::vector<Directive>& directives, const std::vector<std::string>& variants) {
  text_ = "#include <cstdlib>\n";
  for (const Directive& d : directives)
    if (is_include(d.text)) text_.append(d.text).append("\n");
  std::string choice;
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const std::string name = std::string(kName) + std::to_string(v);
    text_.append("namespace ").append(name).append(" {\n#line 1 \"").append(name).append("\"\n");
    text_.append(variants[v]).append("\n}\n");
    choice.append("    case ").append(std::to_string(v)).append(": return ").append(name).append("::main();\n");
  }
  text_ +=
      "int main(int, char** arguments) {\n  switch (std::atoi(arguments[1])) {\n" + choice + "  }\n  return 3;\n}\n";
}

std::vector<std::size_t> Bundle::variants_with_errors(std::string_view output) {
  std::vector<std::size_t> variants;
  constexpr std::string_view kError = "): error";
  for (std::size_t at = output.find(kError); at != std::string_view::npos; at = output.find(kError, at + 1)) {
    const std::size_t line_begin = output.rfind('\n', at) + 1;  // npos + 1 is 0
    const std::size_t name = output.substr(0, at).rfind(kName);
    if (name == std::string_view::npos || name < line_begin) continue;
    std::size_t variant = 0;
    const char* const digits = output.data() + name + kName.size();
    const auto [end, error] = std::from_chars(digits, output.data() + at, variant);
    if (error == std::errc{} && *end == '(') variants.push_back(variant);
  }
  std::sort(variants.begin(), variants.end());
  variants.erase(std::unique(variants.begin(), variants.end()), variants.end());
  return variants;
}

}  // namespace vgpu::sweep
