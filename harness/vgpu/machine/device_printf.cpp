#include "harness/vgpu/machine/device_printf.h"

#include <cstdio>
#include <cstring>
#include <vector>

namespace vgpu {
namespace {

class Arguments {
 public:
  Arguments(const std::byte* at, std::size_t bytes) : at_(at), bytes_(bytes) {}

  template <class T>
  T take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (next_ + sizeof(T) <= bytes_) std::memcpy(&value, at_ + next_, sizeof value);
    next_ += sizeof(T);
    ++count_;
    return value;
  }
  int count() const { return count_; }

 private:
  const std::byte* at_;
  std::size_t bytes_;
  std::size_t next_ = 0;
  int count_ = 0;
};

template <class... Values>
void append(std::string& to, const std::string& conversion, Values... values) {
  const int length = std::snprintf(nullptr, 0, conversion.c_str(), values...);
  if (length <= 0) return;
  std::vector<char> text(static_cast<std::size_t>(length) + 1);
  std::snprintf(text.data(), text.size(), conversion.c_str(), values...);
  to.append(text.data(), static_cast<std::size_t>(length));
}

/// Digits, or `*` replaced by the next argument, so that the conversion can be handed to the host's printf.
void take_number(const std::string& format, std::size_t& i, std::string& conversion, Arguments& arguments) {
  constexpr int kWidest = 4096;  // a hostile width must not cost gigabytes
  if (i < format.size() && format[i] == '*') {
    const int value = arguments.take<std::int32_t>();
    conversion += std::to_string(value > kWidest ? kWidest : value < -kWidest ? -kWidest : value);
    ++i;
    return;
  }
  int value = 0;
  bool any = false;
  for (; i < format.size() && format[i] >= '0' && format[i] <= '9'; ++i, any = true)
    value = value < kWidest ? value * 10 + (format[i] - '0') : kWidest;
  if (any) conversion += std::to_string(value > kWidest ? kWidest : value);
}

}  // namespace

std::string format_device_printf(const std::string& format, const std::byte* block, std::size_t bytes,
                                 const std::function<std::string(std::uint64_t)>& string_at, int& count) {
  std::string text;
  Arguments arguments(block, bytes);
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] != '%') {
      text += format[i++];
      continue;
    }
    const std::size_t begin = i++;
    std::string conversion = "%";
    while (i < format.size() && std::strchr("-+ #0", format[i]) != nullptr) conversion += format[i++];
    take_number(format, i, conversion, arguments);
    if (i < format.size() && format[i] == '.') {
      conversion += format[i++];
      take_number(format, i, conversion, arguments);
    }
    bool is_long = false;
    for (; i < format.size() && std::strchr("hljztL", format[i]) != nullptr; ++i)
      is_long |= std::strchr("ljztL", format[i]) != nullptr;
    if (i >= format.size()) {  // an unfinished conversion is printed as it stands
      text.append(format, begin, std::string::npos);
      break;
    }
    const char type = format[i++];
    switch (type) {
      case 'd':
      case 'i':
        if (is_long)
          append(text, conversion + "lld", static_cast<long long>(arguments.take<std::int64_t>()));
        else
          append(text, conversion + type, arguments.take<std::int32_t>());
        break;
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        if (is_long)
          append(text, conversion + "ll" + type, static_cast<unsigned long long>(arguments.take<std::uint64_t>()));
        else
          append(text, conversion + type, arguments.take<std::uint32_t>());
        break;
      case 'c':
        append(text, conversion + type, arguments.take<std::int32_t>());
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        append(text, conversion + type, arguments.take<double>());
        break;
      case 'p':
        append(text, conversion + type, reinterpret_cast<void*>(arguments.take<std::uint64_t>()));
        break;
      case 's':
        append(text, conversion + type, string_at(arguments.take<std::uint64_t>()).c_str());
        break;
      case '%':
        text += '%';
        break;
      default:
        text.append(format, begin, i - begin);
    }
  }
  count = arguments.count();
  return text;
}

}  // namespace vgpu
