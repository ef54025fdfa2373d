#include "harness/vgpu/ptx/parser.h"

#include <set>
#include <utility>

#include "harness/vgpu/ptx/declarations.h"
#include "harness/vgpu/ptx/function_parser.h"
#include "harness/vgpu/ptx/token_stream.h"

namespace vgpu::ptx {
namespace {

/// The number that `digits` begins with; 0 if it begins with none. For texts short enough not to overflow.
std::uint32_t decimal(std::string_view digits) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < digits.size() && digits[i] >= '0' && digits[i] <= '9'; ++i)
    value = value * 10 + static_cast<std::uint32_t>(digits[i] - '0');
  return value;
}

class ModuleParser {
 public:
  /// The module's text is `text`, or has it as a part.
  ModuleParser(Module& module, std::string_view text) : module_(module), tokens_(text) {}

  void parse() {
    while (!tokens_.at_end()) {
      if (tokens_.accept(';')) continue;
      if (tokens_.peek().kind != TokenKind::kDotted)
        tokens_.fail("expected a directive, found '" + std::string(tokens_.peek().text.substr(0, 40)) + "'");
      parse_directive();
    }
    if (module_.version_major == 0) tokens_.fail("there is no .version: this is not PTX");
  }

 private:
  void parse_directive() {
    const std::string_view word = tokens_.take().text;
    if (word == "version") {
      parse_version();
    } else if (word == "target") {
      parse_target();
    } else if (word == "address_size") {
      if (tokens_.expect_integer("32 or 64") != 64) tokens_.fail("only 64-bit addresses are supported");
    } else if (word == "file") {
      parse_file();
    } else if (word == "loc") {
      Function nowhere;
      FunctionParser(tokens_, module_, nowhere).parse_location();
    } else if (word == "section") {
      skip_section();
    } else if (word == "visible" || word == "weak" || word == "common") {  // linkage of what follows
      linkage_ = word == "visible" ? Linkage::kVisible : word == "weak" ? Linkage::kWeak : Linkage::kCommon;
      return;
    } else if (word == "extern") {
      is_extern_ = true;
      return;
    } else if (word == "entry" || word == "func") {
      parse_function(word == "entry");
    } else if (word == "alias") {
      tokens_.fail("function aliases are not supported");
    } else if (word == "pragma") {
      while (!tokens_.accept(';')) {
        if (tokens_.at_end()) tokens_.fail("a .pragma is not closed");
        tokens_.take();
      }
    } else if (declared_space(word) != Space::kGeneric) {
      for (Variable& variable : parse_variables(tokens_, declared_space(word), is_extern_)) {
        if (!variable.is_extern) define(variable.name);
        variable.linkage = linkage_;
        module_.variables.push_back(std::move(variable));
      }
    } else {
      tokens_.fail("the directive '." + std::string(word) + "' is not known");
    }
    is_extern_ = false;
    linkage_ = Linkage::kLocal;
  }

  void define(const std::string& name) {
    if (!defined_.insert(name).second) tokens_.fail(name + " is defined twice");
  }

  void parse_version() {
    const Token token = tokens_.take();
    const std::size_t point = token.text.find('.');
    if (token.kind != TokenKind::kFloat64 || point == std::string_view::npos || token.text.size() > 6)
      tokens_.fail("expected a version such as 9.0");
    module_.version_major = decimal(token.text.substr(0, point));
    module_.version_minor = decimal(token.text.substr(point + 1));
  }

  void parse_target() {
    do {
      const std::string_view name = tokens_.expect_identifier("a target such as sm_90");
      if (name.substr(0, 3) == "sm_" && name.size() <= 7) module_.target = decimal(name.substr(3));
    } while (tokens_.accept(','));
    if (module_.target == 0) tokens_.fail("the .target names no architecture");
  }

  void parse_file() {
    const auto number = static_cast<std::uint32_t>(tokens_.expect_integer("a file number after .file"));
    if (tokens_.peek().kind != TokenKind::kString) tokens_.fail("expected a file name after .file");
    module_.files[number] = std::string(tokens_.take().text);
    while (tokens_.accept(',')) tokens_.expect_integer("a time stamp or size after .file");
  }

  void skip_section() {
    while (!tokens_.accept('{'))
      if (tokens_.take().kind == TokenKind::kEnd) tokens_.fail("a .section has no body");
    for (int open = 1; open > 0;) {
      const Token token = tokens_.take();
      if (token.kind == TokenKind::kEnd) tokens_.fail("a .section is not closed");
      if (token.kind == TokenKind::kPunctuation) open += token.text == "{" ? 1 : token.text == "}" ? -1 : 0;
    }
  }

  void parse_function(bool is_kernel) {
    Function function;
    function.is_kernel = is_kernel;
    function.linkage = linkage_;
    function.line = tokens_.line();
    if (tokens_.accept_dotted("attribute")) tokens_.fail("function attributes are not supported");
    if (tokens_.is_punctuation('(')) parse_parameters(tokens_, function.results);
    function.name = tokens_.expect_identifier("the name of a function");
    if (tokens_.is_punctuation('(')) function.parameter_bytes = parse_parameters(tokens_, function.parameters);
    parse_performance_directives(function);
    if (!tokens_.accept(';')) {
      function.has_body = true;
      define(function.name);
      FunctionParser(tokens_, module_, function).parse_body();
    }
    module_.functions.push_back(std::move(function));
  }

  void parse_block_extents(std::uint32_t (&extents)[3]) {
    for (std::uint32_t& extent : extents) extent = 1;
    std::size_t i = 0;
    do {
      if (i == 3) tokens_.fail("more than three extents");
      extents[i++] = static_cast<std::uint32_t>(tokens_.expect_integer("an extent"));
    } while (tokens_.accept(','));
  }

  void parse_performance_directives(Function& function) {
    while (tokens_.peek().kind == TokenKind::kDotted) {
      const std::string_view word = tokens_.take().text;
      if (word == "maxntid") {
        parse_block_extents(function.max_threads);
      } else if (word == "reqntid") {
        parse_block_extents(function.required_threads);
      } else if (word == "minnctapersm") {
        function.min_blocks = static_cast<std::uint32_t>(tokens_.expect_integer("a number of blocks"));
      } else if (word == "maxnreg") {
        function.max_registers = static_cast<std::uint32_t>(tokens_.expect_integer("a number of registers"));
      } else if (word == "maxnctapersm" || word == "abi_preserve" || word == "abi_preserve_control") {
        tokens_.expect_integer("a number");
      } else if (word == "pragma") {
        while (!tokens_.accept(';'))
          if (tokens_.take().kind == TokenKind::kEnd) tokens_.fail("a .pragma is not closed");
      } else if (word == "reqnctapercluster") {
        parse_block_extents(function.required_cluster);
      } else if (word == "maxclusterrank") {
        function.max_cluster = static_cast<std::uint32_t>(tokens_.expect_integer("a number of blocks"));
      } else if (word == "explicitcluster") {
        function.needs_cluster = true;
      } else if (word == "blocksareclusters") {
        tokens_.fail("kernel " + function.name +
                     " counts its grid in thread block clusters (.blocksareclusters, from __block_size__), which the "
                     "virtual GPU does not support");
      } else if (word != "noreturn" && word != "unique") {
        tokens_.fail("the directive '." + std::string(word) + "' is not known before a function body");
      }
    }
  }

  Module& module_;
  TokenStream tokens_;
  bool is_extern_ = false;
  Linkage linkage_ = Linkage::kLocal;
  std::set<std::string> defined_;  ///< variables and functions of the module
};

}  // namespace

void drop_padding(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

std::variant<Module, Diagnostic> parse(std::string text) {
  drop_padding(text);
  const auto whole = std::make_shared<const std::string>(std::move(text));
  return parse_part(whole, *whole);
}

std::variant<Module, Diagnostic> parse_part(std::shared_ptr<const std::string> text, std::string_view part) {
  Module module;
  module.text = std::move(text);
  try {
    ModuleParser(module, part).parse();
  } catch (const Diagnostic& diagnostic) {
    return diagnostic;
  }
  return module;
}

}  // namespace vgpu::ptx
