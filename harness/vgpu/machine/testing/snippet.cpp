#include "harness/vgpu/machine/testing/snippet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/machine/translator/translation.h"

namespace vgpu::test {

Translate::Translate(const char* when) {
  if (const char* const before = std::getenv(kVariable)) before_ = before;
  setenv(kVariable, when, 1);
}

Translate::~Translate() {
  if (before_)
    setenv(kVariable, before_->c_str(), 1);
  else
    unsetenv(kVariable);
}

namespace {

constexpr const char* kInputNames[] = {"a", "b", "c", "x", "y", "z"};
constexpr const char* kResultNames[] = {"d", "e", "f", "g"};

/// Lanes of a guard: runs of several lengths, no half like the other.
constexpr std::uint32_t kGuardLanes = 0xA5C30F71;

const char* type_of(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::kPred:
      return "pred";
    case RegisterKind::k16:
      return "b16";
    case RegisterKind::k32:
      return "b32";
    case RegisterKind::k64:
      return "b64";
  }
  return "";
}

/// Loads a register of any kind from the 64-bit cell at `address`.
std::string load(RegisterKind kind, const std::string& name, const std::string& address) {
  if (kind == RegisterKind::kPred)
    return "ld.global.b32 %word, [" + address + "];\nsetp.ne.b32 " + name + ", %word, 0;\n";
  return std::string("ld.global.") + type_of(kind) + " " + name + ", [" + address + "];\n";
}

std::string store(RegisterKind kind, const std::string& name, const std::string& address) {
  if (kind == RegisterKind::kPred)
    return "selp.b32 %word, 1, 0, " + name + ";\nst.global.b32 [" + address + "], %word;\n";
  return std::string("st.global.") + type_of(kind) + " [" + address + "], " + name + ";\n";
}

/// `code` with `guard` before each of its instructions.
std::string with_guard(const std::string& code, const std::string& guard) {
  std::istringstream lines(code);
  std::string guarded;
  for (std::string line; std::getline(lines, line);) guarded += guard + line + "\n";
  return guarded;
}

/// `code` with register %a replaced by %d.
std::string in_place(const std::string& code) {
  std::string changed;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool whole_name =
        i + 2 >= code.size() || (std::isalnum(static_cast<unsigned char>(code[i + 2])) == 0 && code[i + 2] != '_');
    if (code.compare(i, 2, "%a") == 0 && whole_name) {
      changed += "%d";
      ++i;
    } else {
      changed += code[i];
    }
  }
  return changed;
}

/// A kernel that gives every thread its row of inputs, runs `code` on it and stores the results.
std::string kernel(const Snippet& snippet, const std::string& name, const std::string& code) {
  std::string text =
      ".visible .entry " + name +
      "(.param .u64 in, .param .u64 before, .param .u64 cells, .param .u64 out, .param .u64 count)\n{\n" +
      ".reg .pred %guard, %beyond;\n.reg .b32 %thread, %width, %word;\n.reg .b64 %at, %from, %cell, %n, %i;\n";
  for (std::size_t k = 0; k < snippet.inputs.size(); ++k)
    text += std::string(".reg .") + type_of(snippet.inputs[k]) + " %" + kInputNames[k] + ";\n";
  for (std::size_t k = 0; k < snippet.results.size(); ++k)
    text += std::string(".reg .") + type_of(snippet.results[k]) + " %" + kResultNames[k] + ";\n";
  text += snippet.declarations;
  text +=
      "mov.u32 %thread, %ctaid.x;\nmov.u32 %width, %ntid.x;\nmov.u32 %word, %tid.x;\n"
      "mad.lo.u32 %thread, %thread, %width, %word;\nld.param.u64 %n, [count];\ncvt.u64.u32 %i, %thread;\n"
      "setp.ge.u64 %beyond, %i, %n;\n@%beyond exit;\n"
      "mov.u32 %word, %laneid;\nshr.u32 %word, " +
      std::to_string(kGuardLanes) +
      ", %word;\nand.b32 %word, %word, 1;\n"
      "setp.ne.u32 %guard, %word, 0;\n";
  const auto row_address = [&](const char* base, std::size_t columns) {
    return std::string("ld.param.u64 %from, [") + base + "];\nmad.lo.u64 %at, %i, " + std::to_string(8 * columns) +
           ", %from;\n";
  };
  text += row_address("before", snippet.results.size());
  for (std::size_t k = 0; k < snippet.results.size(); ++k)
    text += load(snippet.results[k], std::string("%") + kResultNames[k], "%at+" + std::to_string(8 * k));
  text += row_address("in", snippet.inputs.size());
  for (std::size_t k = 0; k < snippet.inputs.size(); ++k)
    text += load(snippet.inputs[k], std::string("%") + kInputNames[k], "%at+" + std::to_string(8 * k));
  text += "ld.param.u64 %from, [cells];\nmad.lo.u64 %cell, %i, 16, %from;\n";
  text += code + "\n" + row_address("out", snippet.results.size());
  for (std::size_t k = 0; k < snippet.results.size(); ++k)
    text += store(snippet.results[k], std::string("%") + kResultNames[k], "%at+" + std::to_string(8 * k));
  return text + "ret;\n}\n";
}

struct Way {
  const char* name;
  const char* kernel;
  std::uint32_t block;
  std::size_t most_rows;
  std::uint32_t lanes;  ///< that take part
  Watch watch = Watch::kNobody;
  bool is_translated = false;  ///< all but the first warp, which has to be executed to be translated
};

/// Two warps a block where rows are many, so that blocks are few.
constexpr Way kWays[] = {
    {"all lanes", "all", 64, ~std::size_t{0}, ~0u},
    {"guarded", "guarded", 64, ~std::size_t{0}, kGuardLanes},
    {"guarded by the opposite", "not_guarded", 64, ~std::size_t{0}, ~kGuardLanes},
    {"blocks of 1", "all", 1, 3, ~0u},
    {"blocks of 31", "all", 31, 62, ~0u},
    {"blocks of 33", "all", 33, 66, ~0u},
    {"in place", "in_place", 64, ~std::size_t{0}, ~0u},
    {"watched", "all", 64, ~std::size_t{0}, ~0u, Watch::kEverything},
    {"watched and guarded", "guarded", 64, ~std::size_t{0}, kGuardLanes, Watch::kEverything},
    {"step by step", "guarded", 64, ~std::size_t{0}, kGuardLanes, Watch::kEveryStep},
    {"translated", "all", 64, ~std::size_t{0}, ~0u, Watch::kNobody, true},
    {"translated and guarded", "guarded", 64, ~std::size_t{0}, kGuardLanes, Watch::kNobody, true},
    {"translated and guarded by the opposite", "not_guarded", 64, ~std::size_t{0}, ~kGuardLanes, Watch::kNobody, true},
    {"translated and in place", "in_place", 64, ~std::size_t{0}, ~0u, Watch::kNobody, true},
    {"translated and watched", "all", 64, ~std::size_t{0}, ~0u, Watch::kEverything, true},
};

Program program_for(const Snippet& snippet, bool with_in_place) {
  Program program;
  std::string text = kernel(snippet, "all", snippet.code) +
                     kernel(snippet, "guarded", with_guard(snippet.code, "@%guard ")) +
                     kernel(snippet, "not_guarded", with_guard(snippet.code, "@!%guard "));
  if (with_in_place)
    text += kernel(snippet, "in_place",
                   "mov." + std::string(type_of(snippet.inputs[0])) + " %d, %a;\n" + in_place(snippet.code));
  program.ptx = module_with(text);
  return program;
}

}  // namespace

std::uint64_t value_before(std::size_t row, std::size_t n, RegisterKind kind) {
  const std::uint64_t value = 0xC0FFEE5A00F1E2D3u + 0x0101010101010101u * row + 77 * n;
  switch (kind) {
    case RegisterKind::kPred:
      return row >> n & 1;
    case RegisterKind::k16:
      return value & 0xFFFF;
    case RegisterKind::k32:
      return value & 0xFFFFFFFF;
    default:
      return value;
  }
}

std::vector<SnippetRun> run_in_all_ways(const Snippet& snippet, const std::vector<Row>& rows) {
  const bool one_instruction = snippet.code.find('\n') == std::string::npos;
  const bool with_in_place = one_instruction && !snippet.inputs.empty() && !snippet.results.empty() &&
                             snippet.inputs[0] == snippet.results[0] && snippet.inputs[0] != RegisterKind::kPred;
  Program program = program_for(snippet, with_in_place);
  const std::size_t results = snippet.results.size();

  std::vector<SnippetRun> runs;
  for (const Way& way : kWays) {
    if (!with_in_place && std::string_view(way.kernel) == "in_place") continue;
    if (!snippet.accesses_memory && way.watch == Watch::kEverything) continue;
    if (way.is_translated && !Translation::is_possible()) continue;
    const Translate translate(way.is_translated ? "always" : "never");
    SnippetRun& run = runs.emplace_back();
    run.way = way.name;
    // Full warps, where they are translated; and what the first one has comes back in others.
    const std::size_t count =
        way.is_translated ? (rows.size() + 2 * 32 - 1) / 32 * 32 : std::min(rows.size(), way.most_rows);
    std::vector<std::uint64_t> in, before;
    for (std::size_t t = 0; t < count; ++t) {
      const std::size_t row = t % rows.size();
      run.row_of.push_back(row);
      run.took_part.push_back((way.lanes >> (t % way.block % 32) & 1) != 0);
      in.insert(in.end(), rows[row].begin(), rows[row].end());
      for (std::size_t n = 0; n < results; ++n) before.push_back(value_before(row, n, snippet.results[n]));
    }
    program.kernel = way.kernel;
    program.shape.grid.x = static_cast<std::uint32_t>((count + way.block - 1) / way.block);
    program.shape.block.x = way.block;
    program.numbers = {count};
    program.watch = way.watch;
    const Result done = vgpu::test::run(
        program, {bytes_of(in), bytes_of(before), Bytes(16 * count), Bytes(count * results * sizeof(std::uint64_t))});
    if (!done.refusal.empty() || done.outcome.fault.kind != FaultKind::kNone) {
      ADD_FAILURE() << snippet.code << "\n(" << way.name << ") " << done.refusal << done.outcome.fault.sentence;
      return {};
    }
    const std::vector<std::uint64_t> flat = values_of<std::uint64_t>(done.buffers.at(3));
    for (std::size_t t = 0; t < count; ++t)
      run.results.emplace_back(flat.begin() + t * results, flat.begin() + (t + 1) * results);
  }
  return runs;
}

void expect_refused(const Snippet& snippet) {
  Program program = program_for(snippet, false);
  program.kernel = "all";
  program.numbers = {0};
  EXPECT_NE(run(program, {{}, {}, {}, {}}).refusal, "") << "this should be refused:\n" << snippet.code;
}

namespace detail {

void check_table(const Snippet& snippet, const Table& table) {
  constexpr std::size_t kShown = 8;
  std::size_t mistakes = 0;
  std::string words;
  for (const SnippetRun& run : run_in_all_ways(snippet, table.rows)) {
    for (std::size_t t = 0; t < run.results.size(); ++t) {
      const std::size_t row = run.row_of[t];
      std::string wrong;
      if (run.took_part[t]) {
        wrong = table.difference(row, run.results[t]);
      } else {
        for (std::size_t n = 0; n < run.results[t].size(); ++n)
          if (run.results[t][n] != value_before(row, n, snippet.results[n]))
            wrong = " a lane outside of the guard changed";
      }
      if (!wrong.empty() && ++mistakes <= kShown)
        words += "  " + run.way + ": (" + table.words(row) + "):" + wrong + "\n";
    }
  }
  if (mistakes != 0) ADD_FAILURE() << snippet.code << "\n" << mistakes << " results are wrong:\n" << words;
}

}  // namespace detail

}  // namespace vgpu::test
