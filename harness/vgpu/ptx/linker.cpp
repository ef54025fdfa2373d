#include "harness/vgpu/ptx/linker.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace vgpu::ptx {
namespace {

const char* space_name(Space space) {
  switch (space) {
    case Space::kGlobal:
      return "global";
    case Space::kShared:
      return "shared";
    case Space::kConst:
      return "constant";
    default:
      return "local";
  }
}

class Linker {
 public:
  Linker(std::vector<std::string> names, std::vector<Module> modules)
      : names_(std::move(names)), modules_(std::move(modules)) {}

  Module link() {
    for (std::size_t unit = 0; unit < modules_.size(); ++unit) define_all(unit);
    for (std::size_t unit = 0; unit < modules_.size(); ++unit) check_declarations(unit);
    for (std::size_t unit = 0; unit < modules_.size(); ++unit) rename_all(unit);
    Module linked;
    linked.text = modules_.front().text;
    for (std::size_t unit = 0; unit < modules_.size(); ++unit) append(linked, unit);
    linked.renamed = renamed_;
    return linked;
  }

 private:
  /// What a name stands for that all units know.
  struct Definition {
    std::size_t unit = 0;
    Linkage linkage = Linkage::kVisible;
    bool is_function = false;
    Space space = Space::kGlobal;  ///< of a variable, like what follows
    std::uint64_t bytes = 0;
    std::uint32_t align = 1;
  };

  [[noreturn]] void fail(std::size_t unit, std::uint32_t line, const std::string& sentence) const {
    throw Diagnostic{line, sentence + " (" + names_[unit] + ")"};
  }

  [[noreturn]] void fail_to_agree(std::size_t unit, const std::string& name, const std::string& here, std::size_t other,
                                  const std::string& there) const {
    fail(unit, 0, name + " is " + here + " here, and " + there + " in " + names_[other]);
  }

  static bool is_definition(const Variable& variable) { return !variable.is_extern; }

  void define_all(std::size_t unit) {
    for (const Variable& variable : modules_[unit].variables) {
      if (!is_definition(variable)) continue;
      define(unit, variable.name, 0, {unit, variable.linkage, false, variable.space, variable.bytes, variable.align});
    }
    for (const Function& function : modules_[unit].functions)
      if (function.has_body) define(unit, function.name, function.line, {unit, function.linkage, true});
  }

  void define(std::size_t unit, const std::string& name, std::uint32_t line, const Definition& definition) {
    if (definition.linkage == Linkage::kLocal) {
      local_.push_back({unit, name});
      return;
    }
    const auto [known, is_new] = definitions_.try_emplace(name, definition);
    if (is_new) return;
    Definition& first = known->second;
    const bool both_strong = first.linkage == Linkage::kVisible && definition.linkage == Linkage::kVisible;
    if (both_strong || first.is_function != definition.is_function || first.space != definition.space)
      fail(unit, line, name + " is defined in " + names_[first.unit] + " and once more");
    const bool is_larger = definition.linkage == Linkage::kCommon && definition.bytes > first.bytes;
    if (first.linkage != Linkage::kVisible && (definition.linkage == Linkage::kVisible || is_larger))
      first = definition;
  }

  void check_declarations(std::size_t unit) {
    for (const Variable& variable : modules_[unit].variables) {
      if (!variable.is_extern) continue;
      const auto found = definitions_.find(variable.name);
      if (found == definitions_.end()) {
        if (variable.space == Space::kShared && variable.bytes == 0) continue;  // the dynamic shared memory
        fail(unit, 0, "the variable " + variable.name + " is declared extern, and no file of the program defines it");
      }
      const Definition& definition = found->second;
      const auto differs = [&](const std::string& here, const std::string& there) {
        fail_to_agree(unit, variable.name, here, definition.unit, there);
      };
      if (definition.is_function) differs("a variable", "a function");
      if (definition.space != variable.space)
        differs(std::string("in ") + space_name(variable.space) + " memory",
                std::string("in ") + space_name(definition.space) + " memory");
      if (variable.bytes != 0 && variable.bytes != definition.bytes)
        differs(std::to_string(variable.bytes) + " bytes large", std::to_string(definition.bytes));
    }
  }

  /// Gives local names that others have as well one of their own.
  void rename_all(std::size_t unit) {
    std::map<std::string_view, std::string_view> renames;
    for (const auto& [owner, name] : local_) {
      if (owner != unit) continue;
      if (definitions_.count(name) == 0 && taken_.insert(name).second) continue;
      std::string own;
      for (std::size_t number = 2; own.empty() || definitions_.count(own) != 0 || taken_.count(own) != 0; ++number)
        own = name + "." + std::to_string(number);
      taken_.insert(own);
      renames[name] = renamed_->emplace_back(std::move(own));
    }
    if (renames.empty()) return;
    const auto rename = [&](auto& name) {
      if (const auto found = renames.find(name); found != renames.end()) name = found->second;
    };
    for (Variable& variable : modules_[unit].variables) {
      if (is_definition(variable)) rename(variable.name);
      for (Relocation& relocation : variable.relocations) rename(relocation.symbol);
    }
    for (Function& function : modules_[unit].functions) {
      std::set<std::string_view> own;  // of the function: its parameters come before all names from outside
      for (const Parameter& parameter : function.parameters) own.insert(parameter.name);
      for (const Parameter& result : function.results) own.insert(result.name);
      for (Instruction& instruction : function.body)
        for (Operand& operand : instruction.operands) rename_in(operand, renames, own);
      rename(function.name);
    }
  }

  static void rename_in(Operand& operand, const std::map<std::string_view, std::string_view>& renames,
                        const std::set<std::string_view>& own) {
    if (operand.kind == Operand::Kind::kSymbol && operand.index == Operand::kNotLocal && own.count(operand.name) == 0)
      if (const auto found = renames.find(operand.name); found != renames.end()) operand.name = found->second;
    for (Operand& element : operand.elements) rename_in(element, renames, own);
  }

  /// Whether the unit's definition of the name is the one that counts.
  bool counts(std::size_t unit, Linkage linkage, const std::string& name) const {
    return linkage == Linkage::kLocal || definitions_.at(name).unit == unit;
  }

  void append(Module& linked, std::size_t unit) {
    Module& module = modules_[unit];
    linked.version_major = std::max(linked.version_major, module.version_major);
    linked.version_minor = std::max(linked.version_minor, module.version_minor);
    linked.target = std::max(linked.target, module.target);

    std::map<std::uint32_t, std::uint32_t> file_numbers;
    for (const auto& [number, path] : module.files) {
      const auto own = static_cast<std::uint32_t>(linked.files.size());
      file_numbers[number] = own;
      linked.files[own] = path;
    }
    const auto locations = static_cast<std::int32_t>(linked.locations.size());
    for (Location location : module.locations) {
      const auto file = file_numbers.find(location.file);
      location.file = file != file_numbers.end() ? file->second : ~0u;
      if (location.inlined_at >= 0) location.inlined_at += locations;
      linked.locations.push_back(location);
    }
    for (Function& function : module.functions)
      for (Instruction& instruction : function.body)
        if (instruction.location >= 0) instruction.location += locations;

    for (Variable& variable : module.variables) {
      if (variable.is_extern) {
        if (definitions_.count(variable.name) == 0) append_dynamic_shared(linked, std::move(variable));
      } else if (counts(unit, variable.linkage, variable.name)) {
        linked.variables.push_back(std::move(variable));
      }
    }
    for (Function& function : module.functions)
      if (function.has_body && counts(unit, function.linkage, function.name))
        linked.functions.push_back(std::move(function));
  }

  /// The units' declarations of one array are one, with the largest alignment.
  static void append_dynamic_shared(Module& linked, Variable variable) {
    for (Variable& known : linked.variables) {
      if (!known.is_extern || known.name != variable.name) continue;
      known.align = std::max(known.align, variable.align);
      return;
    }
    linked.variables.push_back(std::move(variable));
  }

  std::vector<std::string> names_;  ///< of the units
  std::vector<Module> modules_;
  std::map<std::string, Definition> definitions_;
  std::vector<std::pair<std::size_t, std::string>> local_;  ///< names that only their unit knows
  std::set<std::string> taken_;                             ///< of these, as they are called in the end
  std::shared_ptr<std::deque<std::string>> renamed_ = std::make_shared<std::deque<std::string>>();
};

}  // namespace

std::variant<Module, Diagnostic> link(std::vector<Unit> units) {
  std::string whole;
  std::vector<std::pair<std::size_t, std::size_t>> parts;  // where each unit begins, and how long it is
  std::vector<std::string> names;
  for (Unit& unit : units) {
    drop_padding(unit.text);
    parts.emplace_back(whole.size(), unit.text.size());
    whole += unit.text;
    names.push_back(!unit.name.empty()
                        ? std::move(unit.name)
                        : "file " + std::to_string(names.size() + 1) + " of " + std::to_string(units.size()));
  }
  const auto text = std::make_shared<const std::string>(std::move(whole));
  std::vector<Module> modules;
  for (std::size_t unit = 0; unit < parts.size(); ++unit) {
    auto parsed = parse_part(text, std::string_view(*text).substr(parts[unit].first, parts[unit].second));
    if (auto* diagnostic = std::get_if<Diagnostic>(&parsed)) {
      if (parts.size() > 1) diagnostic->message += " (" + names[unit] + ")";
      return std::move(*diagnostic);
    }
    modules.push_back(std::move(std::get<Module>(parsed)));
  }
  if (modules.empty()) return Diagnostic{0, "there is nothing to link"};
  try {
    return Linker(std::move(names), std::move(modules)).link();
  } catch (const Diagnostic& diagnostic) {
    return diagnostic;
  }
}

}  // namespace vgpu::ptx
