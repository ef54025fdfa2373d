#include "harness/vgpu/sweep/mutator.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace vgpu::sweep {
namespace {

using Words = std::set<std::string_view>;

bool is_any_of(std::string_view text, const Words& words) { return words.count(text) != 0; }

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// The value an atomic leaves behind, with the one before as `sweep_old` and the call's arguments in parentheses; empty
/// if the function is no atomic.
std::string plain_result(std::string_view function, const std::vector<std::string>& arguments) {
  for (const std::string_view scope : {"_block", "_system"})
    if (ends_with(function, scope)) function.remove_suffix(scope.size());
  static const std::map<std::string_view, const char*> kBinary = {
      {"atomicAdd", " + "}, {"atomicSub", " - "}, {"atomicAnd", " & "}, {"atomicOr", " | "}, {"atomicXor", " ^ "}};
  const std::string old = "sweep_old";
  if (function == "atomicCAS")
    return arguments.size() == 3 ? old + " == " + arguments[1] + " ? " + arguments[2] + " : " + old : "";
  if (arguments.size() != 2) return "";
  const std::string& value = arguments[1];
  if (const auto found = kBinary.find(function); found != kBinary.end()) return old + found->second + value;
  if (function == "atomicExch") return value;
  if (function == "atomicMin") return old + " < " + value + " ? " + old + " : " + value;
  if (function == "atomicMax") return old + " > " + value + " ? " + old + " : " + value;
  if (function == "atomicInc") return old + " >= " + value + " ? 0 : " + old + " + 1";
  if (function == "atomicDec") return old + " == 0 || " + old + " > " + value + " ? " + value + " : " + old + " - 1";
  return "";
}

class Mutator {
 public:
  Mutator(std::string_view source, const DeviceCode& code) : source_(source), code_(code) {}

  std::vector<Mutation> all() {
    for (const DeviceFunction& function : code_.functions()) {
      function_ = &function;
      shared_ = code_.shared_names({function.begin, function.end});
      for (std::size_t i = function.begin; i < function.end; ++i) {
        if (text(i) == "static_assert" && code_.partner(i + 1) != DeviceCode::kNone) {
          i = code_.partner(i + 1);
          continue;
        }
        drop_barrier(i);
        shift_bound(i);
        change_index(i);
        swap_axes(i);
        drop_initialisation(i);
        plain_atomic(i);
        drop_guard(i);
        shrink_mask(i);
      }
    }
    const auto place = [](const Mutation& m) { return std::tuple(m.line, m.op, m.begin); };
    std::stable_sort(result_.begin(), result_.end(),
                     [&](const Mutation& a, const Mutation& b) { return place(a) < place(b); });
    for (std::size_t i = 1; i < result_.size(); ++i)
      if (result_[i].line == result_[i - 1].line && result_[i].op == result_[i - 1].op)
        result_[i].number = result_[i - 1].number + 1;
    return std::move(result_);
  }

 private:
  std::string_view text(std::size_t token) const { return code_.text(token); }
  std::string_view source_of(TokenRange range) const {
    const Token& first = code_.tokens()[range.first];
    return source_.substr(first.begin, code_.tokens()[range.second - 1].end() - first.begin);
  }
  /// The ) of a call or condition whose ( is at `open`; kNone if there is no (.
  std::size_t close_of(std::size_t open) const { return text(open) == "(" ? code_.partner(open) : DeviceCode::kNone; }

  /// Tokens [first, last] give way to `replacement`.
  void change(Operator op, std::size_t first, std::size_t last, std::string replacement) {
    Mutation m;
    m.op = op;
    m.line = code_.tokens()[first].line;
    m.function = function_->name;
    m.begin = code_.tokens()[first].begin;
    m.end = code_.tokens()[last].end();
    const auto newlines = [](std::string_view t) { return std::count(t.begin(), t.end(), '\n'); };
    const auto before = newlines(source_.substr(m.begin, m.end - m.begin)), after = newlines(replacement);
    if (before > after) replacement.append(static_cast<std::size_t>(before - after), '\n');
    m.replacement = std::move(replacement);
    result_.push_back(std::move(m));
  }

  bool is_barrier(std::size_t i) const {
    static const Words kFunctions = {"__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block",
                                     "__threadfence_system"};
    return (is_any_of(text(i), kFunctions) || text(i) == "sync") && close_of(i + 1) != DeviceCode::kNone;
  }

  void drop_barrier(std::size_t i) {
    if (!is_barrier(i)) return;
    const bool is_qualified = is_any_of(text(i - 1), {".", "->", "::"});
    change(Operator::kDropBarrier, is_qualified ? i - 2 : i, close_of(i + 1), "(void)0");
  }

  void shift_bound(std::size_t i) {
    static const std::map<std::string_view, const char*> kShifted = {
        {"<", "<="}, {"<=", "<"}, {">", ">="}, {">=", ">"}};
    const auto found = kShifted.find(text(i));
    if (found == kShifted.end() || code_.is_template_bracket(i) || text(i - 1) == "operator") return;
    change(Operator::kShiftBound, i, i, found->second);
  }

  bool is_subscript(std::size_t i) const {
    if (text(i) != "[" || text(i + 1) == "[" || code_.partner(i) == DeviceCode::kNone) return false;
    if (code_.partner(i) == i + 1) return false;
    const Token& before = code_.tokens()[i - 1];
    static const Words kNoArrays = {"return", "auto", "delete", "operator", "case", "else", "do"};
    const bool is_behind_operand = (before.kind == TokenKind::kIdentifier && !is_any_of(before.text, kNoArrays)) ||
                                   before.text == ")" || before.text == "]";
    return is_behind_operand && !code_.is_extent(i);
  }

  void change_index(std::size_t i) {
    if (!is_subscript(i)) return;
    const std::size_t close = code_.partner(i);
    const auto index = std::string(source_of({i + 1, close}));
    change(Operator::kWidenIndex, i + 1, close - 1, "(" + index + ") + 1");
    change(Operator::kWidenIndex, i + 1, close - 1, "(" + index + ") - 1");
    if (text(close + 1) != "[" || !is_subscript(close + 1)) return;
    const std::size_t end = code_.partner(close + 1);
    const auto inner = std::string(source_of({close + 2, end}));
    if (inner != index) change(Operator::kSwapIndices, i, end, "[" + inner + "][" + index + "]");
  }

  void swap_axes(std::size_t i) {
    if (!is_any_of(text(i), {"threadIdx", "blockIdx"}) || text(i + 1) != ".") return;
    bool has_two = false;
    for (std::size_t other = function_->begin; other < function_->end; ++other)
      has_two |= text(other) == text(i) && text(other + 2) == "y";
    if (!has_two) return;
    if (text(i + 2) == "x") change(Operator::kSwapIndices, i + 2, i + 2, "y");
    if (text(i + 2) == "y") change(Operator::kSwapIndices, i + 2, i + 2, "x");
  }

  void drop_initialisation(std::size_t i) {
    const bool is_shared = std::find(shared_.begin(), shared_.end(), text(i)) != shared_.end();
    if (!is_shared || code_.statement_begin(i) != i) return;
    std::size_t at = i + 1;
    while (text(at) == "[" && code_.partner(at) != DeviceCode::kNone) at = code_.partner(at) + 1;
    if (text(at) != "=") return;
    std::size_t value = at + 1;
    if (text(value) == "-") ++value;
    if (value >= function_->end || text(value + 1) != ";") return;
    if (code_.tokens()[value].kind != TokenKind::kNumber && !is_any_of(text(value), {"false", "true", "nullptr"}))
      return;
    for (std::size_t later = value; later < function_->end; ++later)
      if (is_barrier(later)) return change(Operator::kDropInitialisation, i, value, "(void)0");
  }

  void plain_atomic(std::size_t i) {
    if (text(i).substr(0, 6) != "atomic" || close_of(i + 1) == DeviceCode::kNone) return;
    std::vector<std::string> arguments;
    for (const TokenRange& range : code_.arguments(i + 1))
      arguments.push_back("(" + std::string(source_of(range)) + ")");
    const std::string result = plain_result(text(i), arguments);
    if (result.empty()) return;
    change(Operator::kPlainAtomic, i, close_of(i + 1),
           "([&] { auto* const sweep_at = " + arguments[0] +
               "; const auto sweep_old = *sweep_at; *sweep_at = " + result + "; return sweep_old; }())");
  }

  void drop_guard(std::size_t i) {
    const std::size_t open = i + 1, close = close_of(open);
    if (text(i) != "if" || close == DeviceCode::kNone || close == open + 1) return;
    for (std::size_t inner = open; inner < close; ++inner)
      if (text(inner) == ";") return;  // it declares something, too
    const std::size_t then = text(close + 1) == "{" ? close + 2 : close + 1;
    const bool is_way_out = is_any_of(text(then), {"return", "continue", "break"});
    change(Operator::kDropGuard, open + 1, close - 1, is_way_out ? "false" : "true");
  }

  void shrink_mask(std::size_t i) {
    if (text(i).substr(0, 2) != "__" || (!ends_with(text(i), "_sync") && text(i) != "__syncwarp")) return;
    if (close_of(i + 1) == DeviceCode::kNone) return;
    const std::vector<TokenRange> arguments = code_.arguments(i + 1);
    if (arguments.empty()) return;
    const auto [first, end] = arguments[0];
    change(Operator::kShrinkMask, first, end - 1, "(" + std::string(source_of(arguments[0])) + ") & 0x0000ffffu");
  }

  std::string_view source_;
  const DeviceCode& code_;
  const DeviceFunction* function_ = nullptr;
  std::vector<std::string_view> shared_;
  std::vector<Mutation> result_;
};

}  // namespace

const char* name_of(Operator op) {
  switch (op) {
    case Operator::kDropBarrier:
      return "drop-barrier";
    case Operator::kShiftBound:
      return "shift-bound";
    case Operator::kWidenIndex:
      return "widen-index";
    case Operator::kSwapIndices:
      return "swap-indices";
    case Operator::kDropInitialisation:
      return "drop-initialisation";
    case Operator::kPlainAtomic:
      return "plain-atomic";
    case Operator::kDropGuard:
      return "drop-guard";
    case Operator::kShrinkMask:
      return "shrink-mask";
  }
  return "";
}

std::vector<Mutation> mutations_of(std::string_view source, const DeviceCode& code) {
  return Mutator(source, code).all();
}

std::string mutated(std::string_view source, const Mutation& mutation) {
  std::string text(source.substr(0, mutation.begin));
  text += mutation.replacement;
  text += source.substr(mutation.end);
  return text;
}

}  // namespace vgpu::sweep
