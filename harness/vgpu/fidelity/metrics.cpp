// Which counter of ours stands for which metric of Nsight Compute (sm_90).
#include "harness/vgpu/fidelity/comparison.h"

namespace vgpu::fidelity {
namespace {

using Names = Metric::Names;

constexpr double kExact = 0;
constexpr double kDramBar = 0.1;

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

/// Instructions, wavefronts and bank conflicts of one kind of access to shared memory.
void add_wavefronts(std::vector<Metric>& all, const std::string& group, const std::string& ours,
                    const std::string& access, const std::vector<Names>& instructions) {
  const Names our_requests = {ours + "_requests"};
  all.push_back({group, "requests", our_requests, instructions, instructions, our_requests});
  all.push_back({group,
                 "wavefronts",
                 {ours + "_wavefronts"},
                 {{"l1tex__data_pipe_lsu_wavefronts_mem_" + access + ".sum"}},
                 instructions,
                 our_requests});
  all.push_back({group,
                 "conflicts",
                 {ours + "_conflicts"},
                 {{"l1tex__data_bank_conflicts_pipe_lsu_mem_" + access + ".sum"}},
                 instructions,
                 our_requests});
}

std::vector<Metric> make_metrics() {
  std::vector<Metric> all;
  add_sectors(all, "global loads", "global_load", {"global_op_ld"},
              {{"smsp__inst_executed_op_global_ld.sum"}, {"sass__inst_executed_global_loads"}});
  add_sectors(all, "global stores", "global_store", {"global_op_st"},
              {{"smsp__inst_executed_op_global_st.sum"}, {"sass__inst_executed_global_stores"}});
  add_sectors(all, "global atomics", "global_atomic", {"global_op_atom", "global_op_red"},
              {{"smsp__inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum"}});
  add_sectors(all, "local loads", "local_load", {"local_op_ld"},
              {{"smsp__inst_executed_op_local_ld.sum"}, {"sass__inst_executed_local_loads"}});
  add_sectors(all, "local stores", "local_store", {"local_op_st"},
              {{"smsp__inst_executed_op_local_st.sum"}, {"sass__inst_executed_local_stores"}});
  add_wavefronts(all, "shared loads", "shared_load", "shared_op_ld",
                 {{"smsp__inst_executed_op_shared_ld.sum"}, {"sass__inst_executed_shared_loads"}});
  add_wavefronts(all, "shared stores", "shared_store", "shared_op_st",
                 {{"smsp__inst_executed_op_shared_st.sum"}, {"sass__inst_executed_shared_stores"}});
  all.push_back({"shared atomics",
                 "requests",
                 {"shared_atomic_requests"},
                 {{"smsp__inst_executed_op_shared_atom.sum"}},
                 {{"smsp__inst_executed_op_shared_atom.sum"}},
                 {"shared_atomic_requests"}});
  Metric dram{"DRAM", "bytes read", {"dram_read_bytes"}, {{"dram__bytes_read.sum"}}, {}, {}, kDramBar};
  dram.is_dram = true;
  all.push_back(dram);
  dram.name = "bytes written";
  dram.ours = {"dram_write_bytes"};
  dram.theirs = {{"dram__bytes_write.sum"}};
  all.push_back(dram);
  all.push_back({"threads",
                 "an instruction",
                 {"thread_executions"},
                 {{"smsp__thread_inst_executed.sum"}},
                 {},
                 {},
                 kExact,
                 false});
  all.push_back({"occupancy", "blocks", {}, {}, {}, {}, kExact});
  return all;
}

}  // namespace

const std::vector<Metric>& metrics() {
  static const std::vector<Metric> kMetrics = make_metrics();
  return kMetrics;
}

}  // namespace vgpu::fidelity
