#include "harness/vgpu/fidelity/comparison.h"

#include <gtest/gtest.h>

#include "harness/vgpu/fidelity/profiles.h"

namespace vgpu::fidelity {
namespace {

constexpr const char* kKernel = "_Z4copyPKfPf";
constexpr const char* kReadable = "copy(const float*, float*)";
constexpr const char* kRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* kInstructions = "smsp__inst_executed_op_global_ld_pred_on_any.sum";
constexpr const char* kWavefronts = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";

ProgramRun run_of(std::map<std::string, double> counts, std::optional<double> blocks = std::nullopt) {
  return {"program", {1000, {{kReadable, 1, std::move(counts), blocks}}}, {}};
}

Profile launch(std::map<std::string, double> metrics) { return {"program", kKernel, std::move(metrics)}; }

std::size_t column(const std::string& group, const std::string& name) {
  for (std::size_t c = 0; c < metrics().size(); ++c)
    if (metrics()[c].group == group && metrics()[c].name == name) return c;
  ADD_FAILURE() << group << ": " << name;
  return 0;
}

Cell cell_of(const Row& row, const std::string& group, const std::string& name) {
  return row.cells.at(column(group, name));
}

Verdict sectors_verdict(double ours, double theirs, double instructions) {
  const auto rows = compare(run_of({{"global_load_requests", 100}, {"global_load_sectors", ours}}),
                            {launch({{kRequests, 100}, {kSectors, theirs}, {kInstructions, instructions}})});
  return cell_of(rows.at(0), "global loads", "sectors").verdict;
}

TEST(Comparison, OnePercentIsTheBarForSectors) {
  EXPECT_EQ(sectors_verdict(400, 400, 100), Verdict::kEqual);
  EXPECT_EQ(sectors_verdict(404, 400, 100), Verdict::kWithin);
  EXPECT_EQ(sectors_verdict(396, 400, 100), Verdict::kWithin);
  EXPECT_EQ(sectors_verdict(405, 400, 100), Verdict::kBeyond);
  EXPECT_EQ(sectors_verdict(395, 400, 100), Verdict::kBeyond);
  EXPECT_EQ(sectors_verdict(1, 0, 100), Verdict::kBeyond);
  EXPECT_EQ(sectors_verdict(0, 0, 100), Verdict::kNothing);
}

TEST(Comparison, WhatTheCompilerJoinedIsSaidWithNumbers) {
  EXPECT_EQ(sectors_verdict(800, 400, 25), Verdict::kRecompiled);
  const auto rows = compare(run_of({{"global_load_requests", 100}}), {launch({{kRequests, 25}, {kInstructions, 25}})});
  EXPECT_EQ(cell_of(rows.at(0), "global loads", "requests").verdict, Verdict::kRecompiled);
  EXPECT_EQ(rows[0].remark, "global loads 100 → 25");
}

TEST(Comparison, ALoadLessAndAStoreMoreAreOtherInstructions) {
  const auto verdict = [](double loads, double stores) {
    const std::string executed = "smsp__inst_executed_op_shared_", suffix = "_pred_on_any.sum";
    const auto rows = compare(
        run_of({{"shared_load_requests", 677}, {"shared_store_requests", 958}, {"shared_store_conflicts", 519}}),
        {launch({{"derived__memory_l1_wavefronts_shared_excessive", 548},
                 {executed + "ld" + suffix, loads},
                 {executed + "st" + suffix, stores}})});
    return cell_of(rows.at(0), "shared memory", "bank conflicts").verdict;
  };
  EXPECT_EQ(verdict(677, 958), Verdict::kBeyond);
  EXPECT_EQ(verdict(672, 963), Verdict::kRecompiled) << "though their sum is the same";
}

TEST(Comparison, WhatTheOrderOfWarpsDecidesIsSaidAndMayDifferByLittle) {
  const auto row = [](double ours, double theirs, double reordered) {
    ProgramRun run = run_of({{"shared_store_wavefronts", ours}});
    run.reordered = run_of({{"shared_store_wavefronts", reordered}}).counted;
    return compare(run, {launch({{kWavefronts, theirs}})}).at(0);
  };
  const Row little = row(980, 1000, 983);
  EXPECT_EQ(cell_of(little, "shared stores", "wavefronts").verdict, Verdict::kReordered);
  EXPECT_EQ(little.remark, "shared stores, wavefronts: 983 with warps in another order");
  EXPECT_EQ(cell_of(row(980, 1000, 980), "shared stores", "wavefronts").verdict, Verdict::kBeyond);
  EXPECT_EQ(cell_of(row(940, 1000, 943), "shared stores", "wavefronts").verdict, Verdict::kBeyond);
  EXPECT_EQ(cell_of(row(940, 1000, 1003), "shared stores", "wavefronts").verdict, Verdict::kReordered) << "between";
  EXPECT_EQ(cell_of(row(1060, 1000, 1700), "shared stores", "wavefronts").verdict, Verdict::kReordered)
      << "outside by less than a tenth";
  EXPECT_EQ(cell_of(row(1060, 1000, 1600), "shared stores", "wavefronts").verdict, Verdict::kBeyond);
  EXPECT_EQ(cell_of(row(995, 1000, 983), "shared stores", "wavefronts").verdict, Verdict::kWithin);
}

TEST(Comparison, BankConflictsAreJudgedByTheInstructionsAndNotByTheUnit) {
  const auto rows =
      compare(run_of({{"shared_load_requests", 1000}, {"shared_load_conflicts", 70}, {"shared_store_conflicts", 30}}),
              {launch({{"derived__memory_l1_wavefronts_shared_excessive", 101},
                       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 99}})});
  EXPECT_EQ(cell_of(rows.at(0), "shared memory", "bank conflicts").verdict, Verdict::kWithin);
  EXPECT_EQ(cell_of(rows.at(0), "shared loads", "conflicts in the unit").verdict, Verdict::kShown);
}

TEST(Comparison, ASumOfWhichAPartIsMissingIsNotMeasured) {
  const auto rows = compare(run_of({{"global_atomic_requests", 10}}),
                            {launch({{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 10}})});
  EXPECT_EQ(cell_of(rows.at(0), "global atomics", "requests").theirs, std::nullopt);
}

TEST(Comparison, LaunchesOfOneKernelAddUp) {
  ProgramRun run = run_of({{"global_load_requests", 30}});
  run.counted.kernels[0].launches = 2;
  const auto rows = compare(run, {launch({{kRequests, 10}}), launch({{kRequests, 20}})});
  EXPECT_EQ(cell_of(rows.at(0), "global loads", "requests").verdict, Verdict::kEqual);
  EXPECT_EQ(rows[0].remark, "");
  EXPECT_EQ(compare(run, {launch({{kRequests, 30}})}).at(0).remark, "2 launches here, 1 there");
}

TEST(Comparison, LaunchesOfOtherProgramsDoNotCount) {
  Profile other = launch({{kRequests, 99}});
  other.program = "another";
  const auto rows = compare(run_of({{"global_load_requests", 10}}), {launch({{kRequests, 10}}), other});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(cell_of(rows[0], "global loads", "requests").verdict, Verdict::kEqual);
}

TEST(Comparison, AKernelThatOneSideLacksIsSaid) {
  const auto rows = compare(run_of({}), {{"program", "_Z5otherv", {}}});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kernel, "copy");
  EXPECT_EQ(rows[0].remark, "not profiled");
  EXPECT_EQ(rows[1].kernel, "other");
  EXPECT_EQ(rows[1].remark, "not counted");
}

TEST(Comparison, DramIsJudgedWhereAKernelMovesFourTimesTheCache) {
  const auto verdict = [](double ours, double theirs) {
    const auto rows = compare(run_of({{"dram_read_bytes", ours}, {"dram_write_bytes", 64}}),
                              {launch({{"dram__bytes_read.sum", theirs}, {"dram__bytes_write.sum", 320}})});
    EXPECT_EQ(cell_of(rows.at(0), "DRAM", "bytes written").verdict, Verdict::kShown);  // less than the cache holds
    return cell_of(rows.at(0), "DRAM", "bytes read").verdict;
  };
  EXPECT_EQ(verdict(3000, 1000), Verdict::kShown);
  EXPECT_EQ(verdict(4400, 4000), Verdict::kWithin);
  EXPECT_EQ(verdict(4401, 4000), Verdict::kBeyond);
}

TEST(Comparison, OccupancyIsWhatTheProgramPrinted) {
  const ProgramRun run = run_of({}, 16);
  const std::map<std::string, double> limits = {{"launch__occupancy_limit_blocks", 32},
                                                {"launch__occupancy_limit_registers", 12}};
  EXPECT_EQ(cell_of(compare(run, {launch(limits)}).at(0), "occupancy", "blocks").theirs, 12);
  std::vector<Profile> profiles = {launch(limits)};
  add_printed_occupancy("copy2: 0x1, 3 blocks a multiprocessor\ncopy: 0x1, 16 blocks a multiprocessor\n", profiles);
  const Cell cell = cell_of(compare(run, profiles).at(0), "occupancy", "blocks");
  EXPECT_EQ(cell.theirs, 16);
  EXPECT_EQ(cell.verdict, Verdict::kEqual);
}

TEST(Comparison, ThreadsAnInstructionAreARatio) {
  const auto rows = compare(run_of({{"executions", 10}, {"thread_executions", 160}}),
                            {launch({{"smsp__inst_executed.sum", 20}, {"smsp__thread_inst_executed.sum", 320}})});
  const Cell cell = cell_of(rows.at(0), "threads", "per instruction");
  EXPECT_EQ(cell.ours, 16);
  EXPECT_EQ(cell.theirs, 16);
  EXPECT_EQ(cell.verdict, Verdict::kShown);
}

TEST(ShortName, LosesScopesParametersAndLongArguments) {
  EXPECT_EQ(short_name("copy(const float*, float*)"), "copy");
  EXPECT_EQ(short_name("void (anonymous namespace)::load_stride<7>(const int*, int*)"), "load_stride<7>");
  EXPECT_EQ(short_name("void (anonymous namespace)::tile<(anonymous namespace)::Padded>(const int*, int*)"),
            "tile<Padded>");
  EXPECT_EQ(short_name("void cub::v3::scan::Kernel<cub::v3::Policy<int, (cub::Order)0>, unsigned int*, long>(int)"),
            "Kernel");
  EXPECT_EQ(short_name("plain"), "plain");
}

TEST(CountersDocument, IsReadFromTheReport) {
  const auto read = read_counters(
      R"({"schema": "lanewise-vgpu-report", "version": 2, "device": {"l2_bytes": 62914560}, "findings": [],
          "kernels": [{"name": "f", "launches": 2, "occupancy": {"blocks_per_sm": 16, "limiter": "warps"},
                       "totals": {"executions": 12}, "memory": {"dram_read_bytes": 4096}},
                      {"name": "g", "launches": 1, "occupancy": null, "totals": {}}]})");
  ASSERT_TRUE(std::holds_alternative<CountersDocument>(read)) << std::get<std::string>(read);
  const auto& document = std::get<CountersDocument>(read);
  EXPECT_EQ(document.l2_bytes, 62914560);
  ASSERT_EQ(document.kernels.size(), 2u);
  EXPECT_EQ(document.kernels[0].counts.at("executions"), 12);
  EXPECT_EQ(document.kernels[0].counts.at("dram_read_bytes"), 4096);
  EXPECT_EQ(document.kernels[0].blocks_per_sm, 16);
  EXPECT_EQ(document.kernels[1].blocks_per_sm, std::nullopt);
}

TEST(CountersDocument, OtherTextIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"schema": "lanewise-vgpu-report"})", "{\"schema\": "})
    EXPECT_TRUE(std::holds_alternative<std::string>(read_counters(text))) << text;
}

}  // namespace
}  // namespace vgpu::fidelity
