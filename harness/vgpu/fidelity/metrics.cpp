// Which counter of ours stands for which metric of Nsight Compute (sm_90).
#include "harness/vgpu/fidelity/comparison.h"

namespace vgpu::fidelity {
namespace {

using Names = Metric::Names;

constexpr double kExact = 0;
constexpr double kDramBar = 0.1;

/// Warp instructions of machine code that at least one thread took part in; where that was not measured, all.
std::vector<Names> executed(const std::string& operation) {
  const std::string all = "smsp__inst_executed_op_" + operation;
  return {{all + "_pred_on_any.sum"}, {all + ".sum"}};
}

/// Requests and sectors of one kind of access to global or local memory.
void add_sectors(std::vector<Metric>& all, const std::string& group, const std::string& ours,
                 const std::vector<std::string>& accesses, const std::vector<Names>& instructions) {
  Names requests, sectors;
  for (const std::string& access : accesses) {
    requests.push_back("l1tex__t_requests_pipe_lsu_mem_" + access + ".sum");
    sectors.push_back("l1tex__t_sectors_pipe_lsu_mem_" + access + ".sum");
  }
  const Names our_requests = {ours + "_requests"};
  all.push_back({group, "requests", our_requests, {requests}, instructions, our_requests});
  all.push_back({group, "sectors", {ours + "_sectors"}, {sectors}, instructions, our_requests});
}

/// Instructions, wavefronts and bank conflicts of one kind of access to shared memory. Wavefronts are counted by
/// instrumented machine code, access by access. The conflicts are those that the unit counts, and shown only: under
/// load it counts some that met other traffic, and another number in every run.
void add_wavefronts(std::vector<Metric>& all, const std::string& group, const std::string& ours,
                    const std::string& operation) {
  const std::vector<Names> instructions = executed("shared_" + operation);
  const std::string pipe = "pipe_lsu", access = "_mem_shared_op_" + operation + ".sum";
  const std::vector<Names> wavefronts = {{"smsp__sass_l1tex_data_" + pipe + "_wavefronts" + access}};
  const std::vector<Names> conflicts = {{"l1tex__data_bank_conflicts_" + pipe + access}};
  const Names our_requests = {ours + "_requests"};
  all.push_back({group, "requests", our_requests, instructions, instructions, our_requests});
  all.push_back({group, "wavefronts", {ours + "_wavefronts"}, wavefronts, instructions, our_requests});
  all.push_back({group, "conflicts in the unit", {ours + "_conflicts"}, conflicts, instructions, our_requests});
  all.back().is_judged = false;
}

std::vector<Metric> make_metrics() {
  std::vector<Metric> all;
  add_sectors(all, "global loads", "global_load", {"global_op_ld"}, executed("global_ld"));
  add_sectors(all, "global stores", "global_store", {"global_op_st"}, executed("global_st"));
  add_sectors(all, "global atomics", "global_atomic", {"global_op_atom", "global_op_red"},
              {{"smsp__sass_inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red_pred_on_any.sum"}});
  add_sectors(all, "local loads", "local_load", {"local_op_ld"}, executed("local_ld"));
  add_sectors(all, "local stores", "local_store", {"local_op_st"}, executed("local_st"));
  add_wavefronts(all, "shared loads", "shared_load", "ld");
  add_wavefronts(all, "shared stores", "shared_store", "st");
  // Wavefronts beyond those that are needed, counted by instrumented machine code, access by access.
  all.push_back(
      {"shared memory",
       "bank conflicts",
       {"shared_load_conflicts", "shared_store_conflicts", "shared_atomic_conflicts"},
       {{"derived__memory_l1_wavefronts_shared_excessive"}},
       {{"smsp__inst_executed_op_shared_ld_pred_on_any.sum", "smsp__inst_executed_op_shared_st_pred_on_any.sum"}},
       {"shared_load_requests", "shared_store_requests"}});
  const std::vector<Names> atomics = {{"smsp__inst_executed_op_shared_atom.sum"}};
  all.push_back({"shared atomics", "requests", {"shared_atomic_requests"}, atomics, {}, {}});
  Metric dram{"DRAM", "bytes read", {"dram_read_bytes"}, {{"dram__bytes_read.sum"}}, {}, {}, kDramBar};
  dram.is_dram = true;
  all.push_back(dram);
  dram.name = "bytes written";
  dram.ours = {"dram_write_bytes"};
  dram.theirs = {{"dram__bytes_write.sum"}};
  all.push_back(dram);
  Metric threads{"threads", "per instruction", {"thread_executions"}, {{"smsp__thread_inst_executed.sum"}}, {}, {}};
  threads.is_judged = false;
  all.push_back(threads);
  all.push_back({"occupancy", "blocks", {}, {}, {}, {}, kExact});
  return all;
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> kMetrics = make_metrics();
  return kMetrics;
}

std::set<std::string> compared_metrics() {
  std::set<std::string> all = {kPrintedOccupancy, "smsp__inst_executed.sum"};
  for (const char* resource : {"blocks", "registers", "shared_mem", "warps"})
    all.insert(std::string("launch__occupancy_limit_") + resource);
  for (const Metric& metric : metrics())
    for (const auto* alternatives : {&metric.theirs, &metric.instructions})
      for (const Names& names : *alternatives) all.insert(names.begin(), names.end());
  return all;
}

}  // namespace vgpu::fidelity
