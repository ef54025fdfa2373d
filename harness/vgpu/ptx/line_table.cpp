#include "harness/vgpu/ptx/line_table.h"

#include <cstring>
#include <optional>
#include <utility>

namespace vgpu::ptx {
namespace {

// DWARF 2.0.0, section 6.2: the standard opcodes that are not merely skipped, and two of the extended ones.
constexpr std::uint8_t kExtended = 0, kCopy = 1, kAdvanceAddress = 2, kAdvanceLine = 3, kAddConstantAddress = 8,
                       kAdvanceFixed = 9;
constexpr std::uint8_t kEndOfSequence = 1, kSetAddress = 2;

/// What a program's header says of its opcodes.
struct LineHeader {
  std::uint16_t version = 0;
  std::uint8_t address_step = 0;
  std::int8_t first_line_step = 0;
  std::uint8_t line_steps = 0, first_special = 0;
  std::vector<std::uint8_t> operands;  ///< of the standard opcodes, from 1 on
};

class LineReader {
 public:
  explicit LineReader(std::string_view bytes) : bytes_(bytes) {}

  bool is_at_end() const { return at_ >= bytes_.size(); }
  std::uint64_t at() const { return at_; }

  template <class T>
  T take() {
    T value{};
    if (sizeof value > bytes_.size() - at_) return skip_to_end(), value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  std::uint64_t take_number() { return take_leb(nullptr); }

  std::int64_t take_signed() {
    unsigned bits = 0;
    std::uint64_t value = take_leb(&bits);
    if (bits != 0 && bits < 64 && (value >> (bits - 1) & 1) != 0) value |= ~std::uint64_t{0} << bits;
    return static_cast<std::int64_t>(value);
  }

  void skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) return skip_to_end();
    at_ += count;
  }

 private:
  void skip_to_end() { at_ = bytes_.size(); }

  std::uint64_t take_leb(std::uint32_t* bits) {
    constexpr std::uint8_t kMore = 0x80;
    std::uint64_t value = 0;
    for (unsigned shift = 0; !is_at_end(); shift += 7) {
      const auto byte = take<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & (kMore - 1U)} << shift;
      if ((byte & kMore) == 0) {
        if (bits != nullptr) *bits = shift + 7;
        break;
      }
    }
    return value;
  }

  std::string_view bytes_;
  std::uint64_t at_ = 0;
};

/// One program of the table; `begins_at`: its place in the section.
class LineProgram {
 public:
  LineProgram(std::string_view bytes, std::uint64_t begins_at, std::size_t& rows_left)
      : reader_(bytes), begins_at_(begins_at), rows_left_(rows_left) {}

  void run(std::vector<LineSequence>& sequences) {
    const std::optional<LineHeader> header = read_header();
    if (!header) return;
    LineSequence sequence;
    Row row;
    while (!reader_.is_at_end() && rows_left_ != 0) {
      const auto opcode = reader_.take<std::uint8_t>();
      if (opcode == kExtended) {
        if (!extended(row, sequence)) continue;
        sequences.push_back(std::exchange(sequence, {}));
        row = {};
      } else {
        step(*header, opcode, row, sequence);
      }
    }
  }

 private:
  struct Row {
    std::uint64_t address = 0;
    std::uint64_t line = 1;  ///< modulo 2^64: hostile steps may lead anywhere
  };

  std::optional<LineHeader> read_header() {
    LineHeader header;
    header.version = reader_.take<std::uint16_t>();
    const auto rest = reader_.take<std::uint32_t>();
    const std::uint64_t end = reader_.at() + rest;
    header.address_step = reader_.take<std::uint8_t>();
    reader_.skip(1);  // whether rows begin statements
    header.first_line_step = reader_.take<std::int8_t>();
    header.line_steps = reader_.take<std::uint8_t>();
    header.first_special = reader_.take<std::uint8_t>();
    if (header.version < 2 || header.version > 3 || header.line_steps == 0 || header.first_special == 0)
      return std::nullopt;
    for (std::uint8_t opcode = 1; opcode < header.first_special; ++opcode)
      header.operands.push_back(reader_.take<std::uint8_t>());
    if (end < reader_.at()) return std::nullopt;
    reader_.skip(end - reader_.at());  // the names of files
    return header;
  }

  /// Whether the sequence ends.
  bool extended(Row& row, LineSequence& sequence) {
    const std::uint64_t bytes = reader_.take_number();
    if (bytes == 0) return false;
    const auto opcode = reader_.take<std::uint8_t>();
    if (opcode == kEndOfSequence) add(row, sequence);
    if (opcode == kSetAddress && bytes == 1 + sizeof(std::uint64_t)) {
      sequence.base = begins_at_ + reader_.at();
      row.address = reader_.take<std::uint64_t>();
    } else {
      reader_.skip(bytes - 1);
    }
    return opcode == kEndOfSequence;
  }

  void step(const LineHeader& header, std::uint8_t opcode, Row& row, LineSequence& sequence) {
    const auto special = [&](std::uint8_t of) { return static_cast<std::uint8_t>(of - header.first_special); };
    if (opcode >= header.first_special) {
      row.address += std::uint64_t{header.address_step} * (special(opcode) / header.line_steps);
      row.line += static_cast<std::uint64_t>(header.first_line_step + special(opcode) % header.line_steps);
      return add(row, sequence);
    }
    switch (opcode) {
      case kCopy:
        return add(row, sequence);
      case kAdvanceAddress:
        row.address += header.address_step * reader_.take_number();
        return;
      case kAdvanceLine:
        row.line += static_cast<std::uint64_t>(reader_.take_signed());
        return;
      case kAddConstantAddress:
        row.address += std::uint64_t{header.address_step} * (special(255) / header.line_steps);
        return;
      case kAdvanceFixed:
        row.address += reader_.take<std::uint16_t>();
        return;
      default:
        for (std::uint8_t n = 0; n < header.operands[opcode - 1U]; ++n) reader_.take_number();
    }
  }

  void add(const Row& row, LineSequence& sequence) {
    --rows_left_;
    sequence.line_from[row.address] = static_cast<std::uint32_t>(row.line);
  }

  LineReader reader_;
  std::uint64_t begins_at_;
  std::size_t& rows_left_;
};

}  // namespace

std::vector<LineSequence> read_line_table(std::string_view section) {
  constexpr std::size_t kLength = sizeof(std::uint32_t);
  std::size_t rows_left = std::size_t{1} << 20;  // a row takes a byte there, and many times that here
  std::vector<LineSequence> sequences;
  for (std::size_t at = 0; section.size() - at > kLength;) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, section.data() + at, kLength);
    at += kLength;
    const std::string_view program = section.substr(at, bytes);
    LineProgram(program, at, rows_left).run(sequences);
    at += program.size();
  }
  return sequences;
}

}  // namespace vgpu::ptx
