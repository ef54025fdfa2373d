// Checks one PTX instruction (or a few) over a table of operands against a reference written in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/vgpu/machine/testing/edge_values.h"
#include "harness/vgpu/machine/testing/operands.h"

namespace vgpu::test {

/// As long as it lives, LANEWISE_VGPU_TRANSLATE says so to kernels that are made ready: see Translation.
class Translate {
 public:
  explicit Translate(const char* when);
  ~Translate();
  Translate(const Translate&) = delete;
  Translate& operator=(const Translate&) = delete;

 private:
  static constexpr const char* kVariable = "LANEWISE_VGPU_TRANSLATE";
  std::optional<std::string> before_;
};

/// PTX whose inputs are the registers %a, %b, %c, %x, %y, %z and whose results go to %d, %e, %f, %g, in that order, one
/// instruction a line. More registers and variables may be declared in `declarations`. %cell holds the address of 16
/// bytes of global memory of the thread's own.
struct Snippet {
  std::string code;
  std::vector<RegisterKind> results, inputs;
  std::string declarations;
  bool accesses_memory = false;  ///< run it with the watched handlers as well
};

/// The bits of one lane's registers.
using Row = std::vector<std::uint64_t>;

/// What a snippet left in its result registers, in one way of running it.
struct SnippetRun {
  std::string way;                  ///< "all lanes", "guarded", ...
  std::vector<std::size_t> row_of;  ///< the row each thread had
  std::vector<bool> took_part;      ///< false: the guard kept the thread out, and the old values must still be there
  std::vector<Row> results;
};

/// Runs the snippet over `rows` in every way there is: with full warps; under a guard that holds in some lanes, and
/// under its opposite; in blocks of 1, 31 and 33 threads; and, if it is one instruction, with the first input in the
/// first result's own register, where they have one size; with every access watched; interpreted, and in some of these
/// ways translated, where the host can. Empty, with a failure, if the machine refuses it.
std::vector<SnippetRun> run_in_all_ways(const Snippet& snippet, const std::vector<Row>& rows);

/// What result number `n` of a thread with row `row` holds before the snippet.
std::uint64_t value_before(std::size_t row, std::size_t n, RegisterKind kind);

/// Fails the test if the machine executes the snippet instead of refusing it by name.
void expect_refused(const Snippet& snippet);

namespace detail {

template <class T>
struct AsTuple {
  using type = std::tuple<T>;
  static type make(const T& value) { return {value}; }
};
template <class... T>
struct AsTuple<std::tuple<T...>> {
  using type = std::tuple<T...>;
  static const type& make(const type& value) { return value; }
};

template <class Tuple>
struct Kinds;
template <class... T>
struct Kinds<std::tuple<T...>> {
  static std::vector<RegisterKind> list() { return {Operand<T>::kKind...}; }
};

/// A reference without its type: there are hundreds of these, each a type of its own, and what is made for every one of
/// them takes most of the time that the tests take to compile.
template <class R, class... A>
struct Reference {
  using Results = AsTuple<R>;
  using Inputs = std::tuple<std::decay_t<A>...>;
  const void* function;
  R (*call)(const void* function, A...);

  typename Results::type operator()(const Inputs& row) const {
    return Results::make(std::apply([this](const auto&... inputs) { return call(function, inputs...); }, row));
  }
};

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class F, class R, class... A>
struct Signature<R (F::*)(A...) const> {
  using Inputs = typename Reference<R, A...>::Inputs;
  static R call(const void* function, A... inputs) { return (*static_cast<const F*>(function))(inputs...); }
  static Reference<R, A...> reference(const F& function) { return {&function, call}; }
};

template <class Tuple, std::size_t... I>
Row bits_of_row(const Tuple& row, std::index_sequence<I...>) {
  return {Operand<std::tuple_element_t<I, Tuple>>::to(std::get<I>(row))...};
}

/// Empty if all results are right, else words.
template <class Tuple, std::size_t... I>
std::string difference(const Tuple& expected, const Row& got, std::index_sequence<I...>) {
  std::string words;
  ((Operand<std::tuple_element_t<I, Tuple>>::matches(std::get<I>(expected), got[I])
        ? void()
        : void(words += " result " + std::to_string(I) + " is " + hexadecimal(got[I], 8) + ", expected " +
                        Operand<std::tuple_element_t<I, Tuple>>::text(std::get<I>(expected)))),
   ...);
  return words;
}

template <class Tuple, std::size_t... I>
std::string row_text(const Tuple& row, std::index_sequence<I...>) {
  std::string words;
  ((words += (I == 0 ? "" : ", ") + Operand<std::tuple_element_t<I, Tuple>>::text(std::get<I>(row))), ...);
  return words;
}

/// A table whose references are out of sight: what is wrong with a row's results (empty if nothing), and its inputs in
/// words.
struct Table {
  std::vector<Row> rows;
  std::function<std::string(std::size_t row, const Row& got)> difference;
  std::function<std::string(std::size_t row)> words;
};

void check_table(const Snippet& snippet, const Table& table);

template <class R, class... A>
void check_rows(const Snippet& given, const std::vector<typename Reference<R, A...>::Inputs>& rows,
                const Reference<R, A...>& reference) {
  using Inputs = typename Reference<R, A...>::Inputs;
  using Results = typename Reference<R, A...>::Results::type;
  constexpr auto kInputs = std::make_index_sequence<std::tuple_size_v<Inputs>>{};
  constexpr auto kResults = std::make_index_sequence<std::tuple_size_v<Results>>{};
  Snippet snippet = given;
  snippet.inputs = Kinds<Inputs>::list();
  snippet.results = Kinds<Results>::list();
  std::vector<Results> expected;  // once, though every way of running asks for it
  Table table;
  for (const Inputs& row : rows) {
    expected.push_back(reference(row));
    table.rows.push_back(bits_of_row(row, kInputs));
  }
  table.difference = [&](std::size_t row, const Row& got) { return difference(expected[row], got, kResults); };
  table.words = [&](std::size_t row) { return row_text(rows[row], kInputs); };
  check_table(snippet, table);
}

template <class R, class... A>
void check_edges(const std::string& code, const Reference<R, A...>& reference) {
  check_rows(Snippet{code, {}, {}, {}}, edge_rows<std::decay_t<A>...>(), reference);
}

}  // namespace detail

/// Runs `code` over `rows` in every way (see run_in_all_ways) and holds each result against `reference(inputs...)`,
/// whose signature says what the registers are: `int(int, float)` reads %a and %b and writes %d; several results are a
/// tuple.
template <class F>
void check(const Snippet& snippet, const std::vector<typename detail::Signature<F>::Inputs>& rows, const F& reference) {
  detail::check_rows(snippet, rows, detail::Signature<F>::reference(reference));
}

template <class F>
void check(const std::string& code, const std::vector<typename detail::Signature<F>::Inputs>& rows,
           const F& reference) {
  detail::check_rows(Snippet{code, {}, {}, {}}, rows, detail::Signature<F>::reference(reference));
}

/// The same over edge values of every operand's type.
template <class F>
void check(const std::string& code, const F& reference) {
  detail::check_edges(code, detail::Signature<F>::reference(reference));
}

}  // namespace vgpu::test
