#include "harness/vgpu/machine/symbol_names.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace vgpu {
namespace {

/// "const float*" for "float const*", as most people write it.
std::string with_const_first(std::string name) {
  constexpr std::string_view kBehind = " const";
  for (std::size_t at = name.find(kBehind); at != std::string::npos; at = name.find(kBehind, at + 1)) {
    const std::size_t end = at + kBehind.size();
    if (end < name.size() && name[end] != '*' && name[end] != '&' && name[end] != ',' && name[end] != ')') continue;
    // The type before it, up to the parameter list or the comma that it begins after; what has a star, or what is in
    // brackets, stays as it is.
    std::size_t begin = at;
    while (begin > 0 && std::string_view("(,<>*&[]").find(name[begin - 1]) == std::string_view::npos) --begin;
    if (begin == 0 || (name[begin - 1] != '(' && name[begin - 1] != ',' && name[begin - 1] != '<')) continue;
    while (begin < at && name[begin] == ' ') ++begin;
    if (begin == at || name.substr(begin, at - begin).find(')') != std::string::npos) continue;
    name.erase(at, kBehind.size());
    name.insert(begin, "const ");
  }
  return name;
}

/// Of names that only one file of a program knows, and that nvcc has made different from those of the others with
/// -rdc=true: without what was added. "__nv_static_14__8d33a6f_a_cu_m_tile" is "tile"; the number is the length of what
/// follows it, up to the last underscore.
std::string without_file(const std::string& symbol) {
  constexpr std::string_view kBegin = "__nv_static_";
  if (symbol.compare(0, kBegin.size(), kBegin) != 0) return symbol;
  char* end = nullptr;
  const unsigned long length = std::strtoul(symbol.c_str() + kBegin.size(), &end, 10);
  const std::size_t at = static_cast<std::size_t>(end - symbol.c_str());
  if (symbol.size() < at + 2 || length > symbol.size() - at - 2) return symbol;
  return symbol.substr(at + 1 + length + 1);
}

/// The same in a name that has been made readable: its namespace "_INTERNAL_8d33a6fb_4_a_cu_84db3c43::".
std::string without_file_namespace(std::string name) {
  constexpr std::string_view kBegin = "_INTERNAL_";
  for (std::size_t at = name.find(kBegin); at != std::string::npos; at = name.find(kBegin, at)) {
    std::size_t end = at;
    while (end < name.size() && (std::isalnum(static_cast<unsigned char>(name[end])) != 0 || name[end] == '_')) ++end;
    if (name.compare(end, 2, "::") != 0) return name;
    name.erase(at, end + 2 - at);
  }
  return name;
}

/// Where the number of a piece begins in "_ZZ4sortPiE7borders_$_1"; npos: nowhere.
std::size_t piece_begins(const std::string& symbol) {
  constexpr std::string_view kMark = "_$_";
  const std::size_t at = symbol.rfind(kMark);
  if (at == std::string::npos) return at;
  const std::size_t number = at + kMark.size();
  const bool is_number = number < symbol.size() && symbol.find_first_not_of("0123456789", number) == std::string::npos;
  return is_number ? number : std::string::npos;
}

}  // namespace

std::string readable_function_name(const std::string& symbol) {
  std::string mangled = without_file(symbol);
  if (mangled.compare(0, 2, "_Z") != 0) return mangled;  // __cxa_demangle also reads types: "a" is a signed char
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                        &std::free);
  return status == 0 && readable ? with_const_first(without_file_namespace(readable.get())) : mangled;
}

std::int64_t piece_number(const std::string& symbol) {
  const std::size_t number = piece_begins(symbol);
  return number == std::string::npos ? 0 : std::strtoll(symbol.c_str() + number, nullptr, 10);
}

std::string readable_variable_name(const std::string& symbol) {
  const std::size_t number = piece_begins(symbol);
  std::string mangled = without_file(number == std::string::npos ? symbol : symbol.substr(0, number - 3));
  std::string readable = readable_function_name(mangled);
  if (readable == mangled) return mangled;
  // What follows the last "::" that is not inside brackets of a template or a parameter list.
  int depth = 0;
  for (std::size_t i = readable.size(); i-- > 1;) {
    const char c = readable[i];
    if (c == ')' || c == '>' || c == ']') ++depth;
    if (c == '(' || c == '<' || c == '[') --depth;
    if (depth == 0 && c == ':' && readable[i - 1] == ':') return readable.substr(i + 1);
  }
  return readable;
}

}  // namespace vgpu
