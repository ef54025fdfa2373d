// Each part of a Task from its part of lab.toml, which is first held against the contract.
#include "harness/declared/declared_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/declared/oracle_library.h"
#include "harness/declared/values.h"
#include "harness/lab/contract.h"
#include "harness/lab/read_file.h"

namespace lanewise {
namespace {

using Role = ContractParameter::Role;

constexpr std::uintmax_t kLargestContract = 1 << 20;
constexpr double kMostElements = 1e10;

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

bool is_number(const std::string& extent) { return extent.find_first_not_of("0123456789") == std::string::npos; }

bool is_real(const ContractParameter& parameter) {
  return parameter.dtype == DType::kFloat32 || parameter.dtype == DType::kFloat64;
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
      if (!is_number(extent) && !find_parameter(function, extent, true))
        return at(array.line, fmt::format("the contract's {} takes no number {}, which the shape of {} names",
                                          task.name, extent, array.name));
  }
  if (task.judge.kind == JudgeFile::Kind::kSum) {
    const ContractParameter* const summed = find_parameter(function, task.judge.summed, false);
    if (!summed || summed->role != Role::kInput || summed->dtype != DType::kFloat32)
      return at(task.line, fmt::format("'{}', whose sum is judged, is no input of floats", task.judge.summed));
  }
  return "";
}

std::int64_t extent_of(const std::string& extent, const Problem& problem) {
  return is_number(extent) ? std::stoll(extent) : integer_scalar(problem, extent);
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

Problem make(const TaskFile& task, const ContractFunction& function, const Parameters& parameters, std::uint64_t seed) {
  for (const std::string& key : parameters.keys())
    if (!find_parameter(function, key, true) &&
        (!find_parameter(function, key, false) || find_array_file(task, key)->values.empty()))
      throw std::invalid_argument(
          fmt::format("the contract's {} takes neither a number nor an input called '{}'", function.name, key));
  Problem problem;
  problem.space = task.space;
  for (const ContractParameter& parameter : function.parameters) {
    if (parameter.role != Role::kScalar) continue;
    if (is_real(parameter))
      problem.scalars.push_back({parameter.name, parameters.number(parameter.name)});
    else
      problem.scalars.push_back({parameter.name, parameters.integer(parameter.name)});
  }
  Random random(seed);
  for (const ContractParameter& parameter : function.parameters) {
    if (parameter.role == Role::kScalar) continue;
    const ArrayFile& described = *find_array_file(task, parameter.name);
    const ArrayShape shape = shape_of(parameter, described, problem);
    if (parameter.role == Role::kOutput) {
      problem.outputs.push_back(shape);
      continue;
    }
    Array& array = problem.inputs.emplace_back();
    static_cast<ArrayShape&>(array) = shape;
    array.bytes.resize(byte_count(shape));
    fill(array, parameters.has(parameter.name) ? parameters.text(parameter.name) : described.values, random);
  }
  return problem;
}

// However n floats are added up, each of the n - 1 sums errs by at most half an ulp, relatively u = 2^-24: together by
// n u / (1 - n u) of the sum of magnitudes; so does a right answer that was rounded to a float (N. Higham, "Accuracy
// and Stability of Numerical Algorithms", 2nd edition, 4.2).
Judgement judge_sum(const Problem& problem, const std::string& summed, const std::vector<Array>& expected,
                    const std::vector<Array>& got) {
  const Array& terms = find_array(problem.inputs, summed);
  const float* const x = elements<float>(terms);
  double magnitude = 0;
  for (std::size_t i = 0; i < element_count(terms); ++i) magnitude += std::fabs(static_cast<double>(x[i]));
  const double errors = static_cast<double>(element_count(terms)) * std::ldexp(1.0, -24);
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
  std::vector<Array> outputs = oracle.call(task, task, problem);
  for (const Array& output : outputs) {
    const std::size_t size = size_of(output.dtype);
    if (size < 4) continue;  // so few bytes may be right as they are
    for (auto it = output.bytes.begin(); it != output.bytes.end(); it += static_cast<std::ptrdiff_t>(size))
      if (std::all_of(it, it + static_cast<std::ptrdiff_t>(size), [](std::byte b) { return b == kPoison; }))
        throw std::invalid_argument(fmt::format("the oracle's {}() does not write {}[{}]", task, output.name,
                                                static_cast<std::size_t>(it - output.bytes.begin()) / size));
  }
  return outputs;
}

}  // namespace

Expected<Lab> declare_lab(const LabFile& file, const Installation& installation, bool compile_now) {
  const auto contract = read_file(file.folder / file.contract, kLargestContract);
  if (!contract) return contract.failure();
  std::vector<ContractFunction> tasks;
  std::vector<OracleFunction> callable;
  for (const TaskFile& task : file.tasks) {
    auto function = read_contract(*contract, task.name);
    if (!function)
      return Failure{fmt::format("{}:{}: {}", (file.folder / "lab.toml").string(), task.line, function.sentence())};
    if (const std::string sentence = first_disagreement(file, task, *function); !sentence.empty())
      return Failure{sentence};
    callable.push_back({task.name, *function});
    for (const MisconceptionFile& each : task.misconceptions) {
      ContractFunction mistaken = *function;
      mistaken.name = each.function;
      const auto is_it = [&](const OracleFunction& other) {
        return other.task == task.name && other.function.name == each.function;
      };
      if (std::none_of(callable.begin(), callable.end(), is_it)) callable.push_back({task.name, std::move(mistaken)});
    }
    tasks.push_back(std::move(*function));
  }

  const auto oracle = std::make_shared<OracleLibrary>(installation, file, std::move(callable));
  if (compile_now && !oracle->trouble().empty())
    return Failure{fmt::format("{}: {}", file.folder.string(), oracle->trouble())};
  Lab lab{file.id, {}};
  for (std::size_t i = 0; i < file.tasks.size(); ++i) {
    Task& task = lab.tasks.emplace_back();
    const TaskFile& declared = file.tasks[i];
    task.name = declared.name;
    task.make = [declared, function = tasks[i]](const Parameters& parameters, std::uint64_t seed) {
      return make(declared, function, parameters, seed);
    };
    task.oracle = [oracle, name = declared.name](const Problem& problem) {
      return right_answer(*oracle, name, problem);
    };
    task.judge = [rule = declared.judge](const Problem& problem, const std::vector<Array>& expected,
                                         const std::vector<Array>& got) { return judge(rule, problem, expected, got); };
    for (const MisconceptionFile& each : declared.misconceptions)
      task.misconceptions.push_back(
          {each.name, each.hint, [oracle, task = declared.name, name = each.function](const Problem& problem) {
             return oracle->call(task, name, problem);
           }});
  }
  return lab;
}

}  // namespace lanewise
