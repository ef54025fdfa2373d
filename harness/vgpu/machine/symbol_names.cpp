#include "harness/vgpu/machine/symbol_names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace vgpu {

std::string readable_function_name(const std::string& mangled) {
  if (mangled.compare(0, 2, "_Z") != 0) return mangled;  // __cxa_demangle also reads types: "a" is a signed char
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
                                                        &std::free);
  return status == 0 && readable ? readable.get() : mangled;
}

std::string readable_variable_name(const std::string& mangled) {
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
