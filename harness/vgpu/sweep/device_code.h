// Which tokens of a source are device code, and what is in brackets there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/vgpu/sweep/source_lexer.h"

namespace vgpu::sweep {

/// A function marked __global__ or __device__ that has a body.
struct DeviceFunction {
  std::string name;
  std::size_t begin = 0, end = 0;  ///< tokens of the body, braces included
};

/// Tokens [first, second).
using TokenRange = std::pair<std::size_t, std::size_t>;

class DeviceCode {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit DeviceCode(std::vector<Token> tokens);

  const std::vector<Token>& tokens() const { return tokens_; }
  const std::vector<DeviceFunction>& functions() const { return functions_; }

  /// The text of a token; empty beyond the ends.
  std::string_view text(std::size_t token) const { return token < tokens_.size() ? tokens_[token].text : ""; }
  /// The other one of a pair of (), [] or {}; kNone if there is none.
  std::size_t partner(std::size_t token) const { return token < partners_.size() ? partners_[token] : kNone; }
  /// Whether a < or > encloses template arguments or parameters rather than compares.
  bool is_template_bracket(std::size_t token) const { return is_template_bracket_[token]; }

  /// The first token of the statement that `token` belongs to.
  std::size_t statement_begin(std::size_t token) const;
  /// Whether the [ at `token` gives an array its extent, as in `int a[3]`.
  bool is_extent(std::size_t token) const;
  /// The arguments of the call whose ( is at `open`.
  std::vector<TokenRange> arguments(std::size_t open) const;
  /// Names declared __shared__ among these tokens.
  std::vector<std::string_view> shared_names(TokenRange range) const;

 private:
  void match_brackets();
  void match_template_brackets();
  std::size_t end_of_template_list(std::size_t open) const;
  void find_functions();

  std::vector<Token> tokens_;
  std::vector<std::size_t> partners_;
  std::vector<bool> is_template_bracket_;
  std::vector<DeviceFunction> functions_;
};

}  // namespace vgpu::sweep
