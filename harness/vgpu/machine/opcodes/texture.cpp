// Texture fetches and queries: tex, tld4, txq. Textures are named by handles in registers, as nvcc's code does it.
#include <algorithm>
#include <new>

#include "harness/vgpu/machine/opcodes/images.h"
#include "harness/vgpu/machine/opcodes/tables.h"
#include "harness/vgpu/machine/texture_fetch.h"

namespace vgpu {
namespace {

/// Entries of an instruction's list: where the four channels go, then the coordinates.
constexpr std::size_t kCoordinates = 4;

/// What is given behind the coordinates.
enum class Detail : std::uint32_t { kBase, kLevel, kGradient };

/// What a fetch instruction is, packed into Insn::offset.
struct FetchKind {
  std::uint32_t geometry = 0;
  std::uint32_t component = 0;  ///< of a gather
  bool gathers = false;
  bool whole_coordinates = false;  ///< integers, which name elements of linear memory
  Detail detail = Detail::kBase;
};

std::int64_t packed(const FetchKind& kind) {
  return kind.geometry | kind.component << 8 | std::uint32_t{kind.gathers} << 16 |
         std::uint32_t{kind.whole_coordinates} << 17 | static_cast<std::uint32_t>(kind.detail) << 18;
}

FetchKind fetch_kind_of(const Insn* insn) {
  const auto bits = static_cast<std::uint32_t>(insn->offset);
  return {bits & 0xFF, bits >> 8 & 0xFF, (bits >> 16 & 1) != 0, (bits >> 17 & 1) != 0, static_cast<Detail>(bits >> 18)};
}

const std::vector<std::uint32_t>& list_of(const Insn* insn) {
  return *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
}

using LaneFootprints = std::array<TexelFootprint, kLanes>;
using LaneChannels = std::array<Channels, kLanes>;

/// Why a texture cannot be fetched from with such an instruction; empty if it can.
std::string misuse(const Texture& texture, const FetchKind& kind) {
  const ImageShape shape = texture.image.shape;
  if (kind.whole_coordinates)
    return shape == ImageShape::kLinear ? ""
                                        : std::string("a fetch with integer coordinates (tex1Dfetch) from a ") +
                                              words_for(shape) + " texture: it needs one of linear memory";
  if (shape == ImageShape::kLinear)
    return "a fetch with floating-point coordinates from a texture of linear memory: it needs tex1Dfetch";
  if (shape != shape_of(kind.geometry))
    return std::string("a ") + kGeometries[kind.geometry].words + " fetch from a " + words_for(shape) + " texture";
  if (kind.detail == Detail::kGradient && texture.anisotropic) return "an anisotropic fetch along a gradient";
  return "";
}

std::uint32_t bits_at(Warp& warp, std::uint32_t offset, int lane) {
  return lanes_at<std::uint32_t>(warp, offset)[lane];
}

/// What one lane's fetch reads.
TexelFootprint lane_footprint(Warp& warp, const Insn* insn, const FetchKind& kind, const Texture& texture, int lane) {
  const std::vector<std::uint32_t>& list = list_of(insn);
  if (kind.whole_coordinates) {
    TexelFootprint one;
    one.count = 1;
    const auto index = static_cast<std::int32_t>(bits_at(warp, list[kCoordinates], lane));
    const std::optional<std::uint64_t> address = linear_address(texture.image, index);
    one.taps[0] = {address.value_or(0), address.has_value(), 1};
    return one;
  }
  const Geometry& geometry = kGeometries[kind.geometry];
  TexturePoint point;
  std::size_t next = kCoordinates;
  if (geometry.layered) point.layer = bits_at(warp, list[next++], lane);
  const auto take_floats = [&](std::size_t count) {
    std::array<float, 3> taken{};
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint32_t bits = bits_at(warp, list[next++], lane);
      std::memcpy(&taken[n], &bits, sizeof bits);
    }
    return taken;
  };
  point.at = take_floats(axes_of(geometry));
  if (kind.detail == Detail::kLevel) point.level = take_floats(1)[0];
  if (kind.detail == Detail::kGradient) {
    const std::array<float, 3> dx = take_floats(axes_of(geometry)), dy = take_floats(axes_of(geometry));
    point.level = level_of_detail(texture, point.at, dx, dy);
  }
  return kind.gathers ? gather_footprint(texture, point) : footprint(texture, point);
}

/// Values of tap number `tap` of every lane in `lanes`; false if the warp has stopped.
template <bool Watched>
bool read_tap(Warp& warp, const Insn* insn, const Texture& texture, Mask lanes, const LaneFootprints& footprints,
              std::size_t tap, LaneChannels& values) {
  Mask reads = 0;
  LaneAddresses<std::uint64_t> addresses{};
  each_lane(lanes, [&](int lane) {
    const TexelFootprint& footprint = footprints[static_cast<std::size_t>(lane)];
    if (tap >= static_cast<std::size_t>(footprint.count)) return;
    const Tap& here = footprint.taps[tap];
    addresses.at[lane] = here.address;
    reads |= static_cast<Mask>(here.inside && here.weight != 0) << lane;
    values[static_cast<std::size_t>(lane)] = border_value(texture);
  });
  if (reads == 0) return true;
  stand_in(addresses, reads);
  const std::uint32_t bytes = texture.image.format.bytes();
  const Reach found = reach<ptx::Space::kGlobal, Watched>(warp, insn, AccessKind::kLoad, bytes, reads, addresses);
  if (found.faulted) return false;
  each_lane(reads, [&](int lane) {
    std::byte element[16] = {};
    if ((found.lanes >> lane & 1) != 0) std::memcpy(element, found.base + addresses.at[lane], bytes);
    values[static_cast<std::size_t>(lane)] = element_value(texture, element);
  });
  return true;
}

/// Fetches from one texture for the lanes that named it; false if the warp has stopped.
template <bool Watched>
bool fetch_from(Warp& warp, const Insn* insn, const Texture& texture, Mask lanes, LaneChannels& results) {
  const FetchKind kind = fetch_kind_of(insn);
  if (const std::string problem = misuse(texture, kind); !problem.empty()) {
    warp.fault(insn, FaultKind::kRefused, __builtin_ctz(lanes), problem);
    return false;
  }
  LaneFootprints footprints;
  std::size_t count = 0;
  each_lane(lanes, [&](int lane) {
    TexelFootprint& here = footprints[static_cast<std::size_t>(lane)];
    new (&here) TexelFootprint(lane_footprint(warp, insn, kind, texture, lane));  // not copied
    count = std::max(count, static_cast<std::size_t>(here.count));
  });
  std::array<LaneChannels, kMostTaps> values;
  for (std::size_t tap = 0; tap < count; ++tap)
    if (!read_tap<Watched>(warp, insn, texture, lanes, footprints, tap, values[tap])) return false;
  each_lane(lanes, [&](int at) {
    const auto lane = static_cast<std::size_t>(at);
    if (kind.gathers) {
      for (std::size_t n = 0; n < 4; ++n) results[lane][n] = values[n][lane][kind.component];
    } else if (footprints[lane].count == 1) {
      results[lane] = values[0][lane];
    } else {
      std::array<Channels, kMostTaps> of_lane;
      for (std::size_t n = 0; n < static_cast<std::size_t>(footprints[lane].count); ++n) of_lane[n] = values[n][lane];
      results[lane] = blend_values(footprints[lane], of_lane);
    }
  });
  return true;
}

/// a: the handle; extra: channels and coordinates; offset: what kind of fetch; dst: where to say that the elements are
/// resident, which all are, or 0.
template <bool Watched>
const Insn* fetch(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  if (lanes == 0) return insn + 1;
  LaneChannels results{};
  const ImageHandles& images = images_of(warp);
  const bool goes_on = each_handle(lanes_at<std::uint64_t>(warp, insn->a), lanes, [&](std::uint64_t handle, Mask same) {
    const Texture* const texture = images.texture(handle);
    if (texture != nullptr) return fetch_from<Watched>(warp, insn, *texture, same, results);
    warp.fault(insn, FaultKind::kIllegalAddress, __builtin_ctz(same), images.why_no_texture(handle));
    return false;
  });
  if (!goes_on) return nullptr;
  for (std::size_t c = 0; c < 4; ++c) {
    std::uint32_t* const to = lanes_at<std::uint32_t>(warp, list_of(insn)[c]);
    each_lane(lanes, [&](int lane) { to[lane] = results[static_cast<std::size_t>(lane)][c]; });
  }
  if (insn->dst != 0) set_mask(mask_at(warp, insn->dst), lanes, kAllLanes);
  return insn + 1;
}

/// Reads a level of detail, or a gradient for each of two directions, into the list behind the coordinates.
void read_detail(Builder& b, const FetchKind& kind, std::vector<std::uint32_t>& list) {
  const std::size_t axes = axes_of(kGeometries[kind.geometry]);
  std::size_t next = kCoordinates + kGeometries[kind.geometry].coordinates;
  if (kind.detail == Detail::kLevel) b.read(list[next], b.operand(2), SlotSize::k32);
  if (kind.detail != Detail::kGradient) return;
  for (const ptx::Operand* const gradient : {&b.operand(2), &b.operand(3)}) {
    const bool is_vector = gradient->kind == ptx::Operand::Kind::kVector;
    const std::size_t given = is_vector ? gradient->elements.size() : 1;
    if (given != axes && !(axes == 3 && given == 4))
      b.refuse(b.spelled() + " with a gradient of " + std::to_string(given));
    for (std::size_t n = 0; n < axes; ++n)
      b.read(list[next++], is_vector ? gradient->elements[n] : *gradient, SlotSize::k32);
  }
}

/// Operands: {d, e, f, g}{|p}, [handle, coordinates], then a level of detail or two gradients.
void build_any_fetch(Builder& b, FetchKind kind) {
  const std::size_t more = static_cast<std::size_t>(kind.detail);
  if (!b.take("v4")) b.refuse(b.spelled());
  const ptx::Type result = b.take_type(), coordinate = b.take_type();
  const bool gives_32_bits = result == ptx::Type::kU32 || result == ptx::Type::kS32 || result == ptx::Type::kF32;
  kind.whole_coordinates = coordinate == ptx::Type::kS32;
  const bool known_coordinates =
      coordinate == ptx::Type::kF32 || (kind.whole_coordinates && kind.geometry == kGeometry1D && !kind.gathers);
  if (!gives_32_bits || !known_coordinates || b.operand_count() != 2 + more) b.refuse(b.spelled());

  const ptx::Operand* channels = &b.operand(0);
  if (channels->kind == ptx::Operand::Kind::kVector && channels->elements.size() == 2) {
    if (!b.is_predicate(channels->elements[1])) b.refuse(b.spelled() + " into something that is not a predicate");
    b.write(b.insn.dst, channels->elements[1], SlotSize::kMask);
    channels = &channels->elements[0];
  }
  if (channels->kind != ptx::Operand::Kind::kVector || channels->elements.size() != 4)
    b.refuse(b.spelled() + " of another number of registers");
  std::vector<std::uint32_t>& list = b.operand_list(kCoordinates + 4 + 2 * 3);
  for (std::size_t c = 0; c < 4; ++c) b.write(list[c], channels->elements[c], SlotSize::k32);
  read_coordinates(b, b.operand(1), kind.geometry, list, kCoordinates);
  read_detail(b, kind, list);
  b.read(b.insn.a, b.operand(1).elements[0], SlotSize::k64);
  b.insn.extra = &list;
  b.insn.offset = packed(kind);
  b.emit(b.monitored() ? &fetch<true> : &fetch<false>);
}

void build_fetch(Builder& b) {
  FetchKind kind;
  const int detail = b.take_one_of({"base", "level", "grad"});  // base where nothing is said
  kind.detail = static_cast<Detail>(std::max(detail, 0));
  kind.geometry = take_geometry(b);
  build_any_fetch(b, kind);
}

void build_gather(Builder& b) {
  FetchKind kind;
  kind.gathers = true;
  const int component = b.take_one_of({"r", "g", "b", "a"});
  kind.geometry = take_geometry(b);
  if (component < 0 || kind.geometry != kGeometry2D) b.refuse(b.spelled());
  kind.component = static_cast<std::uint32_t>(component);
  build_any_fetch(b, kind);
}

/// In the order build_query looks for them.
enum class Question : std::int64_t { kWidth, kHeight, kDepth, kLayers };

std::uint32_t answer(const Image& image, Question question) {
  const ImageShape shape = image.shape;
  const bool has_layers = image.layers > 1 || shape == ImageShape::k1DLayered || shape == ImageShape::k2DLayered;
  const bool has_rows = shape != ImageShape::kLinear && shape != ImageShape::k1D && shape != ImageShape::k1DLayered;
  switch (question) {
    case Question::kWidth:
      return image.width;
    case Question::kHeight:
      return has_rows ? image.height : 0;
    case Question::kDepth:
      return shape == ImageShape::k3D ? image.depth : 0;
    case Question::kLayers:
      return has_layers ? image.layers : 0;
  }
  return 0;
}

/// a: the handle; b: whether it is a surface's; offset: the question.
const Insn* query(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  const ImageHandles& images = images_of(warp);
  const bool of_surface = insn->b != 0;
  alignas(64) std::uint32_t answers[kLanes] = {};
  const bool goes_on = each_handle(lanes_at<std::uint64_t>(warp, insn->a), lanes, [&](std::uint64_t handle, Mask same) {
    const Texture* const texture = of_surface ? nullptr : images.texture(handle);
    const Image* const image = of_surface ? images.surface(handle) : texture != nullptr ? &texture->image : nullptr;
    if (image == nullptr) {
      warp.fault(insn, FaultKind::kIllegalAddress, __builtin_ctz(same),
                 of_surface ? images.why_no_surface(handle) : images.why_no_texture(handle));
      return false;
    }
    each_lane(same, [&](int lane) { answers[lane] = answer(*image, static_cast<Question>(insn->offset)); });
    return true;
  });
  if (!goes_on) return nullptr;
  blend(lanes_at<std::uint32_t>(warp, insn->dst), answers, lanes);
  return insn + 1;
}

/// Operands: d, [handle].
void build_query(Builder& b, bool of_surface) {
  const int question = b.take_one_of({"width", "height", "depth", "array_size"});
  if (question < 0 || b.take_type() != ptx::Type::kB32 || b.operand_count() != 2) b.refuse(b.spelled());
  const ptx::Operand& address = b.operand(1);
  if (address.kind != ptx::Operand::Kind::kAddress || address.offset != 0) b.refuse(b.spelled());
  b.write(b.insn.dst, b.operand(0), SlotSize::k32);
  b.read(b.insn.a, address.elements[0], SlotSize::k64);
  b.insn.b = of_surface ? 1 : 0;
  b.insn.offset = question;
  b.emit(&query);
}

void build_texture_query(Builder& b) { build_query(b, false); }
void build_surface_query(Builder& b) { build_query(b, true); }

constexpr OpcodeRow kRows[] = {
    {"tex", &build_fetch},
    {"tld4", &build_gather},
    {"txq", &build_texture_query},
    {"suq", &build_surface_query},
};

}  // namespace

const OpcodeTable VGPU_ROWS(texture) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
