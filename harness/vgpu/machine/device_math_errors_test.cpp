// The errors of every function of device_math.h on dense samples: none is larger than the CUDA Programming Guide
// allows, and the table of them in harness/vgpu/FIDELITY.md lists what is measured here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/vgpu/machine/device_math.h"
#include "harness/vgpu/machine/testing/exact_math.h"

namespace vgpu::test {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kNotStated = std::numeric_limits<double>::quiet_NaN();

// --- what is asked of each function ---

/// Of one call; what the function does not take is 0.
using Arguments = std::array<double, 4>;

/// Where the guide's numbers hold.
struct Domain {
  const char* in_words;
  bool (*holds)(const Arguments& arguments, bool is_float);
};
bool anywhere(const Arguments&, bool) { return true; }
bool below_8(const Arguments& a, bool) { return std::fabs(a[0]) < 8; }
bool from_8(const Arguments& a, bool) { return !below_8(a, false); }
bool below_order(const Arguments& a, bool is_float) { return std::fabs(a[1]) < (is_float ? 1 : 1.5) * a[0]; }
bool from_order(const Arguments& a, bool is_float) { return !below_order(a, is_float); }
bool among_poles(const Arguments& a, bool is_float) {
  return is_float ? a[0] > -10.001 && a[0] < -2.264 : a[0] > -23.0001 && a[0] < -2.2637;
}
bool away_from_poles(const Arguments& a, bool is_float) { return !among_poles(a, is_float); }

enum class Unit {
  kLastPlace,  ///< counted from the correctly rounded result, as in the guide
  kAbsolute,
};

struct Row {
  const char* name;       ///< of double; the function of float has an f behind it
  const char* arguments;  ///< x: of the type; n: an int
  ExactFunction exact;
  double of_float, of_double;  ///< what the guide allows
  double low, high;            ///< half of the samples lie in this interval, which has most of what may go wrong
  bool is_slow = false;        ///< to compute exactly
  int first = 0, last = 0;     ///< of the ints
  Domain domain = {"", anywhere};
  Unit unit = Unit::kLastPlace;
};

// The numbers are those of the CUDA Programming Guide 13.1, 5.5.7 and 5.5.8, and of its predecessor, the CUDA C++
// Programming Guide 13.0, 17.1. The one of ynf below n depends on n; it is that of the least, n = 1.
const Row kRows[] = {
    {"acos", "x", exact<mpfr_acos>, 2, 2, -1, 1},
    {"acosh", "x", exact<mpfr_acosh>, 4, 3, 1, 10},
    {"asin", "x", exact<mpfr_asin>, 2, 2, -1, 1},
    {"asinh", "x", exact<mpfr_asinh>, 3, 3, -4, 4},
    {"atan", "x", exact<mpfr_atan>, 2, 2, -10, 10},
    {"atan2", "xx", exact_of_two<mpfr_atan2>, 3, 2, -1, 1},
    {"atanh", "x", exact<mpfr_atanh>, 3, 2, -1, 1},
    {"cbrt", "x", exact<mpfr_cbrt>, 1, 1, -8, 8},
    {"cos", "x", exact<mpfr_cos>, 2, 2, -100, 100},
    {"cosh", "x", exact<mpfr_cosh>, 2, 1, -20, 20},
    {"cospi", "x", exact_cospi, 1, 2, -10, 10},
    {"cyl_bessel_i0", "x", exact_i0, 6, 6, -30, 30},
    {"cyl_bessel_i1", "x", exact_i1, 6, 6, -30, 30},
    {"erf", "x", exact<mpfr_erf>, 2, 2, -4, 4},
    {"erfc", "x", exact<mpfr_erfc>, 4, 5, -6, 27, true},
    {"erfcinv", "x", exact_erfcinv, 4, 6, 0, 2, true},
    {"erfcx", "x", exact_erfcx, 4, 4, -5, 30, true},
    {"erfinv", "x", exact_erfinv, 2, 5, -1, 1, true},
    {"exp", "x", exact<mpfr_exp>, 2, 1, -90, 90},
    {"exp10", "x", exact<mpfr_exp10>, 2, 1, -40, 40},
    {"exp2", "x", exact<mpfr_exp2>, 2, 1, -130, 130},
    {"expm1", "x", exact<mpfr_expm1>, 1, 1, -4, 4},
    {"fdim", "xx", exact_of_two<mpfr_dim>, 0, 0, -1, 1},
    {"fmod", "xx", exact_of_two<mpfr_fmod>, 0, 0, -100, 100},
    {"hypot", "xx", exact_norm<2>, 3, 2, -1, 1},
    {"ilogb", "x", exact_ilogb, 0, 0, -10, 10},
    {"j0", "x", exact<mpfr_j0>, 9, 7, -8, 8, false, 0, 0, {"abs(x) < 8", below_8}},
    {"j0", "x", exact<mpfr_j0>, 2.2e-6, 5e-12, 8, 1000, false, 0, 0, {"elsewhere", from_8}, Unit::kAbsolute},
    {"j1", "x", exact_j1, 9, 7, -8, 8, false, 0, 0, {"abs(x) < 8", below_8}},
    {"j1", "x", exact_j1, 2.2e-6, 5e-12, 8, 1000, false, 0, 0, {"elsewhere", from_8}, Unit::kAbsolute},
    {"jn", "nx", exact_jn, 2.2e-6, 5e-12, 0, 300, true, 128, 128, {"n = 128", anywhere}, Unit::kAbsolute},
    {"jn", "nx", exact_jn, kNotStated, kNotStated, 0, 50, true, 0, 20, {"n < 21", anywhere}, Unit::kAbsolute},
    {"ldexp", "xn", exact_scalbn, 0, 0, -1, 1, false, -2200, 2200},
    {"lgamma",
     "x",
     exact_lgamma,
     kNotStated,
     kNotStated,
     -24,
     -2,
     true,
     0,
     0,
     {"-10.001 ... -2.264; double: -23.0001 ... -2.2637", among_poles}},
    {"lgamma", "x", exact_lgamma, 6, 4, -2.3, 20, true, 0, 0, {"elsewhere", away_from_poles}},
    {"log", "x", exact<mpfr_log>, 1, 1, 0, 4},
    {"log10", "x", exact<mpfr_log10>, 2, 1, 0, 4},
    {"log1p", "x", exact<mpfr_log1p>, 1, 1, -1, 1},
    {"log2", "x", exact<mpfr_log2>, 1, 1, 0, 4},
    {"logb", "x", exact_logb, 0, 0, -10, 10},
    {"nextafter", "xx", nullptr, 0, 0, -1, 1},
    {"norm3d", "xxx", exact_norm<3>, 3, 2, -1, 1},
    {"norm4d", "xxxx", exact_norm<4>, 3, 2, -1, 1},
    {"normcdf", "x", exact_normcdf, 5, 5, -38, 6, true},
    {"normcdfinv", "x", exact_normcdfinv, 5, 8, 0, 1, true},
    {"pow", "xx", exact_of_two<mpfr_pow>, 4, 2, 0, 20},
    {"powi", "xn", exact_powi, kNotStated, kNotStated, -2, 2, false, -100, 100},
    {"rcbrt", "x", exact_rcbrt, 1, 1, -8, 8},
    {"remainder", "xx", exact_of_two<mpfr_remainder>, 0, 0, -100, 100},
    {"rhypot", "xx", exact_inverse_norm<2>, 2, 1, -1, 1},
    {"rnorm3d", "xxx", exact_inverse_norm<3>, 2, 1, -1, 1},
    {"rnorm4d", "xxxx", exact_inverse_norm<4>, 2, 1, -1, 1},
    {"scalbn", "xn", exact_scalbn, 0, 0, -1, 1, false, -2200, 2200},
    {"sin", "x", exact<mpfr_sin>, 2, 2, -100, 100},
    {"sinh", "x", exact<mpfr_sinh>, 3, 2, -20, 20},
    {"sinpi", "x", exact_sinpi, 1, 2, -10, 10},
    {"tan", "x", exact<mpfr_tan>, 4, 2, -100, 100},
    {"tanh", "x", exact<mpfr_tanh>, 2, 1, -4, 4},
    {"tgamma", "x", exact<mpfr_gamma>, 5, 10, -20, 40, true},
    {"y0", "x", exact<mpfr_y0>, 9, 7, 0, 8, true, 0, 0, {"abs(x) < 8", below_8}},
    {"y0", "x", exact<mpfr_y0>, 2.2e-6, 5e-12, 8, 1000, true, 0, 0, {"elsewhere", from_8}, Unit::kAbsolute},
    {"y1", "x", exact<mpfr_y1>, 9, 7, 0, 8, true, 0, 0, {"abs(x) < 8", below_8}},
    {"y1", "x", exact<mpfr_y1>, 2.2e-6, 5e-12, 8, 1000, true, 0, 0, {"elsewhere", from_8}, Unit::kAbsolute},
    {"yn", "nx", exact_yn, 5, kNotStated, 0, 20, true, 1, 20, {"abs(x) < n; double: < 1.5 n", below_order}},
    {"yn", "nx", exact_yn, 2.2e-6, 5e-12, 0, 100, true, 1, 20, {"elsewhere", from_order}, Unit::kAbsolute},
};

template <class T>
std::string full_name(const Row& row) {
  return std::string("__nv_") + row.name + (std::is_same_v<T, float> ? "f" : "");
}

// --- numbers ---

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class To, class From>
To same_bits(From from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// Its place among all numbers of the type, 0 for both zeros; infinity comes after the greatest.
template <class T>
std::int64_t place(T number) {
  const auto size = static_cast<std::int64_t>(same_bits<BitsOf<T>>(std::fabs(number)));
  return std::signbit(number) ? -size : size;
}

/// In units in the last place.
template <class T>
double difference(T got, T expected) {
  if (std::isnan(got) && std::isnan(expected)) return 0;
  const bool has_other_sign = got == 0 && expected == 0 && std::signbit(got) != std::signbit(expected);
  if (std::isnan(got) || std::isnan(expected) || has_other_sign) return kUnbounded;
  return static_cast<double>(std::fabs(static_cast<long double>(place(got)) - place(expected)));
}

template <class T>
T rounded(mpfr_srcptr number) {
  if constexpr (std::is_same_v<T, float>) return mpfr_get_flt(number, MPFR_RNDN);
  if constexpr (std::is_same_v<T, double>) return mpfr_get_d(number, MPFR_RNDN);
}

template <class T>
T called(const MathFunction& function, const Row& row, const Arguments& arguments) {
  std::byte bytes[4][sizeof(double)], result[sizeof(double)];
  for (std::size_t n = 0; n < function.arguments; ++n) {
    const T number = static_cast<T>(arguments[n]);
    const int whole = row.arguments[n] == 'n' ? static_cast<int>(arguments[n]) : 0;
    row.arguments[n] == 'n' ? std::memcpy(bytes[n], &whole, sizeof whole)
                            : std::memcpy(bytes[n], &number, sizeof number);
  }
  const std::byte* const places[] = {bytes[0], bytes[1], bytes[2], bytes[3]};
  function.run(places, result);
  if (row.exact == exact_ilogb) {  // the only one that returns an int
    int whole;
    std::memcpy(&whole, result, sizeof whole);
    return static_cast<T>(whole);
  }
  T number;
  std::memcpy(&number, result, sizeof number);
  return number;
}

// --- samples ---

template <class T>
std::vector<double> special_numbers() {
  using Limits = std::numeric_limits<T>;
  const double least = Limits::denorm_min(), least_normal = Limits::min(), epsilon = Limits::epsilon();
  std::vector<double> numbers = {Limits::quiet_NaN()};
  for (const double size : {0.0, least, least_normal - least, least_normal, epsilon, 0.5, 1 - epsilon / 2, 1.0,
                            1 + epsilon, 1.5, 2.0, 3.0, 1e6, double{Limits::max()}, kUnbounded})
    numbers.insert(numbers.end(), {size, -size});
  return numbers;
}

/// Bit patterns, those of the first argument spread evenly; as many arguments spread over the row's interval; every
/// pair of special numbers; and numbers nearer and nearer to where the result of one argument changes its sign.
template <class T>
std::vector<Arguments> samples(const MathFunction& function, const Row& row) {
  // 2^12 bit patterns are 8 floats, or one double, for each sign and power of two. A quarter has to do where the exact
  // value takes a tenth of a millisecond: so all rows take a few seconds.
  const int log_count = row.is_slow ? 10 : 12;
  const double width = (row.high - row.low) / std::exp2(log_count);
  std::mt19937_64 random(1);  // used bit by bit: distributions differ from one standard library to another
  std::vector<Arguments> found;
  const auto add = [&](auto&& number) {
    Arguments& arguments = found.emplace_back();
    for (std::size_t n = 0; n < function.arguments; ++n)
      arguments[n] =
          row.arguments[n] == 'n' ? row.first + static_cast<int>(random() % (row.last - row.first + 1U)) : number(n);
  };
  for (std::uint64_t i = 0; i < std::uint64_t{1} << log_count; ++i) {
    add([&](std::size_t n) {
      const auto bits = static_cast<BitsOf<T>>(random());
      const int spread = 8 * sizeof(T) - log_count;
      return same_bits<T>(n == 0 ? static_cast<BitsOf<T>>(i << spread | bits >> log_count) : bits);
    });
    add([&](std::size_t n) {
      const double share = static_cast<double>(random() >> 11) * 0x1p-53;
      return static_cast<T>(n == 0 ? row.low + width * (static_cast<double>(i) + share)
                                   : row.low + (row.high - row.low) * share);
    });
  }
  if (function.arguments == 1 && row.unit == Unit::kLastPlace) {
    const auto is_negative = [&](T x) { return called<T>(function, row, {x}) < 0; };
    for (std::size_t i = 1; i + 2 < std::size_t{2} << log_count; i += 2) {
      T below = static_cast<T>(found[i][0]), above = static_cast<T>(found[i + 2][0]);
      if (is_negative(below) == is_negative(above)) continue;
      for (T middle = below; (middle = below + (above - below) / 2) != below && middle != above;)
        (is_negative(middle) == is_negative(below) ? below : above) = middle;
      for (int halving = 0; halving < std::numeric_limits<T>::digits; ++halving) {
        const double distance = std::ldexp(width, -halving);
        found.push_back({static_cast<T>(below - distance)});
        found.push_back({static_cast<T>(above + distance)});
      }
    }
  }
  const std::vector<double> special = special_numbers<T>();
  for (const double first : special)
    for (const double second : function.arguments == 1 ? std::vector<double>{0} : special)
      add([&](std::size_t n) { return n % 2 == 0 ? first : second; });
  return found;
}

// --- errors ---

struct Errors {
  double largest = 0;
  int samples = 0;
  std::string at;
};

/// The neighbour of a number, in the direction of another, by their places.
template <class T>
T neighbour(T from, T to) {
  if (std::isnan(from) || std::isnan(to)) return std::numeric_limits<T>::quiet_NaN();
  if (from == to) return to;
  const std::int64_t next = place(from) + (from < to ? 1 : -1);
  const T size = same_bits<T>(static_cast<BitsOf<T>>(std::abs(next)));
  return next < 0 || (next == 0 && from < 0) ? -size : size;
}

template <class T>
Errors errors(const Row& row) {
  const MathFunction* const function = math_function_named(full_name<T>(row));
  if (function == nullptr || function->arguments != std::strlen(row.arguments)) return {kUnbounded, 0, "is not there"};
  Errors errors;
  Exact value;
  for (const Arguments& arguments : samples<T>(*function, row)) {
    if (!row.domain.holds(arguments, std::is_same_v<T, float>)) continue;
    ++errors.samples;
    if (row.exact != nullptr)
      row.exact(value, arguments.data());
    else
      mpfr_set_d(value, neighbour(static_cast<T>(arguments[0]), static_cast<T>(arguments[1])), MPFR_RNDN);
    const T got = called<T>(*function, row, arguments), expected = rounded<T>(value);
    double error = difference(got, expected);
    if (row.unit == Unit::kAbsolute && std::isfinite(got) && std::isfinite(expected)) {
      mpfr_sub_d(value, value, got, MPFR_RNDN);
      error = std::fabs(mpfr_get_d(value, MPFR_RNDN));
    }
    if (error <= errors.largest) continue;
    errors.largest = error;
    std::ostringstream at;
    at.precision(std::numeric_limits<T>::max_digits10);
    at << full_name<T>(row) << '(';
    for (std::size_t n = 0; n < function->arguments; ++n) at << (n == 0 ? "" : ", ") << arguments[n];
    at << ") is " << got << " instead of " << expected;
    errors.at = at.str();
  }
  return errors;
}

// --- the table ---

std::string cell(double error, Unit unit) {
  if (std::isnan(error)) return "not stated";
  char text[32];
  std::snprintf(text, sizeof text, unit == Unit::kAbsolute ? "%.1e" : "%.0f", error);
  return text;
}
std::string line(const Row& row, const Errors& of_float, const Errors& of_double) {
  const std::string unit = row.unit == Unit::kAbsolute ? "absolute" : "ulp";
  return "| " + std::string(row.name) + " | " + row.domain.in_words + " | " + unit + " | " +
         cell(of_float.largest, row.unit) + " | " + cell(row.of_float, row.unit) + " | " +
         cell(of_double.largest, row.unit) + " | " + cell(row.of_double, row.unit) + " | " +
         std::to_string(of_float.samples + of_double.samples) + " |";
}

const char* const kHeads[] = {
    "| function | where | unit | float: found | allowed | double: found | allowed | samples |",
    "|---|---|---|---|---|---|---|---|"};

/// A line of the table without what was found, which depends on the version of the C library and on the processor, by
/// whose instructions that chooses its code.
std::string without_errors(const std::string& line) {
  std::istringstream cells(line);
  std::string kept, cell;
  for (int n = 0; std::getline(cells, cell, '|'); ++n)
    if (n != 4 && n != 6) kept += cell + '|';
  return kept;
}

TEST(DeviceMathErrors, AreThoseThatTheGuideAllowsAndTheTableLists) {
  std::vector<std::string> table(std::begin(kHeads), std::end(kHeads));
  for (const Row& row : kRows) {
    const Errors of_float = errors<float>(row), of_double = errors<double>(row);
    EXPECT_FALSE(of_float.largest > row.of_float) << of_float.at << ", off by " << of_float.largest;
    EXPECT_FALSE(of_double.largest > row.of_double) << of_double.at << ", off by " << of_double.largest;
    table.push_back(line(row, of_float, of_double));
  }
  if (const char* const file = std::getenv("LANEWISE_TEST_MATH_TABLE")) {
    std::ofstream out(file);
    for (const std::string& line : table) out << line << '\n';
    return;
  }
  std::ifstream document(VGPU_FIDELITY);
  std::vector<std::string> committed;
  bool is_inside = false;
  for (std::string line; std::getline(document, line);) {
    is_inside =
        (is_inside || line == "<!-- mathematical functions -->") && line != "<!-- end of mathematical functions -->";
    if (is_inside && line.rfind('|', 0) == 0) committed.push_back(without_errors(line));
  }
  std::vector<std::string> expected;
  std::transform(table.begin(), table.end(), std::back_inserter(expected), without_errors);
  EXPECT_EQ(committed, expected) << "the table is stale; run scripts/math_errors.sh";
}

TEST(DeviceMathErrors, AreMeasuredForEveryFunction) {
  std::set<std::string> measured;
  for (const Row& row : kRows) measured.insert({full_name<float>(row), full_name<double>(row)});
  std::set<std::string> offered;
  const auto [begin, end] = math_functions();
  std::for_each(begin, end, [&](const MathFunction& function) { offered.emplace(function.name); });
  EXPECT_EQ(measured, offered);
}

}  // namespace
}  // namespace vgpu::test
