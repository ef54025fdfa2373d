// The intrinsics of cuda_fp16.h and cuda_bf16.h: arithmetic, comparisons, functions. Conversions are in
// narrow_types.cu.
#include "half_formats.cuh"

// --- operations: the same names for both formats; one(a, b, c) on elements, two(a, b, c) on pairs ---

#define OPERATION(Name, element, pair)                                                          \
  struct Name {                                                                                 \
    template <class T>                                                                          \
    static __device__ T one([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c) { \
      return element;                                                                           \
    }                                                                                           \
    template <class P>                                                                          \
    static __device__ P two([[maybe_unused]] P a, [[maybe_unused]] P b, [[maybe_unused]] P c) { \
      return pair;                                                                              \
    }                                                                                           \
  };
OPERATION(Add, __hadd(a, b), __hadd2(a, b))
OPERATION(AddRounded, __hadd_rn(a, b), __hadd2_rn(a, b))
OPERATION(AddSaturating, __hadd_sat(a, b), __hadd2_sat(a, b))
OPERATION(Subtract, a - b, a - b)
OPERATION(SubtractRounded, __hsub_rn(a, b), __hsub2_rn(a, b))
OPERATION(SubtractSaturating, __hsub_sat(a, b), __hsub2_sat(a, b))
OPERATION(Multiply, __hmul(a, b), __hmul2(a, b))
OPERATION(MultiplyRounded, __hmul_rn(a, b), __hmul2_rn(a, b))
OPERATION(MultiplySaturating, __hmul_sat(a, b), __hmul2_sat(a, b))
OPERATION(Divide, __hdiv(a, b), __h2div(a, b))
OPERATION(Fused, __hfma(a, b, c), __hfma2(a, b, c))
OPERATION(FusedSaturating, __hfma_sat(a, b, c), __hfma2_sat(a, b, c))
OPERATION(FusedRelu, __hfma_relu(a, b, c), __hfma2_relu(a, b, c))
OPERATION(Negate, __hneg(a), __hneg2(a))
OPERATION(Absolute, __habs(a), __habs2(a))
OPERATION(Minimum, __hmin(a, b), __hmin2(a, b))
OPERATION(Maximum, __hmax(a, b), __hmax2(a, b))
OPERATION(MinimumOrNan, __hmin_nan(a, b), __hmin2_nan(a, b))
OPERATION(MaximumOrNan, __hmax_nan(a, b), __hmax2_nan(a, b))
OPERATION(Exponential, hexp(a), h2exp(a))
OPERATION(Exponential2, hexp2(a), h2exp2(a))
OPERATION(Exponential10, hexp10(a), h2exp10(a))
OPERATION(Logarithm, hlog(a), h2log(a))
OPERATION(Logarithm2, hlog2(a), h2log2(a))
OPERATION(Logarithm10, hlog10(a), h2log10(a))
OPERATION(Sine, hsin(a), h2sin(a))
OPERATION(Cosine, hcos(a), h2cos(a))
OPERATION(Reciprocal, hrcp(a), h2rcp(a))
OPERATION(ReciprocalRoot, hrsqrt(a), h2rsqrt(a))
OPERATION(Root, hsqrt(a), h2sqrt(a))
OPERATION(Tangent, htanh(a), h2tanh(a))
OPERATION(TangentApproximately, htanh_approx(a), h2tanh_approx(a))
OPERATION(Floor, hfloor(a), h2floor(a))
OPERATION(Ceiling, hceil(a), h2ceil(a))
OPERATION(Truncate, htrunc(a), h2trunc(a))
OPERATION(RoundToEven, hrint(a), h2rint(a))
OPERATION(IsNan, __hisnan(a) ? T(1.0f) : T(0.0f), __hisnan2(a))

// Comparisons: elements answer with a bool, pairs with 1.0, with all bits, or with one bool for both.
#define COMPARISON(Name, suffix)                                               \
  OPERATION(Name, __h##suffix(a, b) ? T(1.0f) : T(0.0f), __h##suffix##2(a, b)) \
  struct Name##Mask {                                                          \
    template <class P>                                                         \
    static __device__ U32 mask(P a, P b) {                                     \
      return __h##suffix##2_mask(a, b);                                        \
    }                                                                          \
    template <class P>                                                         \
    static __device__ bool both(P a, P b) {                                    \
      return __hb##suffix##2(a, b);                                            \
    }                                                                          \
  };
COMPARISON(Equal, eq)
COMPARISON(NotEqual, ne)
COMPARISON(Less, lt)
COMPARISON(LessOrEqual, le)
COMPARISON(Greater, gt)
COMPARISON(GreaterOrEqual, ge)
COMPARISON(EqualUnordered, equ)
COMPARISON(NotEqualUnordered, neu)
COMPARISON(LessUnordered, ltu)
COMPARISON(LessOrEqualUnordered, leu)
COMPARISON(GreaterUnordered, gtu)
COMPARISON(GreaterOrEqualUnordered, geu)

/// Three rows of `count` bits, of which an operation takes what it needs; `count` is even.
template <class T, class Op>
__global__ void apply(const U16* in, U16* ones, U16* twos, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const auto element = [&](int row, int k) { return reread<T>(in[row * count + k]); };
  ones[i] = reread<U16>(Op::template one<T>(element(0, i), element(1, i), element(2, i)));
  if (i % 2 != 0) return;
  using P = PairOf<T>;
  const P result = Op::template two<P>(P(element(0, i), element(0, i + 1)), P(element(1, i), element(1, i + 1)),
                                       P(element(2, i), element(2, i + 1)));
  const U32 bits = reread<U32>(result);
  twos[i] = static_cast<U16>(bits);
  twos[i + 1] = static_cast<U16>(bits >> 16);
}

template <class T, class Op>
__global__ void compare(const U16* in, U32* masks, int count) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  using P = PairOf<T>;
  const P a(reread<T>(in[i]), reread<T>(in[i + 1])), b(reread<T>(in[count + i]), reread<T>(in[count + i + 1]));
  masks[i] = Op::mask(a, b);
  masks[i + 1] = Op::both(a, b);
}

template <class T>
class Inputs {
 public:
  explicit Inputs(const std::vector<U16> (&rows)[3]) : count(static_cast<int>(rows[0].size() & ~size_t{1})) {
    in = managed<U16>(3 * count);
    ones = managed<U16>(count);
    twos = managed<U16>(count);
    masks = managed<U32>(count);
    for (int row = 0; row < 3; ++row) std::copy_n(rows[row].begin(), count, in + row * count);
  }
  ~Inputs() {
    for (void* memory :
         {static_cast<void*>(in), static_cast<void*>(ones), static_cast<void*>(twos), static_cast<void*>(masks)})
      CHECK(cudaFree(memory));
  }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// Holds results against reference(a, b, c), which tells whether one is right.
  template <class Op, class F>
  void check(const char* name, F reference) {
    apply<T, Op><<<(count + 127) / 128, 128>>>(in, ones, twos, count);
    CHECK(cudaDeviceSynchronize());
    Verdict verdict(std::string(Format<T>::kName) + " " + name);
    for (int i = 0; i < count; ++i) {
      const U16 a = in[i], b = in[count + i], c = in[2 * count + i];
      for (const U16 got : {ones[i], twos[i]}) {
        const auto [right, expected] = reference(got, a, b, c);
        verdict.hold(right, std::uint64_t{a} << 32 | U32{b} << 16 | c, got, expected);
      }
    }
  }

  /// The result is `exact(a, b, c)` to the bit.
  template <class Op, class F>
  void check_bits(const char* name, F exact) {
    check<Op>(name, [=](U16 got, U16 a, U16 b, U16 c) {
      const U16 expected = exact(a, b, c);
      return std::make_pair(got == expected, expected);
    });
  }

  template <class Op, class MaskOp, class F>
  void check_comparison(const char* name, F holds) {
    check_bits<Op>(name,
                   [=](U16 a, U16 b, U16) { return holds(value_of<T>(a), value_of<T>(b)) ? Format<T>::kOne : U16{0}; });
    compare<T, MaskOp><<<(count / 2 + 127) / 128, 128>>>(in, masks, count);
    CHECK(cudaDeviceSynchronize());
    Verdict verdict(std::string(Format<T>::kName) + " " + name + " masks");
    for (int i = 0; i < count; i += 2) {
      bool answers[2];
      for (int k = 0; k < 2; ++k) answers[k] = holds(value_of<T>(in[i + k]), value_of<T>(in[count + i + k]));
      verdict.equal(i, masks[i], (answers[0] ? 0xFFFFu : 0u) | (answers[1] ? 0xFFFF0000u : 0u));
      verdict.equal(i, masks[i + 1], answers[0] && answers[1]);
    }
  }

  const int count;
  U16 *in, *ones, *twos;
  U32* masks;
};

// --- what they are held against ---

template <class T>
U16 saturated(U16 bits) {
  return is_nan<T>(bits) || (bits & 0x8000) != 0 ? U16{0} : std::min(bits, Format<T>::kOne);
}

template <class T>
U16 extremum(U16 a, U16 b, bool least, bool nan_wins) {
  if (is_nan<T>(a) || is_nan<T>(b))
    return nan_wins || (is_nan<T>(a) && is_nan<T>(b)) ? U16{0x7FFF} : is_nan<T>(a) ? b : a;
  const double x = value_of<T>(a), y = value_of<T>(b);
  return (x < y || (x == y && std::signbit(x))) == least ? a : b;
}

template <class T>
void arithmetic() {
  const std::vector<U16> some = elements<T>();
  std::vector<U16> rows[3];
  for (size_t i = 0; i < some.size(); ++i)
    for (size_t k = 0; k < some.size(); ++k) {
      rows[0].push_back(some[i]);
      rows[1].push_back(some[k]);
      rows[2].push_back(some[(5 * i + 11 * k) % some.size()]);
    }
  // Products in which whatever is added decides a tie: 7 * 37 = 259 and 49 * 43 = 2107 lie half way between two.
  for (const double factor : {7.0, 49.0})
    for (const U16 least : {0, 1, 0x8001, 0x8000}) {
      rows[0].push_back(rounded<T>(factor));
      rows[1].push_back(rounded<T>(factor == 7 ? 37.0 : 43.0));
      rows[2].push_back(least);
    }
  Inputs<T> on(rows);
  const auto sum = [](U16 a, U16 b, U16) { return rounded<T>(value_of<T>(a) + value_of<T>(b)); };
  const auto difference = [](U16 a, U16 b, U16) { return rounded<T>(value_of<T>(a) - value_of<T>(b)); };
  const auto product = [](U16 a, U16 b, U16) { return rounded<T>(value_of<T>(a) * value_of<T>(b)); };
  const auto fma = [](U16 a, U16 b, U16 c) {
    return rounded<T>(fused(value_of<T>(a), value_of<T>(b), value_of<T>(c)));
  };
  const auto clamped = [](auto f) { return [=](U16 a, U16 b, U16 c) { return saturated<T>(f(a, b, c)); }; };
  on.template check_bits<Add>("add", sum);
  on.template check_bits<AddRounded>("add rn", sum);
  on.template check_bits<AddSaturating>("add sat", clamped(sum));
  on.template check_bits<Subtract>("sub", difference);
  on.template check_bits<SubtractRounded>("sub rn", difference);
  on.template check_bits<SubtractSaturating>("sub sat", clamped(difference));
  on.template check_bits<Multiply>("mul", product);
  on.template check_bits<MultiplyRounded>("mul rn", product);
  on.template check_bits<MultiplySaturating>("mul sat", clamped(product));
  on.template check_bits<Fused>("fma", fma);
  on.template check_bits<FusedSaturating>("fma sat", clamped(fma));
  on.template check_bits<FusedRelu>("fma relu", [=](U16 a, U16 b, U16 c) -> U16 {
    const U16 bits = fma(a, b, c);
    return (bits & 0x8000) != 0 ? 0 : bits;
  });
  // A quotient's float may be one unit off, which shows where it is nearly half way between two elements.
  on.template check<Divide>("div", [](U16 got, U16 a, U16 b, U16) {
    const U16 expected = rounded<T>(static_cast<long double>(value_of<T>(a)) / value_of<T>(b));
    return std::make_pair(got == expected || std::abs(got - expected) <= 1, expected);
  });
  on.template check_bits<Minimum>("min", [](U16 a, U16 b, U16) { return extremum<T>(a, b, true, false); });
  on.template check_bits<Maximum>("max", [](U16 a, U16 b, U16) { return extremum<T>(a, b, false, false); });
  on.template check_bits<MinimumOrNan>("min nan", [](U16 a, U16 b, U16) { return extremum<T>(a, b, true, true); });
  on.template check_bits<MaximumOrNan>("max nan", [](U16 a, U16 b, U16) { return extremum<T>(a, b, false, true); });

#define UNORDERED(op) [](double a, double b) { return std::isnan(a) || std::isnan(b) || a op b; }
#define ORDERED(op) [](double a, double b) { return !std::isnan(a) && !std::isnan(b) && a op b; }
#define BOTH(Name, suffix, op)                                         \
  on.template check_comparison<Name, Name##Mask>(suffix, ORDERED(op)); \
  on.template check_comparison<Name##Unordered, Name##UnorderedMask>(suffix "u", UNORDERED(op));
  BOTH(Equal, "eq", ==)
  BOTH(NotEqual, "ne", !=)
  BOTH(Less, "lt", <)
  BOTH(LessOrEqual, "le", <=)
  BOTH(Greater, "gt", >)
  BOTH(GreaterOrEqual, "ge", >=)
}

/// Distance in units in the last place, across zero.
int units_between(U16 a, U16 b) {
  const auto rank = [](U16 bits) { return (bits & 0x8000) != 0 ? -(bits & 0x7FFF) : bits & 0x7FFF; };
  return std::abs(rank(a) - rank(b));
}

template <class T>
void functions() {
  std::vector<U16> rows[3];
  rows[0] = elements<T>();
  for (U32 bits = 0; bits < 0x10000; bits += 37) rows[0].push_back(static_cast<U16>(bits));
  rows[1] = rows[2] = std::vector<U16>(rows[0].size(), 0);
  Inputs<T> on(rows);
  // These are right to the last bit on the hardware for which the headers correct its approximations one by one; with
  // other approximations, as good or better, some of them are one unit off.
  const auto within_a_unit = [](auto exact) {
    return [=](U16 got, U16 a, U16, U16) {
      const U16 expected = rounded<T>(exact(value_of<T>(a)));
      return std::make_pair(is_nan<T>(expected) ? got == expected : units_between(got, expected) <= 1, expected);
    };
  };
#define FUNCTION(Name, name, expression) \
  on.template check<Name>(name, within_a_unit([](double x) -> double { return expression; }));
  FUNCTION(Exponential, "exp", std::exp(x))
  FUNCTION(Exponential2, "exp2", std::exp2(x))
  FUNCTION(Exponential10, "exp10", std::pow(10.0, x))
  FUNCTION(Logarithm, "log", std::log(x))
  FUNCTION(Logarithm2, "log2", std::log2(x))
  FUNCTION(Logarithm10, "log10", std::log10(x))
  FUNCTION(Sine, "sin", std::sin(x))
  FUNCTION(Cosine, "cos", std::cos(x))
  FUNCTION(Reciprocal, "rcp", 1 / x)
  FUNCTION(ReciprocalRoot, "rsqrt", 1 / std::sqrt(x))
  FUNCTION(Root, "sqrt", std::sqrt(x))
  FUNCTION(Tangent, "tanh", std::tanh(x))
  on.template check<TangentApproximately>("tanh approx", [](U16 got, U16 a, U16, U16) {
    const double exact = std::tanh(value_of<T>(a)), error = std::fabs(value_of<T>(got) - exact);
    const bool near = error <= std::exp2(Format<T>::kMantissa == 10 ? -10.987 : -8.0);
    return std::make_pair(std::isnan(exact) ? got == 0x7FFF : near, rounded<T>(exact));
  });
  const auto exactly = [](auto f) { return [=](U16 a, U16, U16) { return rounded<T>(f(value_of<T>(a))); }; };
  on.template check_bits<Floor>("floor", exactly([](double x) { return std::floor(x); }));
  on.template check_bits<Ceiling>("ceil", exactly([](double x) { return std::ceil(x); }));
  on.template check_bits<Truncate>("trunc", exactly([](double x) { return std::trunc(x); }));
  on.template check_bits<RoundToEven>("rint", exactly([](double x) { return std::nearbyint(x); }));
  on.template check_bits<IsNan>("isnan", [](U16 a, U16, U16) { return is_nan<T>(a) ? Format<T>::kOne : U16{0}; });
  on.template check_bits<Negate>(
      "neg", [](U16 a, U16, U16) { return is_nan<T>(a) ? U16{0x7FFF} : static_cast<U16>(a ^ 0x8000); });
  on.template check_bits<Absolute>(
      "abs", [](U16 a, U16, U16) { return is_nan<T>(a) ? U16{0x7FFF} : static_cast<U16>(a & 0x7FFF); });
}

int main() {
  arithmetic<__half>();
  arithmetic<__nv_bfloat16>();
  functions<__half>();
  functions<__nv_bfloat16>();
  return 0;
}
