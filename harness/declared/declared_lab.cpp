// Each part of a Task from its part of lab.toml, which is first held against the contract.
#include "harness/declared/declared_lab.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "harness/declared/extent.h"
#include "harness/declared/oracle_library.h"
#include "harness/declared/values.h"
#include "harness/lab/contract.h"
#include "harness/lab/read_file.h"
#include "harness/vgpu/monitor/checker_names.h"

namespace lanewise {
namespace {

using Role = ContractParameter::Role;
using Kind = OracleFunction::Kind;

constexpr std::uintmax_t kLargestContract = 1 << 20;
constexpr double kMostElements = 1e10;

// Of a case's make table: the oracle's function that makes the inputs, and what it is given besides. As values of an
// input: there is one in every case.
constexpr const char* kMaker = "function";

// What fresh device memory holds, in every byte: zeros on a GPU, as a rule; on the virtual GPU this, which is no use as
// data (harness/vgpu/machine/address_space.cpp).
constexpr std::byte kFresh[] = {std::byte{0}, std::byte{0xCB}};

const ContractParameter* find_parameter(const ContractFunction& function, const std::string& name, bool is_scalar) {
  for (const ContractParameter& parameter : function.parameters)
    if (parameter.name == name && (parameter.role == Role::kScalar) == is_scalar) return &parameter;
  return nullptr;
}

const ArrayFile* find_array_file(const TaskFile& task, const std::string& name) {
  for (const ArrayFile& array : task.arrays)
    if (array.name == name) return &array;
  return nullptr;
}

bool is_real(const ContractParameter& parameter) {
  return parameter.dtype == DType::kFloat32 || parameter.dtype == DType::kFloat64;
}

// Why `extent` has no value, which is used as `use` says: "the shape of x names". Empty if it has one.
std::string trouble_of_extent(const std::string& extent, const std::string& use, const ContractFunction& function) {
  const std::vector<ExtentTerm> terms = terms_of(extent);
  if (terms.empty())
    return fmt::format("'{}', which {}, is neither a number nor the name of one, nor a sum such as \"n + 1\"", extent,
                       use);
  for (const ExtentTerm& term : terms)
    if (!term.is_number && !find_parameter(function, term.text, true))
      return fmt::format("the contract's {} takes no number {}, which {}", function.name, term.text, use);
  return "";
}

// What of [task.arrays] does not go with the contract; empty if all does.
std::string first_disagreement(const LabFile& file, const TaskFile& task, const ContractFunction& function) {
  const auto at = [&](int line, const std::string& sentence) {
    return fmt::format("{}:{}: {}", (file.folder / "lab.toml").string(), line, sentence);
  };
  for (const ContractParameter& parameter : function.parameters)
    if (parameter.role != Role::kScalar && !find_array_file(task, parameter.name))
      return at(task.line, fmt::format("the contract's {} takes the array {}, which [task.arrays] does not describe",
                                       task.name, parameter.name));
  for (const ArrayFile& array : task.arrays) {
    const ContractParameter* const parameter = find_parameter(function, array.name, false);
    if (!parameter) return at(array.line, fmt::format("the contract's {} takes no array {}", task.name, array.name));
    if ((parameter->role == Role::kInput) == array.values.empty())
      return at(array.line, fmt::format(array.values.empty()
                                            ? "the input {} needs values, such as \"uniform(-1, 1)\""
                                            : "{} is not const in the contract: an output, which has no values here. "
                                              "What is both read and written needs a lab in C++",
                                        array.name));
    for (const std::string& extent : array.shape)
      if (const auto trouble = trouble_of_extent(extent, fmt::format("the shape of {} names", array.name), function);
          !trouble.empty())
        return at(array.line, trouble);
  }
  for (const std::string& factor : task.flops)
    if (const auto trouble = trouble_of_extent(factor, "'flops' names", function); !trouble.empty())
      return at(task.line, trouble);
  for (const MisconceptionFile& mistake : task.misconceptions)
    for (const std::string& checker : mistake.seen_by)
      if (const auto& known = vgpu::kCheckerNames; std::find(known.begin(), known.end(), checker) == known.end())
        return at(mistake.line, fmt::format("no checker is called '{}'; they are {}", checker, fmt::join(known, ", ")));
  if (task.judge.kind == JudgeFile::Kind::kSum) {
    const ContractParameter* const summed = find_parameter(function, task.judge.summed, false);
    if (!summed || summed->role != Role::kInput || summed->dtype != DType::kFloat32)
      return at(task.line, fmt::format("'{}', whose sum is judged, is no input of floats", task.judge.summed));
  }
  return "";
}

ArrayShape shape_of(const ContractParameter& parameter, const ArrayFile& array, const Problem& problem) {
  ArrayShape shape{parameter.name, parameter.dtype, {}};
  double count = 1;
  for (const std::string& extent : array.shape) {
    shape.shape.push_back(extent_of(extent, problem));
    if (shape.shape.back() < 0) throw std::invalid_argument(fmt::format("{} is negative", extent));
    count *= static_cast<double>(shape.shape.back());
  }
  if (count > kMostElements) throw std::invalid_argument(fmt::format("{} has too many elements", parameter.name));
  return shape;
}

bool is_filled(const Array& array, std::size_t i, std::byte byte) {
  const std::size_t size = size_of(array.dtype);
  const std::byte* const element = array.bytes.data() + i * size;
  return std::all_of(element, element + size, [byte](std::byte b) { return b == byte; });
}

// What `call` gives of memory that holds a byte before. Throws where it leaves an element as it is, which shows with
// two bytes: one alone may be right.
std::vector<Array> wholly_written(const std::string& function,
                                  const std::function<std::vector<Array>(std::byte)>& call) {
  std::vector<Array> arrays = call(kPoison);
  std::vector<Array> again;
  for (std::size_t each = 0; each < arrays.size(); ++each) {
    const std::size_t count = element_count(arrays[each]);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_filled(arrays[each], i, kPoison)) continue;
      if (again.empty()) again = call(~kPoison);
      if (is_filled(again[each], i, ~kPoison))
        throw std::invalid_argument(
            fmt::format("the oracle's {}() does not write {}[{}]", function, arrays[each].name, i));
    }
  }
  return arrays;
}

std::vector<Array> made_by_rule(const std::vector<ArrayShape>& shapes, const TaskFile& task,
                                const Parameters& parameters, std::uint64_t seed) {
  Random random(seed);
  std::vector<Array> inputs;
  for (const ArrayShape& shape : shapes) {
    Array& array = inputs.emplace_back();
    static_cast<ArrayShape&>(array) = shape;
    array.bytes.resize(byte_count(shape));
    const std::string& rule =
        parameters.has(shape.name) ? parameters.text(shape.name) : find_array_file(task, shape.name)->values;
    if (rule == kMaker)
      throw std::invalid_argument(
          fmt::format("the values of {}: this case has to name the function that makes them, "
                      "such as function = \"made\"",
                      shape.name));
    fill(array, rule, random, [&](const std::string& name) { return parameters.number(name); });
  }
  return inputs;
}

std::string no_maker(const std::string& text) {
  return fmt::format("'{}' is not the name of a function, with or without numbers, such as made(0, 1)", text);
}

Problem make(OracleLibrary& oracle, const TaskFile& task, const ContractFunction& function,
             const Parameters& parameters, std::uint64_t seed) {
  Problem problem;
  problem.space = task.space;
  for (const ContractParameter& parameter : function.parameters) {
    if (parameter.role != Role::kScalar) continue;
    if (is_real(parameter))
      problem.scalars.push_back({parameter.name, parameters.number(parameter.name)});
    else
      problem.scalars.push_back({parameter.name, parameters.integer(parameter.name)});
  }
  std::vector<ArrayShape> inputs;
  for (const ContractParameter& parameter : function.parameters) {
    if (parameter.role == Role::kScalar) continue;
    auto& shapes = parameter.role == Role::kOutput ? problem.outputs : inputs;
    shapes.push_back(shape_of(parameter, *find_array_file(task, parameter.name), problem));
  }
  if (find_parameter(function, kMaker, true) || !parameters.has(kMaker)) {
    problem.inputs = made_by_rule(inputs, task, parameters, seed);
  } else {
    const auto maker = parse_name_with_numbers(parameters.text(kMaker),
                                               [&](const std::string& name) { return parameters.number(name); });
    if (!maker) throw std::invalid_argument(no_maker(parameters.text(kMaker)));
    problem.inputs = wholly_written(maker->name, [&](std::byte unwritten) {
      return oracle.inputs(task.name, *maker, inputs, problem.scalars, seed, unwritten);
    });
  }
  if (const std::vector<std::string> unread = parameters.unread(); !unread.empty())
    throw std::invalid_argument(
        fmt::format("the contract's {} takes neither a number nor an input called '{}', and no "
                    "values here name it",
                    function.name, unread.front()));
  return problem;
}

// Every array moves once.
Work least_work(const TaskFile& task, const Problem& problem) {
  Work work{0, 1};
  for (const Array& input : problem.inputs) work.bytes += static_cast<double>(input.bytes.size());
  for (const ArrayShape& output : problem.outputs) work.bytes += static_cast<double>(byte_count(output));
  for (const std::string& factor : task.flops) work.flops *= static_cast<double>(extent_of(factor, problem));
  return work;
}

// The exponent of the least bit that is set: x is an odd multiple of two to that power. x is not 0, and finite.
int least_bit(float x) {
  constexpr int kBits = std::numeric_limits<float>::digits;
  int exponent = 0;
  auto bits = static_cast<std::uint32_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), kBits));
  for (exponent -= kBits; bits % 2 == 0; bits /= 2) ++exponent;
  return exponent;
}

// However n floats are added up, each of the n - 1 sums errs by at most half an ulp, relatively u = 2^-24: together by
// n u / (1 - n u) of the sum of magnitudes; so does a right answer that was rounded to a float (N. Higham, "Accuracy
// and Stability of Numerical Algorithms", 2nd edition, 4.2). And a sum of multiples of two to some power is exact, in
// any order, as long as it has no more bits than a float has.
Judgement judge_sum(const Problem& problem, const std::string& summed, const std::vector<Array>& expected,
                    const std::vector<Array>& got) {
  constexpr int kBits = std::numeric_limits<float>::digits;
  const Array& terms = find_array(problem.inputs, summed);
  const float* const x = elements<float>(terms);
  double magnitude = 0;
  int least = std::numeric_limits<int>::max() - kBits;
  for (std::size_t i = 0; i < element_count(terms); ++i) {
    magnitude += std::fabs(static_cast<double>(x[i]));
    if (x[i] != 0 && std::isfinite(x[i])) least = std::min(least, least_bit(x[i]));
  }
  if (magnitude <= std::ldexp(1.0, least + kBits))
    return judge_bound(
        expected, got, [](std::size_t, std::size_t) { return 0.0; },
        fmt::format("the exact sum of {} floats: none of these sums is rounded, in any order", element_count(terms)));
  const double errors = static_cast<double>(element_count(terms)) * std::ldexp(1.0, -kBits);
  if (errors >= 0.5)
    throw std::invalid_argument(fmt::format("{} has too many terms for a sum of floats to be judged", summed));
  const double bound = errors / (1 - errors) * magnitude;
  return judge_bound(
      expected, got, [bound](std::size_t, std::size_t) { return bound; },
      fmt::format("within what rounding can do to a sum of {} floats, in any order", element_count(terms)));
}

Judgement judge(const JudgeFile& rule, const Problem& problem, const std::vector<Array>& expected,
                const std::vector<Array>& got) {
  switch (rule.kind) {
    case JudgeFile::Kind::kExact:
      break;
    case JudgeFile::Kind::kUlps:
      return judge_ulps(expected, got, rule.at_most);
    case JudgeFile::Kind::kLevels:
      return judge_levels(expected, got, rule.at_most);
    case JudgeFile::Kind::kSum:
      return judge_sum(problem, rule.summed, expected, got);
  }
  return judge_exact(expected, got);
}

std::vector<Array> right_answer(OracleLibrary& oracle, const std::string& task, const Problem& problem) {
  return wholly_written(
      task, [&](std::byte unwritten) { return oracle.outputs(task, task, problem, std::nullopt, unwritten); });
}

// The mistake once for each number it is made with, and for each content of memory that it leaves unwritten.
void add_misconceptions(const std::shared_ptr<OracleLibrary>& oracle, const TaskFile& declared,
                        const MisconceptionFile& mistake, std::vector<Misconception>& list) {
  std::vector<std::optional<std::int64_t>> numbers(mistake.with.begin(), mistake.with.end());
  if (numbers.empty()) numbers.emplace_back();
  std::vector<std::byte> unwritten = {kPoison};
  // Outputs in device memory are passed to the function.
  if (mistake.is_on_device && declared.space == Space::kHost) unwritten.assign(std::begin(kFresh), std::end(kFresh));
  for (const std::byte byte : unwritten)
    for (const std::optional<std::int64_t> number : numbers)
      list.push_back({mistake.name,
                      mistake.hint,
                      [oracle, task = declared.name, name = mistake.function, number, byte](const Problem& problem) {
                        return oracle->outputs(task, name, problem, number, byte);
                      },
                      {mistake.seen_by.begin(), mistake.seen_by.end()}});
}

// All that may be asked of the oracle for a task.
void add_functions(const TaskFile& task, const ContractFunction& contract, std::vector<OracleFunction>& functions) {
  const auto add = [&](const std::string& name, Kind kind, std::size_t numbers = 0) {
    const OracleFunction function{task.name, name, kind, numbers};
    if (std::find(functions.begin(), functions.end(), function) == functions.end()) functions.push_back(function);
  };
  add(task.name, Kind::kOutputs);
  for (const MisconceptionFile& mistake : task.misconceptions)
    add(mistake.function, mistake.with.empty() ? Kind::kOutputs : Kind::kVariant);
  if (find_parameter(contract, kMaker, true)) return;
  const auto add_maker = [&](const Parameters& parameters) {  // the name becomes part of a source
    if (!parameters.has(kMaker)) return;
    const auto maker = parse_name_with_numbers(parameters.text(kMaker), [](const std::string&) { return 0.0; });
    if (!maker || !is_identifier(maker->name)) throw std::invalid_argument(no_maker(parameters.text(kMaker)));
    add(maker->name, Kind::kInputs, maker->numbers.size());
  };
  for (const CaseFile& each : task.cases) add_maker(each.make);
  add_maker(task.speed.smaller.make);
}

}  // namespace

Expected<Lab> declare_lab(const LabFile& file, const Installation& installation, bool compile_ahead) {
  const std::string path = (file.folder / "lab.toml").string();
  const auto contract = read_file(file.folder / file.contract, kLargestContract);
  if (!contract) return contract.failure();
  std::vector<ContractFunction> tasks;
  std::vector<OracleFunction> functions;
  for (const TaskFile& task : file.tasks) {
    auto function = read_contract(*contract, file.folder / file.contract, task.name);
    if (!function) {
      const bool has_line = function.sentence().rfind((file.folder / file.contract).string() + ":", 0) == 0;
      return has_line ? function.failure() : Failure{fmt::format("{}:{}: {}", path, task.line, function.sentence())};
    }
    if (const std::string sentence = first_disagreement(file, task, *function); !sentence.empty())
      return Failure{sentence};
    try {
      add_functions(task, *function, functions);
    } catch (const std::invalid_argument& error) {
      return Failure{fmt::format("{}:{}: {}", path, task.line, error.what())};
    }
    tasks.push_back(std::move(*function));
  }

  const auto oracle = std::make_shared<OracleLibrary>(installation, file, tasks, std::move(functions));
  if (compile_ahead) oracle->compile_ahead();
  Lab lab{file.id, {}, [oracle, folder = file.folder] {
            const std::string& trouble = oracle->trouble();
            return trouble.empty() ? trouble : fmt::format("{}: {}", folder.string(), trouble);
          }};
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    Task& task = lab.tasks.emplace_back();
    const TaskFile& declared = file.tasks[i];
    task.name = declared.name;
    task.make = [oracle, declared, function = tasks[i]](const Parameters& parameters, std::uint64_t seed) {
      return make(*oracle, declared, function, parameters, seed);
    };
    task.oracle = [oracle, name = declared.name](const Problem& problem) {
      return right_answer(*oracle, name, problem);
    };
    task.judge = [rule = declared.judge](const Problem& problem, const std::vector<Array>& expected,
                                         const std::vector<Array>& got) { return judge(rule, problem, expected, got); };
    if (!declared.flops.empty())
      task.work = [declared](const Problem& problem) { return least_work(declared, problem); };
    for (const MisconceptionFile& each : declared.misconceptions)
      add_misconceptions(oracle, declared, each, task.misconceptions);
  }
  return lab;
}

}  // namespace lanewise
