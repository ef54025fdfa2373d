#include "harness/vgpu/sweep/bundle.h"

#include <algorithm>
#include <charconv>

namespace vgpu::sweep {
namespace {

bool is_include(std::string_view directive) {
  const std::size_t word = directive.find_first_not_of(" \t", 1);
  return word != std::string_view::npos && directive.substr(word, 7) == "include";
}

}  // namespace

std::string Bundle::without_includes(std::string_view source, const std::vector<Directive>& directives) {
  std::string text(source);
  for (const Directive& d : directives)
    if (is_include(d.text))
      std::replace_if(
          &text[d.begin], &text[d.begin] + d.text.size(), [](char c) { return c != '\n'; }, ' ');
  return text;
}

Bundle::Bundle(const std::vector<Directive>& directives, const std::vector<std::string>& variants) {
  const auto next_line = [this] {
    return static_cast<std::uint32_t>(std::count(text_.begin(), text_.end(), '\n')) + 1;
  };
  text_ = "#include <cstdlib>\n";
  for (const Directive& d : directives)
    if (is_include(d.text)) text_.append(d.text).append("\n");
  for (std::size_t v = 0; v < variants.size(); ++v) {
    text_ += "namespace variant_" + std::to_string(v) + " {\n";
    first_lines_.push_back(next_line());
    text_.append(variants[v]).append("\n}\n");
  }
  first_lines_.push_back(next_line());
  text_ += "int main(int, char** arguments) {\n  switch (std::atoi(arguments[1])) {\n";
  for (std::size_t v = 0; v < variants.size(); ++v)
    text_ += "    case " + std::to_string(v) + ": return variant_" + std::to_string(v) + "::main();\n";
  text_ += "  }\n  return 3;\n}\n";
}

Bundle::Place Bundle::place_of(std::uint32_t line) const {
  const auto after = std::upper_bound(first_lines_.begin(), first_lines_.end(), line);
  if (after == first_lines_.begin() || after == first_lines_.end()) return {};
  const auto variant = static_cast<std::size_t>(after - first_lines_.begin()) - 1;
  return {true, variant, line - first_lines_[variant] + 1};
}

std::vector<std::size_t> Bundle::variants_with_errors(std::string_view output) const {
  std::vector<std::size_t> variants;
  constexpr std::string_view kError = "): error";
  for (std::size_t at = output.find(kError); at != std::string_view::npos; at = output.find(kError, at + 1)) {
    const std::size_t open = output.rfind('(', at);
    std::uint32_t line = 0;
    if (open == std::string_view::npos) continue;
    std::from_chars(output.data() + open + 1, output.data() + at, line);
    if (const Place place = place_of(line); place.is_known) variants.push_back(place.variant);
  }
  std::sort(variants.begin(), variants.end());
  variants.erase(std::unique(variants.begin(), variants.end()), variants.end());
  return variants;
}

}  // namespace vgpu::sweep
