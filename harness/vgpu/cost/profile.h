// A device in numbers: the properties reported to a program, the limits of launches, how much fits on a multiprocessor.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace vgpu {

/// Keys of DeviceProfile::limits in a profile's [limits].
inline constexpr std::array kLimitNames = {"stack_bytes",      "printf_bytes",   "heap_bytes",          "sync_depth",
                                           "pending_launches", "l2_fetch_bytes", "persisting_l2_bytes", "shared_bytes"};

/// Sizes are in bytes.
struct DeviceProfile {
  std::string name;

  /// Every attribute the CUDA runtime knows of the device, by its name without "cudaDevAttr": {"WarpSize", 32}.
  std::map<std::string, std::int64_t, std::less<>> attributes;

  std::uint64_t memory = 0;
  std::uint32_t pitch_alignment = 0;

  // How multiprocessors allocate their resources.
  std::uint32_t register_allocation_unit = 0;  ///< registers of a warp are allocated in multiples of this
  std::uint32_t shared_allocation_unit = 0;
  std::uint32_t sub_partitions = 0;

  // Limits of launches; all from the attributes.
  std::uint32_t sm_count = 0;
  std::uint32_t sm_max_threads = 0;
  std::uint32_t sm_max_blocks = 0;
  std::uint32_t sm_registers = 0;
  std::uint32_t sm_shared = 0;
  std::uint32_t reserved_shared = 0;  ///< taken from every block by the system
  std::uint32_t block_max_threads = 0;
  std::array<std::uint32_t, 3> block_max_extent{};
  std::array<std::uint32_t, 3> grid_max_extent{};
  std::uint32_t block_registers = 0;
  std::uint32_t block_shared = 0;  ///< without opting in to more
  std::uint32_t block_shared_opt_in = 0;
  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t clock_kilohertz = 0, memory_kilohertz = 0, memory_bus_bits = 0;

  std::uint64_t l2_held_bytes = 0;  ///< what the second-level cache holds of data in use

  // Results of a multiprocessor per clock: multiply-adds, integer additions, approximate functions, lanes of memory
  // instructions.
  std::uint32_t fp32_fmas = 0, fp64_fmas = 0, int32_lanes = 0, special_lanes = 0, memory_lanes = 0;
  std::uint32_t tensor_fmas = 0;  ///< likewise, of matrices of f16 by mma

  /// Clocks until a read has its value; `busy_dram`: while the bus is full. `block`: from a block's end until the next
  /// one in its place is under way.
  struct {
    std::uint32_t shared = 0, l1 = 0, l2 = 0, dram = 0, busy_dram = 0, block = 0;
  } latency;

  /// Measured rates, rather than nominal ones.
  struct {
    std::uint32_t issue_percent = 0;             ///< of one instruction per clock and sub-partition
    std::uint32_t dram_percent = 0;              ///< of what the bus could carry
    std::uint32_t l2_bytes_per_clock = 0;        ///< of the whole device
    std::uint32_t atomic_turns_per_clock = 0;    ///< likewise: sectors that atomics change, at lines all over
    std::uint32_t atomic_line_picoseconds = 0;   ///< from one turn at a line to the next
    std::uint32_t match_clocks = 0;              ///< of a multiprocessor, for each of a warp's different values
    std::uint32_t launch_nanoseconds = 0;        ///< from the end of a kernel to the beginning of the next in a stream
    std::uint32_t launch_host_nanoseconds = 0;   ///< host time to launch one, or to request a copy or fill
    std::uint32_t reach_nanoseconds = 0;         ///< from there until an idle device begins
    std::uint32_t graph_launch_nanoseconds = 0;  ///< like launch_nanoseconds, where both kernels are of one graph
    std::uint32_t graph_node_host_nanoseconds = 0;  ///< host time for each node of a graph before it is launched
    std::uint32_t malloc_host_nanoseconds = 0;      ///< that the host takes for cudaMalloc
    std::uint32_t free_host_nanoseconds = 0;        ///< likewise, for cudaFree
    std::uint32_t allocate_host_nanoseconds = 0;    ///< host time to allocate in a stream
    std::uint32_t map_host_nanoseconds = 0;         ///< likewise, per 32 MiB that the pool does not hold yet
    std::uint32_t host_megabytes_per_second = 0;    ///< between pinned host memory and the device
    std::uint32_t pageable_megabytes_per_second = 0;
    std::uint32_t pin_megabytes_per_second = 0;  ///< for pinning memory, and for unpinning it
    std::uint32_t peer_megabytes_per_second = 0;
    std::uint32_t copy_nanoseconds = 0;  ///< of a copy between host and device, however small
  } rates;

  double gigahertz() const { return clock_kilohertz * 1e-6; }
  /// Reached by a kernel that only reads and writes. Data are transferred on both edges of the clock.
  double dram_bytes_per_nanosecond() const {
    constexpr double kTransfersOfClock = 2, kBitsOfByte = 8;
    return memory_kilohertz * 1e-6 * kTransfersOfClock * memory_bus_bits / kBitsOfByte * rates.dram_percent / 100;
  }

  /// cudaDeviceGetLimit, in the order of the enumeration cudaLimit.
  std::array<std::uint64_t, kLimitNames.size()> limits{};
};

/// Reads a profile from TOML text; a sentence naming the key if something is missing or of the wrong type.
std::variant<DeviceProfile, std::string> parse_profile(const std::string& toml);

/// The profiles that come with the virtual GPU, by the name of their file: "h200".
std::vector<std::string> built_in_profiles();

struct ProfileText {
  std::string toml;
};

/// A built-in profile by name, or the one in the TOML file at that path, or the text itself if it has several lines; a
/// sentence if there is none.
std::variant<ProfileText, std::string> profile_text(const std::string& name);
std::variant<DeviceProfile, std::string> load_profile(const std::string& name);

}  // namespace vgpu
