// The scalar video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr and vset on bytes, halves or all of a
// register, whose result is clamped, put into a part of another one, or combined with it. Those on all parts of a
// register at once that compilers still write are in simd_arithmetic.cpp.
#include <algorithm>
#include <cstring>

#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

enum class VideoOp : std::uint8_t { kAdd, kSub, kDistance, kMin, kMax, kShl, kShr, kEq, kNe, kLt, kLe, kGt, kGe };
enum class Second : std::uint8_t { kNone, kMerge, kAdd, kMin, kMax };

struct Part {
  std::uint8_t at : 5, bits : 6;
  std::uint8_t is_signed : 1;

  std::int64_t of(std::uint32_t word) const {
    const auto part = static_cast<std::uint32_t>(std::uint64_t{word} << (32 - bits - at));  // to the upper end
    if (is_signed != 0) return static_cast<std::int32_t>(part) >> (32 - bits);
    return part >> (32 - bits);
  }
  std::int64_t clamped(std::int64_t value) const {
    const std::int64_t range = std::int64_t{1} << bits;
    return std::clamp(value, is_signed != 0 ? -range / 2 : 0, is_signed != 0 ? range / 2 - 1 : range - 1);
  }
  std::uint32_t put_into(std::uint32_t word, std::int64_t value) const {
    const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << bits) - 1) << at);
    return (word & ~mask) | (static_cast<std::uint32_t>(value) << at & mask);
  }
};

/// Insn::offset of these.
struct Video {
  VideoOp op;
  Second second;
  bool saturates : 1, wraps : 1;
  std::uint8_t unused;
  std::uint8_t parts[3];  ///< of d, a, b: position / 8, 2 bits; bits / 8, 3 bits; whether it is signed

  Part part(std::size_t n) const {
    return {static_cast<std::uint8_t>((parts[n] & 3) * 8), static_cast<std::uint8_t>((parts[n] >> 2 & 7) * 8),
            static_cast<std::uint8_t>(parts[n] >> 5)};
  }
};
static_assert(sizeof(Video) <= sizeof Insn::offset);

std::int64_t first_result(const Video& video, std::int64_t a, std::int64_t b) {
  const auto shift = static_cast<int>(video.wraps ? b & 31 : std::clamp<std::int64_t>(b, 0, 32));
  switch (video.op) {
    case VideoOp::kAdd:
      return a + b;
    case VideoOp::kSub:
      return a - b;
    case VideoOp::kDistance:
      return a < b ? b - a : a - b;
    case VideoOp::kMin:
      return std::min(a, b);
    case VideoOp::kMax:
      return std::max(a, b);
    case VideoOp::kShl:  // by 32, all are out of range: as much as there is room for says so
      if (shift == 32) a = std::min<std::int64_t>(a, 0x7FFFFFFF);
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << shift);
    case VideoOp::kShr:
      return a >> shift;
    case VideoOp::kEq:
      return a == b ? 1 : 0;
    case VideoOp::kNe:
      return a != b ? 1 : 0;
    case VideoOp::kLt:
      return a < b ? 1 : 0;
    case VideoOp::kLe:
      return a <= b ? 1 : 0;
    case VideoOp::kGt:
      return a > b ? 1 : 0;
    case VideoOp::kGe:
      return a >= b ? 1 : 0;
  }
  return 0;
}

std::uint32_t result_of(const Video& video, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const Part to = video.part(0);
  std::int64_t first = first_result(video, video.part(1).of(a), video.part(2).of(b));
  if (video.saturates) first = to.clamped(first);
  if (video.second == Second::kMerge) return to.put_into(c, first);
  const Part whole{0, 32, to.is_signed};
  const std::int64_t x = whole.of(static_cast<std::uint32_t>(first)), y = whole.of(c);
  switch (video.second) {
    case Second::kAdd:
      return static_cast<std::uint32_t>(x + y);
    case Second::kMin:
      return static_cast<std::uint32_t>(std::min(x, y));
    case Second::kMax:
      return static_cast<std::uint32_t>(std::max(x, y));
    default:
      return static_cast<std::uint32_t>(x);
  }
}

const Insn* execute_video(Warp& warp, const Insn* insn) {
  Video video;
  std::memcpy(&video, &insn->offset, sizeof video);
  const auto* const a = lanes_at<std::uint32_t>(warp, insn->a);
  const auto* const b = lanes_at<std::uint32_t>(warp, insn->b);
  const auto* const c = lanes_at<std::uint32_t>(warp, insn->c);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return result_of(video, a[lane], b[lane], c[lane]); });
  return insn + 1;
}

std::uint8_t packed_part(Builder& b, const ptx::Operand& operand, ptx::Type type) {
  if (type != ptx::Type::kU32 && type != ptx::Type::kS32) b.refuse(b.spelled());
  const auto is_signed = static_cast<unsigned>(type == ptx::Type::kS32) << 5;
  const std::string_view part = b.take_part(operand);
  if (part.empty()) return static_cast<std::uint8_t>(4u << 2 | is_signed);
  const bool is_byte = part[0] == 'b';
  const unsigned n = part.size() == 2 ? static_cast<unsigned>(part[1] - '0') : 4;
  if ((!is_byte && part[0] != 'h') || n > (is_byte ? 3u : 1u)) b.refuse("the part ." + std::string(part));
  return static_cast<std::uint8_t>((is_byte ? n : 2 * n) | (is_byte ? 1u : 2u) << 2 | is_signed);
}

/// vadd.s32.u32.s32.sat.max d, a.b0, b.h1, c; and vadd.s32.u32.s32.sat d.b2, a.b0, b.h1, c.
void build_video(Builder& b, VideoOp op, bool compares) {
  Video video{};
  video.op = op;
  const ptx::Type to = compares ? ptx::Type::kU32 : b.take_type();
  const ptx::Type first = b.take_type(), second = b.take_type();
  video.saturates = !compares && b.take("sat");
  if (op == VideoOp::kShl || op == VideoOp::kShr) {
    video.wraps = b.take("wrap");
    if (!video.wraps && !b.take("clamp")) b.refuse(b.spelled());
    if (second != ptx::Type::kU32) b.refuse(b.spelled());
  }
  const int combines = b.take_one_of({"add", "min", "max"});
  video.parts[0] = packed_part(b, b.operand(0), to);
  video.parts[1] = packed_part(b, b.operand(1), first);
  video.parts[2] = packed_part(b, b.operand(2), second);
  const bool merges = !b.operand(0).part.empty();
  if ((merges && combines >= 0) || b.operand_count() != (merges || combines >= 0 ? 4u : 3u)) b.refuse(b.spelled());
  if (merges) video.second = Second::kMerge;
  if (combines >= 0) video.second = static_cast<Second>(static_cast<int>(Second::kAdd) + combines);
  std::memcpy(&b.insn.offset, &video, sizeof video);
  if (b.operand_count() == 4)
    b.read(b.insn.c, b.operand(3), SlotSize::k32);
  else
    b.constant(b.insn.c, 0, SlotSize::k32);
  emit_binary(b, &execute_video, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

template <VideoOp Op>
void build_arithmetic(Builder& b) {
  build_video(b, Op, false);
}

void build_vset(Builder& b) {
  const int comparison = b.take_one_of({"eq", "ne", "lt", "le", "gt", "ge"});
  if (comparison < 0) b.refuse(b.spelled());
  build_video(b, static_cast<VideoOp>(static_cast<int>(VideoOp::kEq) + comparison), true);
}

constexpr OpcodeRow kRows[] = {
    {"vadd", &build_arithmetic<VideoOp::kAdd>},
    {"vsub", &build_arithmetic<VideoOp::kSub>},
    {"vmin", &build_arithmetic<VideoOp::kMin>},
    {"vmax", &build_arithmetic<VideoOp::kMax>},
    {"vshl", &build_arithmetic<VideoOp::kShl>},
    {"vshr", &build_arithmetic<VideoOp::kShr>},
    {"vset", &build_vset},
    {"vabsdiff", &build_arithmetic<VideoOp::kDistance>},
};

}  // namespace

const OpcodeTable VGPU_ROWS(video) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
