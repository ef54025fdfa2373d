// Boxes of tensors between global and shared memory, against a reference that goes element by element.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "harness/vgpu/machine/tensor_map.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;

constexpr U32 kTileThreads = 512, kTileBytes = 16 * kTileThreads;
constexpr std::byte kBlank{0xEE};
const char* const kTensorTile = ".shared .align 1024 .b8 tile[8192];\n.shared .align 8 .b64 bar;";

/// A map, where its box begins, and how much memory its tensor takes.
struct Box {
  TensorMap map;
  std::vector<int> at;
  U32 shared = 0;  ///< where in the tile
  std::size_t tensor_bytes = 0;

  U32 rows() const {
    U32 all = 1;
    for (U32 d = 1; d < map.dimensions; ++d) all *= (map.box[d] + map.step[d] - 1u) / map.step[d];
    return all;
  }
  std::string coordinates() const {
    std::string text;
    for (const int c : at) text += (text.empty() ? "{" : ", ") + std::to_string(c);
    return text + "}";
  }
  std::string dimensions() const { return std::to_string(at.size()) + "d"; }
};

/// One whose boxes may begin before the tensor and end behind it.
Box any_box(std::mt19937& random) {
  const auto upto = [&](U32 most) { return static_cast<U32>(random() % (most + 1)); };
  Box box;
  TensorMap& map = box.map;
  map.mark = TensorMap::kMark;
  map.dimensions = static_cast<std::uint8_t>(1 + upto(4));
  map.element_bytes = static_cast<std::uint8_t>(1u << upto(3));
  map.swizzle = static_cast<std::uint8_t>(upto(3));
  const U32 in_chunk = 16u / map.element_bytes;
  const U32 chunks = 1 + upto(map.swizzle == 0 ? 4 : (1u << map.swizzle) - 1);
  U32 most_rows = kTileBytes / 2 / std::max(16u * chunks, map.swizzle == 0 ? 16u : 16u << map.swizzle);
  box.tensor_bytes = 16;
  for (U32 d = 0; d < map.dimensions; ++d) {
    map.length[d] = 1 + upto(d == 0 ? 8 * in_chunk : 6);
    map.step[d] = static_cast<std::uint8_t>(d == 0 ? 1 : 1 + upto(2));
    map.box[d] = static_cast<std::uint16_t>(d == 0 ? chunks * in_chunk : 1 + upto(std::min(most_rows, 5u) - 1));
    if (d > 0) most_rows = std::max(1u, most_rows / map.box[d]);
    const int first = static_cast<int>(upto(static_cast<U32>(map.length[d]) + 4)) - 3;
    box.at.push_back(d == 0 ? first / static_cast<int>(in_chunk) * static_cast<int>(in_chunk) : first);
    if (d == 0) {
      box.tensor_bytes = map.length[0] * map.element_bytes;
    } else {
      map.stride[d - 1] = (box.tensor_bytes + 15) / 16 * 16 + 16 * upto(2);
      box.tensor_bytes = map.stride[d - 1] * map.length[d];
    }
  }
  box.tensor_bytes = (box.tensor_bytes + 15) / 16 * 16;  // a store's last chunk is whole
  box.shared = 128 * upto(7);
  return box;
}

/// Calls visit(byte of the tensor, or -1 outside of it, byte of the tile) for every byte of a box. `whole_chunks`: what
/// shares 16 bytes with an element of the tensor counts as inside.
template <class Visit>
void each_byte(const Box& box, bool whole_chunks, const Visit& visit) {
  const TensorMap& map = box.map;
  for (U32 row = 0; row < box.rows(); ++row)
    for (U32 byte = 0; byte < U32{map.box[0]} * map.element_bytes; ++byte) {
      const std::int64_t x = box.at[0] * std::int64_t{map.element_bytes} + byte;
      const std::int64_t end = static_cast<std::int64_t>(map.length[0]) * map.element_bytes;
      bool inside = x >= 0 && x < (whole_chunks ? (end + 15) / 16 * 16 : end);
      std::int64_t at = x;
      U32 rest = row;
      for (U32 d = 1; d < map.dimensions; ++d) {
        const U32 along = (map.box[d] + map.step[d] - 1u) / map.step[d];
        const std::int64_t c = box.at[d] + std::int64_t{rest % along} * map.step[d];
        rest /= along;
        inside = inside && c >= 0 && c < static_cast<std::int64_t>(map.length[d]);
        at += c * static_cast<std::int64_t>(map.stride[d - 1]);
      }
      const U32 pitch = map.swizzle == 0 ? U32{map.box[0]} * map.element_bytes : 16u << map.swizzle;
      U32 to = box.shared + row * pitch + byte;
      to ^= (to >> 7 & ((1u << map.swizzle) - 1)) << 4;  // the tile begins at a multiple of 1024
      visit(inside ? at : -1, to);
    }
}

Bytes map_bytes(const TensorMap& map) {
  Bytes bytes(128);
  std::memcpy(bytes.data(), &map, sizeof map);
  return bytes;
}

/// Buffer 0 is the tile, 1 the map, whose address is filled in, 2 the tensor.
const std::string kBegin =
    "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 16, %r9;\nmul.wide.u32 %rd5, %r0, 16;\nadd.u64 %rd5, %rd5, %rd0;\n"
    "setp.ne.u32 %p1, %r0, 0;\nld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd5];\nst.shared.v4.u32 [%r5], {%r10, "
    "%r11, %r12, %r13};\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 1;\nst.global.u64 [%rd1+8], %rd2;\n"
    "fence.proxy.async;\nREADY:\nbar.sync 0;\n";

std::string loading(const Box& box, U32 bytes) {
  const std::string tile = "[tile+" + std::to_string(box.shared) + "], ";
  return kBegin + "@%p1 bra WAIT;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], " + std::to_string(bytes) +
         ";\ncp.async.bulk.prefetch.tensor." + box.dimensions() + ".L2.global.tile [%rd1, " + box.coordinates() +
         "];\nprefetch.tensormap [%rd1];\ncp.async.bulk.tensor." + box.dimensions() +
         ".shared::cluster.global.tile.mbarrier::complete_tx::bytes " + tile + "[%rd1, " + box.coordinates() +
         "], [bar];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
         "ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r5];\nst.global.v4.u32 [%rd5], {%r10, %r11, %r12, %r13};\n";
}

std::string storing(const Box& box) {
  return kBegin + "@%p1 bra DONE;\ncp.async.bulk.tensor." + box.dimensions() +
         ".global.shared::cta.tile.bulk_group [%rd1, " + box.coordinates() + "], [tile+" + std::to_string(box.shared) +
         "];\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:\n";
}

Program program_of(const std::string& body) {
  Program program;
  program.ptx = kernel_with(3, body, kTensorTile);
  program.shape.block.x = kTileThreads;
  return program;
}

std::string described(const Box& box) {
  std::string text = std::to_string(box.map.element_bytes) + " bytes an element, swizzle " +
                     std::to_string(box.map.swizzle) + ", tile+" + std::to_string(box.shared) + ", at " +
                     box.coordinates() + ", lengths";
  for (U32 d = 0; d < box.map.dimensions; ++d)
    text += " " + std::to_string(box.map.length[d]) + "/" + std::to_string(box.map.box[d]) + "/" +
            std::to_string(box.map.step[d]);
  return text;
}

TEST(TensorCopy, BoxesArriveAsTheReferenceLaysThemOut) {
  std::mt19937 random(1);
  for (int n = 0; n < 300; ++n) {
    Box box = any_box(random);
    box.map.fills_with_nan = n % 2;
    Bytes tensor(box.tensor_bytes), expected(kTileBytes, kBlank);
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<std::byte>(i * 37 + i / 256);
    each_byte(box, false, [&](std::int64_t from, U32 to) {
      const std::byte fill = box.map.fills_with_nan == 0 ? std::byte{0} : std::byte(to % 2 == 0 ? 0xF7 : 0x7F);
      expected.at(to) = from < 0 ? fill : tensor.at(static_cast<std::size_t>(from));
    });
    Program program = program_of(loading(box, box.rows() * box.map.box[0] * box.map.element_bytes));
    program.watch = n % 3 == 0 ? Watch::kEverything : Watch::kNobody;
    const auto after = run_cleanly(program, {Bytes(kTileBytes, kBlank), map_bytes(box.map), tensor});
    ASSERT_EQ(after.at(0), expected) << described(box);
  }
}

TEST(TensorCopy, BoxesGoOutInChunksOfSixteenBytes) {
  std::mt19937 random(2);
  for (int n = 0; n < 300; ++n) {
    Box box = any_box(random);
    box.at[0] = std::max(box.at[0], 0);
    Bytes tile(kTileBytes), expected(box.tensor_bytes, kBlank);
    for (std::size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<std::byte>(i * 37 + i / 256);
    each_byte(box, true, [&](std::int64_t to, U32 from) {
      if (to >= 0) expected.at(static_cast<std::size_t>(to)) = tile.at(from);
    });
    Program program = program_of(storing(box));
    program.watch = n % 3 == 0 ? Watch::kEverything : Watch::kNobody;
    const auto after = run_cleanly(program, {tile, map_bytes(box.map), Bytes(box.tensor_bytes, kBlank)});
    ASSERT_EQ(after.at(2), expected) << described(box);
  }
}

Box small_box() {
  Box box;
  box.map.mark = TensorMap::kMark;
  box.map.dimensions = 2;
  box.map.element_bytes = 4;
  box.map.length = {16, 8};
  box.map.stride = {64};
  box.map.box = {8, 4};
  box.map.step = {1, 1};
  box.at = {4, 2};
  box.tensor_bytes = 512;
  return box;
}

TEST(TensorCopy, SeveralBlocksOfAClusterReceiveOneBox) {
  Box box = small_box();
  std::vector<U32> tensor(128);
  for (U32 i = 0; i < tensor.size(); ++i) tensor[i] = 1000 + i;
  // Block 1 of 4 sends to blocks 0, 1 and 3, each of which waits at its own mbarrier.
  const std::string body =
      "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nmov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p4, %r20, 2;\n"
      "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 1;\nmbarrier.arrive.expect_tx.shared."
      "b64 _, [bar], 128;\nfence.mbarrier_init.release.cluster;\nREADY:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;"
      "\nsetp.ne.u32 %p3, %r20, 1;\n@%p1 bra WAIT;\n@%p3 bra WAIT;\nst.global.u64 [%rd1+8], %rd2;\nmov.u16 %h1, 11;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_"
      "hint [tile], [%rd1, {4, 2}], [bar], %h1, %rd0;\nWAIT:\n@%p4 bra "
      "DONE;\nTRY:\nmbarrier.try_wait.parity.shared.b64 "
      "%p2, [bar], 0;\n@!%p2 bra TRY;\nld.shared.u32 %r6, [%r5];\nmul.wide.u32 %rd9, %r1, 4;\nadd.u64 %rd9, %rd9, "
      "%rd0;\nst.global.u32 [%rd9], %r6;\nDONE:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  for (const Watch watch : {Watch::kNobody, Watch::kEverything}) {
    Program program;
    program.ptx = kernel_with(3, body, kTensorTile);
    program.shape = {{4, 1, 1}, {32, 1, 1}, 0, false, true, {4, 1, 1}};
    program.options.resident_blocks = 4;
    program.watch = watch;
    const auto got = values_of<U32>(
        run_cleanly(program, {bytes_of(std::vector<U32>(128)), map_bytes(box.map), bytes_of(tensor)}).at(0));
    for (U32 block = 0; block < 4; ++block)
      for (U32 i = 0; i < 32; ++i)
        ASSERT_EQ(got[block * 32 + i], block == 2 ? 0 : 1000 + (2 + i / 8) * 16 + 4 + i % 8) << block << ", " << i;
  }
}

TEST(TensorCopy, MisuseStopsTheKernelAsAGpuDoes) {
  struct Row {
    const char* what;
    FaultKind kind;
    void (*spoil)(Box&);
  };
  const Row rows[] = {
      {"no map", FaultKind::kIllegalInstruction, [](Box& box) { box.map.mark = 0; }},
      {"a box of no elements", FaultKind::kIllegalInstruction, [](Box& box) { box.map.box[1] = 0; }},
      {"a step of 0", FaultKind::kIllegalInstruction, [](Box& box) { box.map.step[1] = 0; }},
      {"six dimensions", FaultKind::kIllegalInstruction, [](Box& box) { box.map.dimensions = 6; }},
      {"another number of coordinates", FaultKind::kIllegalInstruction, [](Box& box) { box.at.push_back(0); }},
      {"a box that begins within a chunk", FaultKind::kIllegalInstruction, [](Box& box) { box.at[0] = 5; }},
      {"a shared address within 128 bytes", FaultKind::kMisalignedAddress, [](Box& box) { box.shared = 64; }},
      {"larger than shared memory", FaultKind::kIllegalAddress,
       [](Box& box) {
         box.map.box = {256, 256}, box.map.element_bytes = 8;
       }},
      {"more rows than can be counted", FaultKind::kIllegalAddress,
       [](Box& box) {
         box.map.dimensions = 5;
         box.map.box = {8, 256, 256, 256, 256};
         box.map.length = {16, 8, 8, 8, 8};
         box.map.stride = {64, 64, 64, 64};
         box.map.step = {1, 1, 1, 1, 1};
         box.at = {4, 2, 0, 0, 0};
       }},
      {"TF32 of other sizes", FaultKind::kIllegalInstruction,
       [](Box& box) { box.map.rounds_to_tf32 = 1, box.map.element_bytes = 1, box.map.box[0] = 32; }},
      {"beyond the tile's block", FaultKind::kIllegalAddress,
       [](Box& box) {
         box.map.box = {8, 255};
         box.shared = 4096;
       }},
      {"a tensor that is not there", FaultKind::kIllegalAddress, [](Box& box) { box.map.stride[0] = 1u << 30; }},
  };
  for (const Row& row : rows) {
    Box box = small_box();
    row.spoil(box);
    const Result result =
        run(program_of(loading(box, 128)), {Bytes(kTileBytes), map_bytes(box.map), Bytes(box.tensor_bytes)});
    EXPECT_EQ(result.refusal, "") << row.what;
    EXPECT_EQ(result.outcome.fault.kind, row.kind) << row.what << ": " << result.outcome.fault.sentence;
  }
}

TEST(TensorCopy, AMapLiesAtAMultipleOf64Bytes) {
  const Box box = small_box();
  for (const std::size_t at : {8, 16, 32, 64, 96}) {
    Bytes maps(at), map = map_bytes(box.map);
    maps.insert(maps.end(), map.begin(), map.end());
    const Program program = program_of("add.u64 %rd1, %rd1, " + std::to_string(at) + ";\n" + loading(box, 128));
    const Fault fault = run(program, {Bytes(kTileBytes), maps, Bytes(box.tensor_bytes)}).outcome.fault;
    EXPECT_EQ(fault.kind, at % 64 == 0 ? FaultKind::kNone : FaultKind::kMisalignedAddress) << fault.sentence;
    EXPECT_EQ(fault.sentence.find("not a multiple of 64") != std::string::npos, at % 64 != 0) << fault.sentence;
  }
}

TEST(TensorCopy, NoStoreBeginsBeforeARow) {
  Box box = small_box();
  box.at[0] = -4;
  const Result result = run(program_of(storing(box)), {Bytes(kTileBytes), map_bytes(box.map), Bytes(box.tensor_bytes)});
  EXPECT_EQ(result.outcome.fault.kind, FaultKind::kIllegalInstruction) << result.outcome.fault.sentence;
}

TEST(TensorCopy, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r5], [%rd0, {%r6, %r6, "
        "%r6}], [%r7], {%h1};",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd0, {%r6}], [%r7];",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r5], [%rd0], [%r7];",
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%rd0, {%r6}], [%r5];"}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
