// Usage: vgpu_sample_pages FOLDER
// Writes the sample reports as web pages, with their sources and documents, for the test that opens them in a browser.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <variant>

#include "harness/vgpu/report/document.h"
#include "harness/vgpu/report/html_page.h"
#include "harness/vgpu/report/testing/sample_documents.h"
#include "harness/vgpu/report/text_summary.h"

namespace {

namespace fs = std::filesystem;
using namespace vgpu::report;

bool write_page(const fs::path& folder, const std::string& name, const std::string& source,
                nlohmann::json (*make_document)(const std::string&)) {
  const fs::path source_path = folder / (name + ".cu");
  std::ofstream(source_path) << source;
  const std::string json = make_document(source_path.string()).dump();
  std::ofstream(folder / (name + ".json")) << json;
  const auto read = parse_document(json);
  if (const auto* const problem = std::get_if<std::string>(&read)) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), problem->c_str());
    return false;
  }
  const auto& document = std::get<Document>(read);
  std::ofstream(folder / (name + ".html")) << html_page(document);
  std::printf("%s", text_summary(document, {}).c_str());
  return true;
}

// All kernels of a course's first weeks in one run.
nlohmann::json several_documents(const std::string& source_path) {
  const std::string folder = fs::path(source_path).parent_path().string();
  nlohmann::json document = transpose_document(folder + "/transpose.cu");
  for (const auto& other : {matmul_document(folder + "/matmul.cu"), sum_document(folder + "/sum.cu")})
    document["kernels"].push_back(other["kernels"][0]);
  document["findings"].push_back({{"tool", "racecheck"},
                                  {"kind", "write-read race"},
                                  {"kernel", "sum(const int*, int*)"},
                                  {"file", folder + "/sum.cu"},
                                  {"line", 9},
                                  {"block", {0, 0, 0}},
                                  {"thread", {2, 0, 0}},
                                  {"array", "partial"},
                                  {"index", 2},
                                  {"sentence",
                                   "thread (2,0,0) reads partial[3], which thread (3,0,0) writes; nothing "
                                   "orders the two"},
                                  {"advice", "Put __syncthreads() between the write and the read."},
                                  {"count", 112}});
  document["notes"].push_back({{"tool", "memcheck"},
                               {"kind", "leak"},
                               {"kernel", ""},
                               {"file", ""},
                               {"line", 0},
                               {"sentence", "device memory of 4,096 bytes was allocated and never freed"},
                               {"advice", "Every cudaMalloc needs a cudaFree, on every path out of the function."},
                               {"count", 1}});
  return document;
}

nlohmann::json missing_source(const std::string&) { return transpose_document("/nowhere/transpose.cu"); }

// What the checkers found, in a run without counters.
nlohmann::json findings_alone(const std::string& source_path) {
  nlohmann::json document = several_documents(source_path);
  document["kernels"] = nlohmann::json::array();
  return document;
}

int write_pages(const fs::path& folder) {
  fs::create_directories(folder);
  const struct {
    const char* name;
    std::string source;
    nlohmann::json (*document)(const std::string& source_path);
  } pages[] = {{"transpose", kTransposeSource, transpose_document},
               {"streams", kTransposeSource, streams_document},
               {"matmul", kMatmulSource, matmul_document},
               {"sum", kSumSource, sum_document},
               {"gone", "", missing_source},
               {"several", "", several_documents},
               {"findings", "", findings_alone},
               {"flood", flood_source(400), [](const std::string& path) { return flood_document(path, 400); }},
               {"hostile", hostile_source(), hostile_document}};
  for (const auto& page : pages)
    if (!write_page(folder, page.name, page.source, page.document)) return 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2) return write_pages(fs::absolute(argv[1]));
  std::fprintf(stderr, "usage: vgpu_sample_pages FOLDER\n");
  return 2;
} catch (const std::exception& problem) {
  std::fprintf(stderr, "vgpu_sample_pages: %s\n", problem.what());
  return 3;
}
