#include "harness/vgpu/report/testing/sample_documents.h"

#include <algorithm>
#include <map>
#include <set>

namespace vgpu::report {

using Json = nlohmann::json;

namespace {

constexpr std::uint64_t kIn = 0x7f0000000000;
constexpr std::uint64_t kOut = 0x7f0000400000;

Json kernel(const std::string& name, const Json& grid, const Json& block) {
  return {{"name", name},
          {"launches", 1},
          {"grid", grid},
          {"block", block},
          {"registers", 24},
          {"static_shared_bytes", 0},
          {"dynamic_shared_bytes", 0},
          {"occupancy", {{"blocks_per_sm", 8}, {"warps_per_sm", 64}, {"max_warps_per_sm", 64}, {"limiter", "warps"}}},
          {"totals", Json::object()},
          {"memory",
           {{"l2_read_sectors", 0},
            {"l2_write_sectors", 0},
            {"l2_hits", 0},
            {"dram_read_bytes", 0},
            {"dram_write_bytes", 0}}},
          {"operations", {{"fp16", 0}, {"fp32", 0}, {"fp64", 0}}},
          {"lines", Json::array()},
          {"patterns", Json::array()},
          {"timeline", Json()}};
}

void add_line(Json& kernel, const std::string& file, int line, Json counters) {
  for (const auto& [name, value] : counters.items()) {
    const bool is_maximum = name.find("max_depth") != std::string::npos;
    const auto before = kernel["totals"].value(name, std::uint64_t{0});
    kernel["totals"][name] =
        is_maximum ? std::max(before, value.get<std::uint64_t>()) : before + value.get<std::uint64_t>();
  }
  counters["file"] = file;
  counters["line"] = line;
  kernel["lines"].push_back(std::move(counters));
}

// Counters of `times` warp instructions by full warps.
Json executed(std::uint64_t times) { return {{"executions", times}, {"thread_executions", times * 32}}; }

Json merged(Json a, const Json& b) {
  a.update(b);
  return a;
}

}  // namespace

const char* const kTransposeSource = R"(// Writes the transpose of an n × n matrix.
__global__ void transpose(const float* in, float* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) {
    out[x * n + y] = in[y * n + x];
  }
}
)";

const char* const kMatmulSource = R"(constexpr int kTile = 32;

// c = a b^T for n × n matrices.
__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float rows[kTile][kTile];
  __shared__ float columns[kTile][kTile];
  float sum = 0;
  for (int tile = 0; tile < n / kTile; ++tile) {
    rows[threadIdx.y][threadIdx.x] = a[(blockIdx.y * kTile + threadIdx.y) * n + tile * kTile + threadIdx.x];
    columns[threadIdx.y][threadIdx.x] = b[(blockIdx.x * kTile + threadIdx.y) * n + tile * kTile + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += rows[threadIdx.y][k] * columns[threadIdx.x][k];
    __syncthreads();
  }
  c[(blockIdx.y * kTile + threadIdx.y) * n + blockIdx.x * kTile + threadIdx.x] = sum;
}
)";

const char* const kSumSource = R"(// Adds up 256 numbers a block.
__global__ void sum(const int* in, int* out) {
  __shared__ int partial[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  partial[threadIdx.x] = in[i];
  __syncthreads();
  for (int stride = 1; stride < 256; stride *= 2) {
    if (threadIdx.x % (2 * stride) == 0) {
      partial[threadIdx.x] += partial[threadIdx.x + stride];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
)";

Json empty_document() {
  return {{"schema", "lanewise-vgpu-report"},
          {"version", 2},
          {"device",
           {{"name", "NVIDIA H200"},
            {"profile", "h200"},
            {"compute_capability", "9.0"},
            {"sm_count", 132},
            {"warp_size", 32},
            {"max_warps_per_sm", 64},
            {"l2_bytes", 62914560},
            {"dram_bytes_per_second", 4814000000000},
            {"l2_bytes_per_second", nullptr},
            {"fp32_flops_per_second", 66900000000000},
            {"fp64_flops_per_second", 33450000000000}}},
          {"findings", Json::array()},
          {"kernels", Json::array()}};
}

Json pattern(const std::string& file, int line, const std::string& space, const std::string& kind, int bytes,
             const std::function<std::int64_t(int lane)>& address) {
  Json addresses = Json::array();
  std::set<std::int64_t> sectors, wanted;
  std::map<std::int64_t, std::set<std::int64_t>> words_of_bank;
  for (int lane = 0; lane < 32; ++lane) {
    const std::int64_t first = address(lane);
    addresses.push_back(first < 0 ? Json() : Json(static_cast<std::uint64_t>(first)));
    for (std::int64_t byte = first; first >= 0 && byte < first + bytes; ++byte) {
      sectors.insert(byte / 32);
      wanted.insert(byte);
      words_of_bank[byte / 4 % 32].insert(byte / 4);
    }
  }
  std::size_t turns = 0;
  for (const auto& [bank, words] : words_of_bank) turns = std::max(turns, words.size());
  return {{"file", file},
          {"line", line},
          {"space", space},
          {"kind", kind},
          {"bytes", bytes},
          {"block", {0, 0, 0}},
          {"warp", 0},
          {"addresses", std::move(addresses)},
          {"array", ""},
          {"first_index", nullptr},
          {"sectors", sectors.size()},
          {"ideal_sectors", (wanted.size() + 31) / 32},
          {"wavefronts", turns},
          {"ideal_wavefronts", (wanted.size() + 127) / 128}};
}

Json transpose_document(const std::string& source_path) {
  constexpr std::uint64_t kWarps = 1024 * 1024 / 32;
  Json made = kernel("transpose(const float*, float*, int)", {32, 128, 1}, {32, 8, 1});
  add_line(made, source_path, 3, executed(kWarps * 3));
  add_line(made, source_path, 4, executed(kWarps * 3));
  add_line(made, source_path, 5, merged(executed(kWarps * 3), {{"branches", kWarps}}));
  add_line(made, source_path, 6,
           merged(executed(kWarps * 8), {{"global_load_requests", kWarps},
                                         {"global_load_sectors", kWarps * 4},
                                         {"global_load_ideal_sectors", kWarps * 4},
                                         {"global_store_requests", kWarps},
                                         {"global_store_sectors", kWarps * 32},
                                         {"global_store_ideal_sectors", kWarps * 4}}));
  add_line(made, source_path, 8, executed(kWarps));
  Json load = pattern(source_path, 6, "global", "load", 4, [](int lane) { return kIn + lane * 4; });
  Json store = pattern(source_path, 6, "global", "store", 4, [](int lane) { return kOut + lane * 4096; });
  load["array"] = "d_in";
  load["first_index"] = 0;
  store["array"] = "d_out";
  store["first_index"] = 0;
  made["patterns"] = {load, store};
  made["memory"] = {{"l2_read_sectors", kWarps * 4},
                    {"l2_write_sectors", kWarps * 32},
                    {"l2_hits", kWarps * 28},
                    {"dram_read_bytes", 4194304},
                    {"dram_write_bytes", 0}};
  made["modelled"] = {{"nanoseconds", 14820}, {"bound_by", "L2 cache"}, {"bound_counter", "global_store_sectors"}};
  Json warps = Json::array();
  for (int warp = 0; warp < 8; ++warp) warps.push_back({{"warp", warp}, {"spans", {{0, 18, 32, 3, "run"}}}});
  made["timeline"] = {{"block", {0, 0, 0}}, {"truncated", false}, {"warps", warps}};
  Json document = empty_document();
  document["modelled"] = {{"nanoseconds", 14820}, {"kernels", 14820}};
  document["kernels"] = Json::array({made});
  return document;
}

Json streams_document(const std::string& source_path) {
  Json document = transpose_document(source_path);
  document["modelled"] = {{"nanoseconds", 270000},
                          {"kernels", 14820},
                          {"fills", 0},
                          {"copies_within", 0},
                          {"copies_in", 60000},
                          {"copies_out", 0},
                          {"launching", 10000},
                          {"allocating", 95000},
                          {"pinning", 0},
                          {"shares",
                           {{"kernels", 14820},
                            {"copies", 52590},
                            {"fills", 0},
                            {"allocating", 95000},
                            {"requesting", 5000},
                            {"idle", 102590}}}};
  Json& activities = document["activities"] = Json::array();
  const auto add = [&](const char* kind, const Json& stream, std::uint64_t begin, std::uint64_t end, const char* name,
                       std::uint64_t bytes) {
    activities.push_back({{"kind", kind},
                          {"device", 0},
                          {"stream", stream},
                          {"begin", begin},
                          {"end", end},
                          {"name", name},
                          {"bytes", bytes}});
  };
  add("allocation", nullptr, 0, 50000, "cudaMalloc", 8388608);
  add("launch", nullptr, 50000, 60000, "kernel launch", 0);
  add("copy in", 1, 55000, 85000, "", 2097152);
  add("kernel", 1, 85000, 92410, "transpose(const float*, float*, int)", 0);
  add("copy in", 2, 85000, 115000, "pageable", 2097152);
  add("kernel", 2, 115000, 122410, "transpose(const float*, float*, int)", 0);
  add("wait", nullptr, 60000, 225000, "", 0);
  add("allocation", nullptr, 225000, 270000, "cudaFree", 0);
  return document;
}

Json matmul_document(const std::string& source_path) {
  constexpr std::uint64_t kBlocks = 64, kTiles = 8, kWarps = kBlocks * 32;
  Json made = kernel("multiply(const float*, const float*, float*, int)", {8, 8, 1}, {32, 32, 1});
  made["static_shared_bytes"] = 8192;
  for (const int line : {9, 10}) {
    const std::uint64_t times = kWarps * kTiles;
    add_line(made, source_path, line,
             merged(executed(times * 6), {{"global_load_requests", times},
                                          {"global_load_sectors", times * 4},
                                          {"global_load_ideal_sectors", times * 4},
                                          {"shared_store_requests", times},
                                          {"shared_store_wavefronts", times},
                                          {"shared_store_conflicts", 0}}));
    made["patterns"].push_back(
        pattern(source_path, line, "global", "load", 4, [](int lane) { return kIn + lane * 4; }));
    made["patterns"].push_back(pattern(source_path, line, "shared", "store", 4, [](int lane) { return lane * 4; }));
  }
  add_line(made, source_path, 11, merged(executed(kWarps * kTiles), {{"barriers", kWarps * kTiles}}));
  const std::uint64_t inner = kWarps * kTiles * 32;
  add_line(made, source_path, 13,
           merged(executed(inner * 4), {{"shared_load_requests", inner * 2},
                                        {"shared_load_wavefronts", inner * 33},
                                        {"shared_load_conflicts", inner * 31}}));
  Json column = pattern(source_path, 13, "shared", "load", 4, [](int lane) { return 4096 + lane * 128; });
  column["array"] = "columns";
  column["first_index"] = 0;
  made["patterns"].push_back(column);
  add_line(made, source_path, 16,
           merged(executed(kWarps * 5), {{"global_store_requests", kWarps},
                                         {"global_store_sectors", kWarps * 4},
                                         {"global_store_ideal_sectors", kWarps * 4}}));
  made["operations"]["fp32"] = 2 * 256ull * 256 * 256;
  made["memory"]["dram_read_bytes"] = 2 * 262144;
  made["memory"]["dram_write_bytes"] = 0;
  Json warps = Json::array();
  for (int warp = 0; warp < 32; ++warp) {
    Json spans = Json::array();
    for (int tile = 0; tile < 4; ++tile)  // border tiles, say: the last warps have nothing to load
      if (warp < 24) {
        spans.push_back({tile * 140, tile * 140 + 140, 32, 9, "run"});
      } else {
        spans.push_back({tile * 140, tile * 140 + 2, 32, 9, "run"});
        spans.push_back({tile * 140 + 2, tile * 140 + 14, 32, 11, "barrier"});
        spans.push_back({tile * 140 + 14, tile * 140 + 140, 32, 13, "run"});
      }
    warps.push_back({{"warp", warp}, {"spans", spans}});
  }
  made["timeline"] = {{"block", {0, 0, 0}}, {"truncated", false}, {"warps", warps}};
  Json document = empty_document();
  document["kernels"] = Json::array({made});
  return document;
}

Json sum_document(const std::string& source_path) {
  constexpr std::uint64_t kBlocks = 512, kWarps = kBlocks * 8;
  Json made = kernel("sum(const int*, int*)", {512, 1, 1}, {256, 1, 1});
  add_line(made, source_path, 5,
           merged(executed(kWarps * 4), {{"global_load_requests", kWarps},
                                         {"global_load_sectors", kWarps * 4},
                                         {"global_load_ideal_sectors", kWarps * 4},
                                         {"shared_store_requests", kWarps},
                                         {"shared_store_wavefronts", kWarps}}));
  add_line(made, source_path, 8,
           merged(executed(kWarps * 8 * 3), {{"branches", kWarps * 8}, {"divergent_branches", kWarps * 5}}));
  // Of 32 threads 16, 8, 4, 2, 1 go on in every warp, then one in every second, fourth and eighth.
  Json few = {{"executions", kBlocks * (8 * 5 + 4 + 2 + 1) * 6},
              {"thread_executions", kBlocks * (8 * 31 + 4 + 2 + 1) * 6},
              {"shared_load_requests", kBlocks * 47 * 2},
              {"shared_load_wavefronts", kBlocks * 47 * 2}};
  add_line(made, source_path, 9, few);
  add_line(made, source_path, 11,
           merged(executed(kWarps * 8), {{"barriers", kWarps * 8}, {"barrier_wait", kBlocks * (4 + 6 + 7) * 4}}));
  Json warps = Json::array();
  for (int warp = 0; warp < 8; ++warp) {
    Json spans = Json::array();
    int begin = 0;
    for (int step = 0; step < 8; ++step) {
      const bool works = step < 5 || warp % (1 << (step - 4)) == 0;
      spans.push_back({begin, begin + 6, 32, 8, "run"});
      if (works)
        spans.push_back({begin + 6, begin + 10, step < 5 ? 16 >> step : 1, 9, "run"});
      else
        spans.push_back({begin + 6, begin + 10, 32, 11, "barrier"});
      begin += 10;
    }
    warps.push_back({{"warp", warp}, {"spans", spans}});
  }
  made["timeline"] = {{"block", {0, 0, 0}}, {"truncated", false}, {"warps", warps}};
  made["memory"]["dram_read_bytes"] = 512 * 1024;
  Json document = empty_document();
  document["kernels"] = Json::array({made});
  return document;
}

std::string flood_source(int lines) {
  std::string text = "__global__ void flood(float* a, int n) {\n";
  for (int line = 2; line < lines; ++line)
    text +=
        "  a[(threadIdx.x * " + std::to_string(line) + " + blockIdx.x) % n] += a[threadIdx.x * n] < 0 ? 1.0f : 2.0f;\n";
  return text + "}\n";
}

Json flood_document(const std::string& source_path, int lines) {
  Json made = kernel("flood(float*, int)", {1000, 1, 1}, {256, 1, 1});
  for (int line = 2; line < lines; ++line) {
    Json counters = {{"branches", 8000}, {"divergent_branches", 7000}, {"barriers", 10}, {"barrier_wait", 12345}};
    for (const char* name : {"executions", "global_load_requests", "global_store_requests", "shared_load_requests",
                             "shared_store_requests", "global_atomic_requests", "shared_atomic_requests"})
      counters[name] = 100000 + line;
    counters["thread_executions"] = 900000;
    for (const char* name :
         {"global_load_sectors", "global_store_sectors", "global_atomic_sectors", "global_atomic_depth",
          "shared_atomic_depth", "shared_load_wavefronts", "shared_store_wavefronts", "local_load_sectors"})
      counters[name] = 3200000 + line;
    for (const char* name : {"global_load_ideal_sectors", "global_store_ideal_sectors"}) counters[name] = 400000;
    for (const char* name : {"shared_load_conflicts", "shared_store_conflicts"}) counters[name] = 3100000;
    add_line(made, source_path, line, counters);
    for (const char* kind : {"load", "store", "atomic"})
      made["patterns"].push_back(
          pattern(source_path, line, "global", kind, 4, [line](int lane) { return kIn + lane * 4096 + line * 4; }));
    made["patterns"].push_back(pattern(source_path, line, "shared", "load", 4, [](int lane) { return lane * 128; }));
  }
  Json warps = Json::array();
  for (int warp = 0; warp < 32; ++warp) {
    Json spans = Json::array();
    for (int i = 0; i < 400; ++i)
      spans.push_back({(i * 32 + warp) * 7, (i * 32 + warp) * 7 + 100, i % 33, 2 + i % (lines - 2),
                       i % 3 == 0 ? "barrier" : "run"});
    warps.push_back({{"warp", warp}, {"spans", spans}});
  }
  made["timeline"] = {{"block", {0, 0, 0}}, {"truncated", true}, {"warps", warps}};
  Json document = empty_document();
  document["kernels"] = Json::array({made});
  for (int i = 0; i < 100; ++i)
    document["findings"].push_back(
        {{"tool", "memcheck"},
         {"kind", "out-of-bounds write"},
         {"kernel", made["name"]},
         {"file", source_path},
         {"line", 2 + i % (lines - 2)},
         {"block", {i, 0, 0}},
         {"thread", {i, 0, 0}},
         {"array", "a"},
         {"index", 100000 + i},
         {"sentence", "thread (" + std::to_string(i) + ",0,0) writes 4 bytes at a[100000], just past its end"},
         {"advice", "Let only threads whose index is inside the array touch it."},
         {"count", 10000}});
  return document;
}

std::string hostile_source() {
  return "</script><script>window.broken = true</script>\n<!-- <b onclick='window.broken = true'> -->\n"
         "\xe2\x80\xa8 \xe2\x80\xae txet desrever \xff\xfe\n__global__ void k() {} // `${window.broken = true}` \\ \" "
         "'\n";
}

Json hostile_document(const std::string& source_path) {
  const std::string evil = "</script><img src=x onerror=window.broken=true>\xe2\x80\xa8\x1b[31m'\"&";
  Json document = transpose_document(source_path);
  Json& made = document["kernels"][0];
  made["name"] = evil + "<" + evil + ">(int)";
  for (Json& line : made["lines"]) line["line"] = 1;
  made["lines"] = Json::array({Json(made["lines"][3])});
  for (Json& item : made["patterns"]) {
    item["line"] = 1;
    item["array"] = evil;
  }
  Json missing = made["lines"][0];
  missing["file"] = "/nowhere/" + evil + ".cu";
  made["lines"].push_back(missing);
  document["device"]["name"] = evil;
  const Json streams = streams_document(source_path);
  document["modelled"] = streams["modelled"];
  document["activities"] = streams["activities"];
  for (Json& activity : document["activities"]) activity["name"] = evil;
  made["occupancy"]["limiter"] = evil;
  document["findings"].push_back({{"tool", evil},
                                  {"kind", evil},
                                  {"kernel", evil},
                                  {"file", source_path},
                                  {"line", 2},
                                  {"array", evil},
                                  {"index", 1},
                                  {"sentence", evil},
                                  {"advice", evil},
                                  {"count", 1}});
  return document;
}

}  // namespace vgpu::report
