// Reads .npy files: the magic, a header that is a Python dictionary, and the elements; then puts these in order.
#include "datasets/npy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "datasets/file_contents.h"
#include "datasets/text_lines.h"

namespace lanewise {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a big-endian machine must swap the other way");

constexpr std::uintmax_t kMostNpyBytes = std::uintmax_t{1} << 36;
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxExtents = 64;  // NumPy's own limit

struct TypeRow {
  NpyType type;
  char kind;  // as a dtype spells it
  std::size_t size;
  const char* name;
};

constexpr std::array<TypeRow, 10> kTypes{{{NpyType::kInt8, 'i', 1, "int8"},
                                          {NpyType::kUint8, 'u', 1, "uint8"},
                                          {NpyType::kInt16, 'i', 2, "int16"},
                                          {NpyType::kUint16, 'u', 2, "uint16"},
                                          {NpyType::kInt32, 'i', 4, "int32"},
                                          {NpyType::kUint32, 'u', 4, "uint32"},
                                          {NpyType::kInt64, 'i', 8, "int64"},
                                          {NpyType::kUint64, 'u', 8, "uint64"},
                                          {NpyType::kFloat32, 'f', 4, "float32"},
                                          {NpyType::kFloat64, 'f', 8, "float64"}}};

const TypeRow& row_of(NpyType type) { return kTypes[static_cast<std::size_t>(type)]; }

// What a header says of the array behind it.
struct NpyHeader {
  NpyType type = NpyType::kFloat32;
  bool is_big_endian = false;
  bool is_fortran_order = false;
  std::vector<std::int64_t> shape;
};

// What the kinds of elements that are not read are called.
std::string name_of_kind(char kind) {
  switch (kind) {
    case 'O':
      return "Python objects, which are pickled and can execute code when loaded";
    case 'b':
    case '?':
      return "booleans";
    case 'c':
      return "complex numbers";
    case 'S':
    case 'a':
    case 'U':
      return "text";
    case 'V':
      return "raw memory";
    case 'M':
    case 'm':
      return "dates";
    default:
      return "";
  }
}

// The dictionary of a header: a parser of just the Python that numpy.save writes. Functions that can fail return true
// if they did, with the sentence in fault_.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::size_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  std::variant<NpyHeader, DataError> parse() {
    if (dictionary()) return DataError{std::move(fault_)};
    return std::move(header_);
  }

 private:
  bool fail_at(std::size_t at, const std::string& what) {
    fault_ = name_ + ", byte " + std::to_string(offset_ + at) + ": " + what;
    return true;
  }
  bool fail_wanted(const std::string& wanted) {
    const std::string_view rest = text_.substr(at_, 20);
    return fail_at(at_, "the header must have " + wanted + " here, not " + (rest.empty() ? "its end" : shown(rest)));
  }

  void skip_space() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) ++at_;
  }
  bool begins(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  bool skip(std::string_view word) {
    skip_space();
    if (!begins(word)) return false;
    at_ += word.size();
    return true;
  }

  bool dictionary();
  bool pair();
  bool string(const std::string& what, std::string_view& result);
  bool description();
  bool order();
  bool shape();
  bool extent();

  std::string_view text_;
  std::size_t offset_;  // of text_ in the file
  std::string name_;
  std::size_t at_ = 0;
  std::string fault_;
  NpyHeader header_;
  bool has_description_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

bool HeaderParser::dictionary() {
  if (!skip("{")) return fail_wanted("'{'");
  while (!skip("}")) {
    if (pair()) return true;
    if (skip(",")) continue;
    if (skip("}")) break;
    return fail_wanted("',' or '}'");
  }
  skip_space();
  if (at_ != text_.size()) return fail_wanted("nothing more");
  for (const auto& [has, key] :
       {std::pair{has_description_, "descr"}, std::pair{has_order_, "fortran_order"}, std::pair{has_shape_, "shape"}})
    if (!has) return fail_at(at_, std::string("the header ends without a '") + key + "'");
  return false;
}

bool HeaderParser::pair() {
  skip_space();
  const std::size_t begin = at_;
  std::string_view key;
  if (string("a quoted key", key)) return true;
  if (!skip(":")) return fail_wanted("':'");
  skip_space();
  const auto once = [this, begin, key](bool& has) {
    return std::exchange(has, true) && fail_at(begin, shown(key) + " appears twice");
  };
  if (key == "descr") return once(has_description_) || description();
  if (key == "fortran_order") return once(has_order_) || order();
  if (key == "shape") return once(has_shape_) || shape();
  return fail_at(begin, shown(key) + " is not a header key; the keys are 'descr', 'fortran_order' and 'shape'");
}

bool HeaderParser::string(const std::string& what, std::string_view& result) {
  skip_space();
  if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return fail_wanted(what);
  const std::size_t last = text_.find(text_[at_], at_ + 1);
  if (last == std::string_view::npos) return fail_at(at_, "the string that begins here does not end");
  result = text_.substr(at_ + 1, last - at_ - 1);
  at_ = last + 1;
  return false;
}

bool HeaderParser::description() {
  const std::size_t begin = at_;
  if (begins("[") || begins("(") || begins("{"))
    return fail_at(begin, "the array holds records; save each field separately");
  std::string_view dtype;
  if (string("the quoted element type", dtype)) return true;
  std::string_view rest = dtype;
  char order = '=';
  if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) {
    order = rest[0];
    rest.remove_prefix(1);
  }
  const char kind = rest.empty() ? '\0' : rest[0];
  const std::string_view size = rest.empty() ? rest : rest.substr(1);
  for (const TypeRow& row : kTypes)
    if (row.kind == kind && size == std::to_string(row.size)) {
      if (order == '|' && row.size > 1) return fail_at(begin, shown(dtype) + " does not state the byte order");
      header_.type = row.type;
      header_.is_big_endian = order == '>';
      return false;
    }
  const std::string wanted = "; integers of 8 to 64 bits, float32 and float64 are supported: use astype before saving";
  const std::string known = name_of_kind(kind);
  if (!known.empty()) return fail_at(begin, "the array holds " + known + " (" + shown(dtype) + ")" + wanted);
  return fail_at(begin, "elements of type " + shown(dtype) + " are not supported" + wanted);
}

bool HeaderParser::order() {
  if (skip("True")) {
    header_.is_fortran_order = true;
  } else if (!skip("False")) {
    return fail_wanted("True or False");
  }
  return false;
}

bool HeaderParser::shape() {
  if (!skip("(")) return fail_wanted("a tuple of extents, as in (3, 4),");
  bool is_tuple = true;  // (3) is no tuple, (3,) is one
  while (!skip(")")) {
    if (extent()) return true;
    is_tuple = skip(",");
    if (is_tuple) continue;
    if (skip(")")) break;
    return fail_wanted("',' or ')'");
  }
  if (!is_tuple && header_.shape.size() == 1) {
    --at_;
    return fail_wanted("a ',' after a single extent");
  }
  return false;
}

bool HeaderParser::extent() {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+' || (text_[at_] >= '0' && text_[at_] <= '9')))
    ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  const auto parsed = whole_number(word);
  const auto* value = std::get_if<std::int64_t>(&parsed);
  if (value == nullptr && std::get<NumberFault>(parsed) == NumberFault::kNoNumber) {
    at_ = begin;
    return fail_wanted("an extent (a whole number)");
  }
  if (value == nullptr) return fail_at(begin, shown(word) + " is too large for an extent");
  if (*value < 0) return fail_at(begin, "the extent " + shown(word) + " is negative");
  if (header_.shape.size() == kMaxExtents)
    return fail_at(begin, "the shape has more than " + std::to_string(kMaxExtents) + " extents");
  header_.shape.push_back(*value);
  if (begins("L")) ++at_;  // as Python 2 wrote long integers
  return false;
}

// Elements of an array of this shape; nothing if their bytes cannot be counted in 63 bits.
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape, std::size_t size) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(size);
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > most / count) return std::nullopt;
    count *= extent;
  }
  return count;
}

std::string described(const NpyHeader& header) {
  std::string text;
  for (const std::int64_t extent : header.shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return (text.empty() ? "one" : text) + " of " + row_of(header.type).name;
}

void swap_bytes(std::vector<std::byte>& bytes, std::size_t size) {
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) std::reverse(&bytes[at], &bytes[at] + size);
}

// The elements that lie column by column in `from`, row by row.
std::vector<std::byte> by_rows(const std::vector<std::byte>& from, const std::vector<std::int64_t>& shape,
                               std::size_t size) {
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::size_t> stride(shape.size(), size);  // bytes from an element to the next one along an extent
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * static_cast<std::size_t>(shape[d - 1]);
  std::vector<std::byte> to(from.size());
  std::size_t source = 0;
  for (std::size_t at = 0; at < to.size(); at += size) {
    std::memcpy(&to[at], &from[source], size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      source += stride[d];
      if (++index[d] < shape[d]) break;
      source -= stride[d] * static_cast<std::size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return to;
}

std::optional<std::string> unlike_npy(std::string_view contents) {
  const auto begins = [&contents](std::string_view magic) { return contents.substr(0, magic.size()) == magic; };
  if (begins("PK\x03\x04") || begins("PK\x05\x06"))
    return "is an archive of arrays (.npz); unpack it (unzip) and read the .npy files in it";
  if (begins("\x1F\x8B")) return "is compressed with gzip; unpack it first (gunzip)";
  if (contents.size() > 1 && contents[0] == '\x80' && contents[1] >= 2 && contents[1] <= 5)
    return "is a Python pickle, which can execute code when loaded and is not supported; use numpy.save";
  if (!begins(kMagic))
    return "is not a NumPy array: it begins with " + shown(contents.substr(0, 6)) + ", not with '\\x93NUMPY'";
  return std::nullopt;
}

}  // namespace

std::size_t npy_size_of(NpyType type) { return row_of(type).size; }

const char* npy_name_of(NpyType type) { return row_of(type).name; }

std::variant<NpyArray, DataError> decode_npy(std::string_view contents, const std::string& name) {
  if (const auto fault = unlike_npy(contents)) return DataError{name + " " + *fault};
  const auto byte = [&contents](std::size_t at) { return std::size_t{static_cast<unsigned char>(contents[at])}; };
  const std::size_t version = contents.size() > 7 ? byte(6) : 0;
  const std::size_t first = version == 1 ? 10 : 12;  // of the header
  if (contents.size() < 8 || (version >= 1 && version <= 3 && contents.size() < first))
    return DataError{name + " is cut short: it ends after " + std::to_string(contents.size()) +
                     " bytes, inside its header"};
  if (version < 1 || version > 3 || byte(7) != 0)
    return DataError{name + ", byte 6: format version " + std::to_string(byte(6)) + "." + std::to_string(byte(7)) +
                     " is not supported; 1.0, 2.0 and 3.0 are"};
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > contents.size() - first)
    return DataError{name + ", byte 8: the header should have " + std::to_string(length) + " bytes, but " +
                     std::to_string(contents.size() - first) + " follow; is the file cut short?"};

  auto parsed = HeaderParser(contents.substr(first, length), first, name).parse();
  if (auto* error = std::get_if<DataError>(&parsed)) return std::move(*error);
  auto& header = std::get<NpyHeader>(parsed);
  const std::string_view elements = contents.substr(first + length);
  const std::size_t size = npy_size_of(header.type);
  const auto count = element_count(header.shape, size);
  const std::string promise = name + ": the header promises " +
                              (count ? std::to_string(*count * static_cast<std::int64_t>(size)) : "more than 2^63") +
                              " bytes (" + described(header) + "), but ";
  if (!count || static_cast<std::size_t>(*count) * size > elements.size())
    return DataError{promise + "the file has " + std::to_string(elements.size()) + " after it; is it cut short?"};
  if (static_cast<std::size_t>(*count) * size < elements.size())
    return DataError{promise + "the file has " + std::to_string(elements.size()) + " after it; nothing " +
                     "may follow the array"};

  NpyArray array{header.type, std::move(header.shape), {}};
  array.bytes.resize(elements.size());
  if (!elements.empty()) std::memcpy(array.bytes.data(), elements.data(), elements.size());
  if (header.is_big_endian) swap_bytes(array.bytes, size);
  if (header.is_fortran_order && array.shape.size() > 1) array.bytes = by_rows(array.bytes, array.shape, size);
  return array;
}

std::variant<NpyArray, DataError> read_npy(const std::filesystem::path& file) {
  auto bytes = read_contents(file, "NumPy", kMostNpyBytes);
  if (auto* error = std::get_if<DataError>(&bytes)) return std::move(*error);
  return decode_npy(as_text(std::get<std::vector<std::uint8_t>>(bytes)), quoted(file));
}

std::optional<DataError> write_npy(const std::filesystem::path& file, const NpyArray& array) {
  const auto refused = [&file](const std::string& why) { return DataError{quoted(file) + " was not written: " + why}; };
  const TypeRow& row = row_of(array.type);
  if (array.shape.size() > kMaxExtents)
    return refused("the array has more than " + std::to_string(kMaxExtents) + " extents");
  const bool has_negative = std::any_of(array.shape.begin(), array.shape.end(), [](std::int64_t e) { return e < 0; });
  const auto count = element_count(array.shape, row.size);
  if (has_negative || !count || static_cast<std::size_t>(*count) * row.size != array.bytes.size())
    return refused("the array's shape does not fit its " + std::to_string(array.bytes.size()) + " bytes");

  std::string shape;
  for (const std::int64_t extent : array.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
  if (array.shape.size() == 1) shape += ",";
  std::string header = std::string("{'descr': '") + (row.size == 1 ? '|' : '<') + row.kind + std::to_string(row.size) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kFirst = 10;
  constexpr std::size_t kAlignment = 64;  // of the elements, for those who map the file
  header.resize((kFirst + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kFirst - 1, ' ');
  header += '\n';
  std::string prefix(kMagic);
  prefix += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  return write_contents(file,
                        {prefix, header, {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}});
}

}  // namespace lanewise
