// What the harness sees of a lab: how to make an instance of each task, what is right, and the mistakes with a name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/array.h"
#include "harness/lab/judgement.h"

namespace lanewise {

/// The `make = { ... }` table of a case in lab.toml. Accessors name a key that is missing or of another type
/// (std::invalid_argument, shown to the author of the lab.toml).
class Parameters {
 public:
  using Value = std::variant<std::int64_t, double, bool, std::string>;

  void set(std::string key, Value value);
  bool has(const std::string& key) const;
  std::vector<std::string> keys() const;  ///< in alphabetical order
  std::int64_t integer(const std::string& key) const;
  std::int64_t integer_or(const std::string& key, std::int64_t otherwise) const;
  double number(const std::string& key) const;
  const std::string& text(const std::string& key) const;

  /// Keys that nobody has asked for: misspelt, or without a meaning for this case.
  std::vector<std::string> unread() const;
  /// Keys that somebody has asked for, whether or not they are there.
  const std::set<std::string>& asked_for() const { return asked_for_; }

 private:
  const Value& find(const std::string& key) const;

  std::map<std::string, Value> values_;
  mutable std::set<std::string> asked_for_;
};

/// The memory that the contract's pointers refer to.
enum class Space : std::uint8_t { kDevice, kHost };

/// A size or option passed by value.
struct Scalar {
  std::string name;
  std::variant<std::int64_t, double> value;
};

/// One instance of a task: everything a submission is given. The expected outputs are not in it.
struct Problem {
  Space space = Space::kDevice;
  std::vector<Array> inputs;
  std::vector<ArrayShape> outputs;
  std::vector<Scalar> scalars;
};

/// The scalar called `name` as an integer (std::invalid_argument if there is none).
std::int64_t integer_scalar(const Problem& problem, const std::string& name);

/// The array called `name` (std::invalid_argument if there is none).
const Array& find_array(const std::vector<Array>& arrays, const std::string& name);

/// The least number of bytes moved through device memory and of operations done, for roofs and floors.
struct Work {
  double bytes = 0;
  double flops = 0;
};

/// A typical mistake and its result: if every wrong output equals `outcome`, the report says so.
struct Misconception {
  std::string name;  ///< short, as in lab.toml and `// expect:` lines: "rows and columns swapped"
  std::string hint;  ///< one or two sentences shown to the student: what happened and where to look
  std::function<std::vector<Array>(const Problem&)> outcome;  ///< no arrays: cannot tell for this problem
  /// Checkers that report this very mistake. What any other one reports may have led to the same outcome: the
  /// misconception then yields to the finding.
  std::set<std::string> seen_by = {};
  /// Which outputs go wrong depends on the order of threads: not every case has to agree with `outcome`.
  bool depends_on_order = false;
};

/// Why a problem could not be made: its data is missing or not what it should be.
struct MissingData {
  std::string sentence;
  bool is_mistake = false;  ///< the case makes no sense, whatever data there is
};

/// One graded function of a lab.
struct Task {
  std::string name;  ///< the contract's function name, as in lab.toml

  /// Makes an instance; `seed` determines everything random. MissingData leaves the case out, with its sentence.
  std::function<std::variant<Problem, MissingData>(const Parameters&, std::uint64_t seed)> make;

  /// The right outputs, one per entry of problem.outputs, in order. Runs on the CPU, in double or exact integers.
  std::function<std::vector<Array>(const Problem&)> oracle;

  /// Compares the outputs with the expected ones. Also used for misconceptions.
  std::function<Judgement(const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got)> judge;

  /// Optional: without it, no roof or floor is known, and a kernel may execute what the time limit allows.
  std::function<Work(const Problem&)> work;
  std::vector<Misconception> misconceptions;

  /// Optional: whether two outcomes, both of which may be wrong, are the same but for rounding. Where `judge` allows
  /// for the rounding of the right sums only, it is too strict with a wrong outcome that sums up something else.
  std::function<bool(const Problem&, const std::vector<Array>&, const std::vector<Array>&)> resembles;

  /// Optional: writes pictures that show a wrong output better than numbers do (expected, got, difference) into the
  /// existing `folder`, and returns the names of the files written. Called for wrong cases only.
  std::function<std::vector<std::string>(const Problem&, const std::vector<Array>& expected,
                                         const std::vector<Array>& got, const std::filesystem::path& folder)>
      illustrate;
};

/// One folder under labs/.
struct Lab {
  std::string id;  ///< the folder's name
  std::vector<Task> tasks;

  /// Optional: waits until what the lab needs is built. What is wrong with it in one line, or nothing.
  std::function<std::string()> trouble = {};
};

/// Every lab under labs/, in alphabetical order; generated by CMake from the folders it finds.
std::vector<Lab> all_labs();

}  // namespace lanewise
