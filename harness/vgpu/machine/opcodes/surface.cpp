// Surface loads and stores: suld.b and sust.b, bytes as they are. Along x they count bytes, along y and z elements.
#include "harness/vgpu/machine/opcodes/images.h"
#include "harness/vgpu/machine/opcodes/tables.h"
#include "harness/vgpu/machine/texture_fetch.h"

namespace vgpu {
namespace {

/// Entries of an instruction's list: the registers, then the coordinates.
constexpr std::size_t kRegisters = 4;

/// What an access is, packed into Insn::offset.
struct SurfaceAccess {
  std::uint32_t geometry = 0;
  BoundaryMode mode = BoundaryMode::kTrap;
  std::uint32_t elements = 1;        ///< registers of a lane
  std::uint32_t element_bytes = 4;   ///< of each, in the surface
  std::uint32_t register_bytes = 4;  ///< of each, in the lane

  std::uint32_t bytes() const { return elements * element_bytes; }
};

std::int64_t packed(const SurfaceAccess& access) {
  return access.geometry | static_cast<std::uint32_t>(access.mode) << 4 | access.elements << 8 |
         access.element_bytes << 12 | access.register_bytes << 16;
}

SurfaceAccess access_of(const Insn* insn) {
  const auto bits = static_cast<std::uint32_t>(insn->offset);
  return {bits & 15, static_cast<BoundaryMode>(bits >> 4 & 15), bits >> 8 & 15, bits >> 12 & 15, bits >> 16 & 15};
}

const std::vector<std::uint32_t>& list_of(const Insn* insn) {
  return *static_cast<const std::vector<std::uint32_t>*>(insn->extra);
}

/// The bytes of one lane's registers.
std::byte* register_bytes(Warp& warp, std::uint32_t offset, std::uint32_t bytes, int lane) {
  return warp.registers + offset + static_cast<std::uint32_t>(lane) * bytes;
}

/// The faces of cubes are layers to surfaces.
bool fits(ImageShape shape, std::uint32_t geometry) {
  const bool cube = shape == ImageShape::kCube || shape == ImageShape::kCubeLayered;
  return shape == shape_of(geometry) || (cube && geometry == kGeometryA2D);
}

struct Place {
  std::int32_t x = 0, y = 0;
  std::uint32_t z = 0;  ///< or the layer
};

Place place_of_lane(Warp& warp, const Insn* insn, std::uint32_t geometry, int lane) {
  const Geometry& shape = kGeometries[geometry];
  std::uint32_t given[4] = {};
  for (std::size_t n = 0; n < shape.coordinates; ++n)
    given[n] = lanes_at<std::uint32_t>(warp, list_of(insn)[kRegisters + n])[lane];
  const std::uint32_t* const at = shape.layered ? given + 1 : given;
  return {static_cast<std::int32_t>(at[0]), static_cast<std::int32_t>(at[1]), shape.layered ? given[0] : at[2]};
}

std::string out_of_range(const Image& image, const SurfaceAccess& access, const Place& place, bool stores) {
  std::string text = std::string("a surface ") + (stores ? "write" : "read") + " of " + std::to_string(access.bytes()) +
                     " bytes at byte " + std::to_string(place.x);
  const bool has_rows = access.geometry != kGeometry1D && access.geometry != kGeometryA1D;
  if (has_rows) text += " of row " + std::to_string(place.y);
  if (kGeometries[access.geometry].layered) text += " of layer " + std::to_string(place.z);
  if (access.geometry == kGeometry3D) text += " of slice " + std::to_string(static_cast<std::int32_t>(place.z));
  text += ", outside the surface: it has " + std::to_string(image.width * image.format.bytes()) + " bytes per row";
  if (has_rows) text += ", " + std::to_string(image.height) + " rows";
  if (kGeometries[access.geometry].layered) text += ", " + std::to_string(image.layers) + " layers";
  if (access.geometry == kGeometry3D) text += ", " + std::to_string(image.depth) + " slices";
  return text;
}

/// Finds where the lanes' bytes lie. Lanes outside are left out of `inside`; false if that has stopped the warp.
bool find_places(Warp& warp, const Insn* insn, const Image& image, Mask lanes, bool stores,
                 LaneAddresses<std::uint64_t>& addresses, Mask& inside) {
  const SurfaceAccess access = access_of(insn);
  if (!fits(image.shape, access.geometry)) {
    warp.fault(
        insn, FaultKind::kRefused, __builtin_ctz(lanes),
        std::string("a ") + kGeometries[access.geometry].words + " access to a " + words_for(image.shape) + " surface");
    return false;
  }
  for (Mask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    const Place place = place_of_lane(warp, insn, access.geometry, lane);
    if (place.x % static_cast<std::int32_t>(access.bytes()) != 0) {
      warp.fault(insn, FaultKind::kMisalignedAddress, lane,
                 "a surface access of " + std::to_string(access.bytes()) + " bytes at byte " + std::to_string(place.x) +
                     " of a row, which is not a multiple of " + std::to_string(access.bytes()) +
                     ": the x coordinate counts bytes");
      return false;
    }
    const std::optional<std::uint64_t> address =
        surface_address(image, place.x, place.y, place.z, access.bytes(), access.mode == BoundaryMode::kClamp);
    if (!address && access.mode != BoundaryMode::kZero) {
      warp.fault(insn, FaultKind::kIllegalAddress, lane, out_of_range(image, access, place, stores));
      return false;
    }
    addresses.at[lane] = address.value_or(0);
    inside |= static_cast<Mask>(address.has_value()) << lane;
  }
  return true;
}

template <bool Watched, bool Stores>
bool move_bytes(Warp& warp, const Insn* insn, const Image& image, Mask lanes) {
  const SurfaceAccess access = access_of(insn);
  LaneAddresses<std::uint64_t> addresses{};
  Mask inside = 0;
  if (!find_places(warp, insn, image, lanes, Stores, addresses, inside)) return false;
  Reach found{};
  if (inside != 0) {
    stand_in(addresses, inside);
    constexpr AccessKind kKind = Stores ? AccessKind::kStore : AccessKind::kLoad;
    found = reach<ptx::Space::kGlobal, Watched>(warp, insn, kKind, access.bytes(), inside, addresses);
    if (found.faulted) return false;
  }
  each_lane(Stores ? found.lanes : lanes, [&](int lane) {
    std::byte bytes[32] = {};
    std::byte* const at = found.base + addresses.at[lane];
    if (!Stores && (found.lanes >> lane & 1) != 0) std::memcpy(bytes, at, access.bytes());
    for (std::uint32_t n = 0; n < access.elements; ++n) {
      std::byte* const part = bytes + n * access.element_bytes;
      std::byte* const reg = register_bytes(warp, list_of(insn)[n], access.register_bytes, lane);
      if constexpr (Stores) {
        std::memcpy(part, reg, access.element_bytes);
      } else {  // registers wider than the element are filled up with zeros
        std::memset(reg, 0, access.register_bytes);
        std::memcpy(reg, part, access.element_bytes);
      }
    }
    if (Stores) std::memcpy(at, bytes, access.bytes());
  });
  return true;
}

/// a: the handle; extra: registers and coordinates; offset: what kind of access.
template <bool Watched, bool Stores>
const Insn* surface_access(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  const ImageHandles& images = images_of(warp);
  const bool goes_on = each_handle(lanes_at<std::uint64_t>(warp, insn->a), lanes, [&](std::uint64_t handle, Mask same) {
    const Image* const image = images.surface(handle);
    if (image != nullptr) return move_bytes<Watched, Stores>(warp, insn, *image, same);
    warp.fault(insn, FaultKind::kIllegalAddress, __builtin_ctz(same), images.why_no_surface(handle));
    return false;
  });
  return goes_on ? insn + 1 : nullptr;
}

template <bool Stores>
void build_surface_access(Builder& b) {
  SurfaceAccess access;
  if (!b.take("b")) b.refuse(b.spelled());
  access.geometry = take_geometry(b);
  b.take_one_of({"ca", "cg", "cs", "cv", "wb", "wt"});  // hints about caches
  const int vector = b.take_one_of({"v2", "v4"});
  access.elements = vector < 0 ? 1 : vector == 0 ? 2 : 4;
  const ptx::Type type = b.take_type();
  access.element_bytes = ptx::size_of(type);
  const int mode = b.take_one_of({"trap", "clamp", "zero"});
  const bool is_bits =
      type == ptx::Type::kB8 || type == ptx::Type::kB16 || type == ptx::Type::kB32 || type == ptx::Type::kB64;
  if (!is_bits || mode < 0 || access.bytes() > 16 || access.geometry > kGeometryA2D || b.operand_count() != 2)
    b.refuse(b.spelled());
  access.mode = static_cast<BoundaryMode>(mode);

  const ptx::Operand& registers = b.operand(Stores ? 1 : 0);
  const ptx::Operand& address = b.operand(Stores ? 0 : 1);
  const bool alone = registers.kind != ptx::Operand::Kind::kVector;
  if (!alone && registers.elements.size() != access.elements) b.refuse(b.spelled() + " of another number of registers");
  if (alone && access.elements != 1) b.refuse(b.spelled() + " of another number of registers");
  std::vector<std::uint32_t>& list = b.operand_list(kRegisters + 4);
  SlotSize size = slot_for(type);
  for (std::size_t n = 0; n < access.elements; ++n) {
    const ptx::Operand& reg = alone ? registers : registers.elements[n];
    const SlotSize found = Stores ? b.read_any(list[n], reg, size) : b.write_any(list[n], reg, size);
    if (found == SlotSize::kMask || (n != 0 && found != size) || found < slot_for(type))
      b.refuse(b.spelled() + " with registers of another size");
    size = found;
  }
  access.register_bytes = bytes_of(size) / kLanes;
  read_coordinates(b, address, access.geometry, list, kRegisters);
  b.read(b.insn.a, address.elements[0], SlotSize::k64);
  b.insn.extra = &list;
  b.insn.offset = packed(access);
  b.emit(b.monitored() ? &surface_access<true, Stores> : &surface_access<false, Stores>);
}

constexpr OpcodeRow kRows[] = {
    {"suld", &build_surface_access<false>},
    {"sust", &build_surface_access<true>},
};

}  // namespace

const OpcodeTable VGPU_ROWS(surface) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
