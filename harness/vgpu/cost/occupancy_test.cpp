// Occupancy of an H200, computed by hand, and against the toolkit's own calculator over the whole range of launches.
#include "harness/vgpu/cost/occupancy.h"

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include <climits>
#include <variant>

namespace vgpu {
namespace {

DeviceProfile profile_of_h200() { return std::get<DeviceProfile>(load_profile("h200")); }

// A multiprocessor of an H200 has 2,048 threads, 32 blocks, 65,536 registers in 4 parts and 233,472 bytes of shared
// memory, of which every block loses 1,024 to the system.
TEST(Occupancy, IsThatComputedByHand) {
  const DeviceProfile profile = profile_of_h200();
  const struct {
    BlockResources block;
    std::uint32_t blocks;
    OccupancyLimit limit;
  } rows[] = {
      {{1024, 32, 0}, 2, OccupancyLimit::kThreads},
      {{256, 32, 0}, 8, OccupancyLimit::kThreads},
      {{192, 32, 0}, 10, OccupancyLimit::kThreads},  // 64 warps, 6 a block
      {{33, 32, 0}, 32, OccupancyLimit::kThreads},   // 2 warps a block
      {{32, 32, 0}, 32, OccupancyLimit::kBlocks},
      {{1, 0, 0}, 32, OccupancyLimit::kBlocks},
      {{256, 33, 0}, 6, OccupancyLimit::kRegisters},  // 33 x 32 = 1,056, given out as 1,280: 12 warps a part, 48 in all
      {{256, 40, 0}, 6, OccupancyLimit::kRegisters},  // 1,280 exactly
      {{256, 41, 0}, 5, OccupancyLimit::kRegisters},  // 1,312, given out as 1,536: 10 warps a part, 40 in all
      {{1024, 64, 0}, 1, OccupancyLimit::kRegisters},
      {{256, 255, 0}, 1, OccupancyLimit::kRegisters},  // 8,160, given out as 8,192: 2 warps a part, 8 in all
      {{288, 255, 0}, 0, OccupancyLimit::kRegisters},  // 9 warps take 3 of one part
      {{1024, 65, 0}, 0, OccupancyLimit::kRegisters},
      {{128, 32, 13568}, 16, OccupancyLimit::kThreads},  // 13,568 and 1,024: 16 blocks, as many as by threads
      {{128, 32, 13569}, 15, OccupancyLimit::kShared},   // 14,593, given out as 14,720
      {{128, 32, 49152}, 4, OccupancyLimit::kShared},    // 50,176
      {{128, 32, 232448}, 1, OccupancyLimit::kShared},   // all of it
      {{128, 32, 232449}, 0, OccupancyLimit::kShared},
      {{32, 16, 6272}, 32, OccupancyLimit::kShared},  // 7,296: exactly 32, as many as by blocks
  };
  for (const auto& row : rows) {
    const Occupancy got = occupancy_of(profile, row.block);
    EXPECT_EQ(got.blocks_per_sm, row.blocks) << row.block.threads << " threads, " << row.block.registers_per_thread
                                             << " registers, " << row.block.shared_bytes << " bytes";
    EXPECT_EQ(got.limit, row.limit) << row.block.threads << " threads, " << row.block.registers_per_thread
                                    << " registers, " << row.block.shared_bytes << " bytes";
  }
}

TEST(Occupancy, OfImpossibleBlocksIsNone) {
  EXPECT_EQ(occupancy_of(profile_of_h200(), {0, 32, 0}).blocks_per_sm, 0u);
  EXPECT_EQ(occupancy_of(profile_of_h200(), {1025, 32, 0}).blocks_per_sm, 0u);
}

TEST(Occupancy, AgreesWithTheToolkitsCalculator) {
  const DeviceProfile profile = profile_of_h200();
  cudaOccDeviceProp device;
  device.computeMajor = static_cast<int>(profile.compute_major);
  device.computeMinor = static_cast<int>(profile.compute_minor);
  device.maxThreadsPerBlock = static_cast<int>(profile.block_max_threads);
  device.maxThreadsPerMultiprocessor = static_cast<int>(profile.sm_max_threads);
  device.regsPerBlock = static_cast<int>(profile.block_registers);
  device.regsPerMultiprocessor = static_cast<int>(profile.sm_registers);
  device.warpSize = 32;
  device.sharedMemPerBlock = profile.block_shared;
  device.sharedMemPerMultiprocessor = profile.sm_shared;
  device.numSms = static_cast<int>(profile.sm_count);
  device.sharedMemPerBlockOptin = profile.block_shared_opt_in;
  device.reservedSharedMemPerBlock = profile.reserved_shared;
  int compared = 0;
  for (int threads = 1; threads <= 1024; threads += threads < 70 ? 1 : 31) {
    for (int registers = 16; registers <= 255; ++registers) {
      for (const int shared : {0, 1, 1000, 6272, 6273, 16384, 49152, 100000, 115712, 115713, 232448}) {
        cudaOccFuncAttributes function;
        function.maxThreadsPerBlock = INT_MAX;
        function.numRegs = registers;
        function.sharedSizeBytes = 0;
        function.partitionedGCConfig = PARTITIONED_GC_OFF;
        function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        function.maxDynamicSharedSizeBytes = profile.block_shared_opt_in;
        function.numBlockBarriers = 1;
        function.virtualResourceCount = 0;
        const cudaOccDeviceState state;
        cudaOccResult result{};
        ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads,
                                                          static_cast<std::size_t>(shared)),
                  CUDA_OCC_SUCCESS);
        const BlockResources block{static_cast<std::uint32_t>(threads), static_cast<std::uint32_t>(registers),
                                   static_cast<std::uint32_t>(shared)};
        ASSERT_EQ(occupancy_of(profile, block).blocks_per_sm,
                  static_cast<std::uint32_t>(result.activeBlocksPerMultiprocessor))
            << threads << " threads, " << registers << " registers, " << shared << " bytes";
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 200'000);
}

}  // namespace
}  // namespace vgpu
