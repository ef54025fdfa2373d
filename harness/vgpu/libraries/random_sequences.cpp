#include "harness/vgpu/libraries/random_sequences.h"

#include <cmath>

namespace vgpu::libraries {
namespace {

constexpr float kTwoToMinus32 = 2.3283064e-10F;
constexpr double kTwoToMinus53 = 1.1102230246251565e-16;
constexpr float kTwoPi = 6.2831855F;
constexpr double kPi = 3.1415926535897932;

// As the public device functions of curand_kernel.h define the distributions.
float uniform_float(std::uint32_t x) { return static_cast<float>(x) * kTwoToMinus32 + kTwoToMinus32 / 2; }
double uniform_double(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = std::uint64_t{low} ^ std::uint64_t{high} << 21;
  return static_cast<double>(bits) * kTwoToMinus53 + kTwoToMinus53 / 2;
}
/// Two normal numbers of two uniform ones (Box and Muller).
std::array<float, 2> normal_floats(std::uint32_t x, std::uint32_t y) {
  const float angle = static_cast<float>(y) * (kTwoToMinus32 * kTwoPi) + kTwoToMinus32 * kTwoPi / 2;
  const float radius = std::sqrt(-2 * std::log(uniform_float(x)));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}
std::array<double, 2> normal_doubles(double u, double v) {
  const double radius = std::sqrt(-2 * std::log(u));
  return {std::sin(2 * v * kPi) * radius, std::cos(2 * v * kPi) * radius};
}

// --- generators that make one word at a time ---

/// Marsaglia's xorwow: 160 bits that are shifted, and a counter.
class Xorwow {
 public:
  static constexpr std::size_t kGenerators = 4096;
  static constexpr unsigned kApart = 67;  // 2^67 words

  explicit Xorwow(std::uint64_t seed) {
    const std::uint32_t low = static_cast<std::uint32_t>(seed) ^ 0xAAD26B49U;
    const std::uint32_t high = static_cast<std::uint32_t>(seed >> 32) ^ 0xF7DCEFDDU;
    const std::uint32_t a = 1099087573U * low, b = 2591861531U * high;
    state_ = {123456789U + a, 362436069U ^ a, 521288629U + b, 88675123U ^ b, 5783321U + a};
    counter_ = 6615241U + b + a;
  }

  std::uint32_t next() {
    step(state_);
    counter_ += kCounted;
    return state_[4] + counter_;
  }

  /// Moves by 2^power words. A step is linear over bits: what each of the 160 becomes is a matrix, squared again and
  /// again.
  class Leap {
   public:
    explicit Leap(unsigned power) : counted_(power < 32 ? kCounted << power : 0) {
      for (std::size_t bit = 0; bit < kBits; ++bit) {
        State one{};
        one[bit / 32] = 1U << bit % 32;
        step(one);
        columns_.push_back(one);
      }
      for (; power > 0; --power) {
        std::vector<State> squared;
        for (const State& column : columns_) squared.push_back(apply(column));
        columns_ = std::move(squared);
      }
    }
    void move(Xorwow& generator) const {
      generator.state_ = apply(generator.state_);
      generator.counter_ += counted_;
    }

   private:
    std::array<std::uint32_t, 5> apply(const std::array<std::uint32_t, 5>& state) const {
      State sum{};
      for (std::size_t bit = 0; bit < kBits; ++bit)
        if ((state[bit / 32] >> bit % 32 & 1) != 0)
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= columns_[bit][i];
      return sum;
    }

    std::vector<std::array<std::uint32_t, 5>> columns_;
    std::uint32_t counted_;
  };

  std::uint32_t word() { return next(); }
  float uniform_single() { return uniform_float(next()); }
  double uniform_long() {
    const std::uint32_t low = next();
    return uniform_double(low, next());
  }
  std::array<float, 2> normal_pair() {
    const std::uint32_t x = next();
    return normal_floats(x, next());
  }
  std::array<double, 2> normal_long_pair() {
    const double u = uniform_long();
    return normal_doubles(u, uniform_long());
  }

 private:
  using State = std::array<std::uint32_t, 5>;
  static constexpr std::uint32_t kCounted = 362437;
  static constexpr std::size_t kBits = 160;

  static void step(State& v) {
    const std::uint32_t t = v[0] ^ v[0] >> 2;
    v = {v[1], v[2], v[3], v[4], v[4] ^ v[4] << 4 ^ (t ^ t << 1)};
  }

  State state_{};
  std::uint32_t counter_ = 0;
};

/// L'Ecuyer's MRG32k3a: two recurrences of three numbers each.
class Mrg32k3a {
 public:
  static constexpr std::size_t kGenerators = 81920;
  static constexpr unsigned kApart = 76;

  explicit Mrg32k3a(std::uint64_t seed) {
    if (seed == 0) return;
    const std::uint64_t low = static_cast<std::uint32_t>(seed) ^ 0x55555555U;
    const std::uint64_t high = static_cast<std::uint32_t>(seed >> 32) ^ 0xAAAAAAAAU;
    for (std::size_t i = 0; i < 3; ++i) {
      first_[i] = (i == 1 ? high : low) * first_[i] % kFirst;
      second_[i] = (i == 1 ? low : high) * second_[i] % kSecond;
    }
  }

  class Leap {
   public:
    explicit Leap(unsigned power) {
      for (; power > 0; --power) {
        first_ = squared(first_, kFirst);
        second_ = squared(second_, kSecond);
      }
    }
    void move(Mrg32k3a& generator) const {
      generator.first_ = applied(first_, generator.first_, kFirst);
      generator.second_ = applied(second_, generator.second_, kSecond);
    }

   private:
    using Three = std::array<std::uint64_t, 3>;
    using Matrix = std::array<Three, 3>;

    /// Numbers below 2^32: the remainders of three products add up to less than 2^64.
    static std::uint64_t dot(const Three& a, const Three& b, std::uint64_t modulus) {
      return (a[0] * b[0] % modulus + a[1] * b[1] % modulus + a[2] * b[2] % modulus) % modulus;
    }
    static Three applied(const Matrix& matrix, const Three& vector, std::uint64_t modulus) {
      return {dot(matrix[0], vector, modulus), dot(matrix[1], vector, modulus), dot(matrix[2], vector, modulus)};
    }
    static Matrix squared(const Matrix& m, std::uint64_t modulus) {
      Matrix result{};
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) result[i][j] = dot(m[i], {m[0][j], m[1][j], m[2][j]}, modulus);
      return result;
    }

    Matrix first_{{{0, 1, 0}, {0, 0, 1}, {kFirst - 810728, 1403580, 0}}};
    Matrix second_{{{0, 1, 0}, {0, 0, 1}, {kSecond - 1370589, 0, 527612}}};
  };

  std::uint32_t word() { return static_cast<std::uint32_t>(static_cast<double>(next()) * 1.000000048662); }
  float uniform_single() { return static_cast<float>(uniform_long()); }
  double uniform_long() { return static_cast<double>(next()) * 2.3283065498378288e-10; }
  std::array<float, 2> normal_pair() {
    const float u = uniform_single(), angle = uniform_single() * kTwoPi;
    const float radius = std::sqrt(-2 * std::log(u));
    return {std::sin(angle) * radius, std::cos(angle) * radius};
  }
  std::array<double, 2> normal_long_pair() {
    const double u = uniform_long();
    return normal_doubles(u, uniform_long());
  }

 private:
  static constexpr std::uint64_t kFirst = 4294967087, kSecond = 4294944443;

  /// From 1 to kFirst.
  std::uint64_t next() {
    const std::uint64_t p = (1403580 * first_[1] + 810728 * (kFirst - first_[0])) % kFirst;
    first_ = {first_[1], first_[2], p};
    const std::uint64_t q = (527612 * second_[2] + 1370589 * (kSecond - second_[0])) % kSecond;
    second_ = {second_[1], second_[2], q};
    return p <= q ? p + kFirst - q : p - q;
  }

  std::array<std::uint64_t, 3> first_{12345, 12345, 12345}, second_{12345, 12345, 12345};
};

/// Generators that take turns: each makes one element, or one pair of normal numbers, and then it is the next one's
/// turn. An offset counts words.
template <class Generator>
class TakingTurns : public RandomSequence {
 public:
  TakingTurns(std::uint64_t seed, std::uint64_t offset) {
    Generator generator(seed);
    const std::uint64_t rounds = offset / Generator::kGenerators;
    turn_ = static_cast<std::size_t>(offset % Generator::kGenerators);
    for (unsigned power = 0; power < 64 && rounds >> power != 0; ++power)
      if ((rounds >> power & 1) != 0) typename Generator::Leap(power).move(generator);
    const typename Generator::Leap apart(Generator::kApart);
    generators_.reserve(Generator::kGenerators);
    for (std::size_t i = 0; i < Generator::kGenerators; ++i) {
      generators_.push_back(generator);
      if (i < turn_) generators_.back().word();
      apart.move(generator);
    }
  }

  void words(std::uint32_t* to, std::size_t count) override { singly(to, count, &Generator::word); }
  void uniform(float* to, std::size_t count) override { singly(to, count, &Generator::uniform_single); }
  void uniform(double* to, std::size_t count) override { singly(to, count, &Generator::uniform_long); }
  void normal(float* to, std::size_t count) override { in_pairs(to, count, &Generator::normal_pair); }
  void normal(double* to, std::size_t count) override { in_pairs(to, count, &Generator::normal_long_pair); }

 private:
  Generator& whose_turn() {
    Generator& generator = generators_[turn_];
    turn_ = (turn_ + 1) % generators_.size();
    return generator;
  }
  template <class T>
  void singly(T* to, std::size_t count, T (Generator::*make)()) {
    for (std::size_t i = 0; i < count; ++i) to[i] = (whose_turn().*make)();
  }
  template <class T>
  void in_pairs(T* to, std::size_t count, std::array<T, 2> (Generator::*make)()) {
    for (std::size_t i = 0; i + 1 < count; i += 2) {
      const std::array<T, 2> pair = (whose_turn().*make)();
      to[i] = pair[0];
      to[i + 1] = pair[1];
    }
  }

  std::vector<Generator> generators_;
  std::size_t turn_ = 0;
};

// --- one that makes four words at a time ---

/// Salmon's Philox4x32-10: four words of a counter, and of a key. Each generator counts by itself, and makes four
/// elements in its turn, of one count or of two. An element that was not asked for is the next one asked for.
class Philox : public RandomSequence {
 public:
  Philox(std::uint64_t seed, std::uint64_t offset) : seed_(seed), counts_(kGenerators) {
    const std::uint64_t chunks = offset / kChunk;
    element_ = static_cast<std::size_t>(offset % kChunk);
    turn_ = static_cast<std::size_t>(chunks % kGenerators);
    for (std::size_t i = 0; i < kGenerators; ++i) counts_[i] = chunks / kGenerators + (i < turn_ ? 1 : 0);
  }

  void words(std::uint32_t* to, std::size_t count) override {
    in_chunks(to, count, 1, [&](std::uint64_t at) { return block(at); });
  }
  void uniform(float* to, std::size_t count) override {
    in_chunks(to, count, 1, [&](std::uint64_t at) {
      const Block b = block(at);
      return std::array<float, kChunk>{uniform_float(b[0]), uniform_float(b[1]), uniform_float(b[2]),
                                       uniform_float(b[3])};
    });
  }
  void uniform(double* to, std::size_t count) override {
    in_chunks(to, count, 2, [&](std::uint64_t at) { return four_doubles(at); });
  }
  void normal(float* to, std::size_t count) override {
    in_chunks(to, count, 1, [&](std::uint64_t at) {
      const Block b = block(at);
      const auto first = normal_floats(b[0], b[1]), second = normal_floats(b[2], b[3]);
      return std::array<float, kChunk>{first[0], first[1], second[0], second[1]};
    });
  }
  void normal(double* to, std::size_t count) override {
    in_chunks(to, count, 2, [&](std::uint64_t at) {
      const auto u = four_doubles(at);
      const auto first = normal_doubles(u[0], u[1]), second = normal_doubles(u[2], u[3]);
      return std::array<double, kChunk>{first[0], first[1], second[0], second[1]};
    });
  }

 private:
  static constexpr std::size_t kGenerators = 65536, kChunk = 4;
  using Block = std::array<std::uint32_t, 4>;

  Block block(std::uint64_t count) const {
    Block c{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32),
            static_cast<std::uint32_t>(turn_), 0};
    auto key0 = static_cast<std::uint32_t>(seed_), key1 = static_cast<std::uint32_t>(seed_ >> 32);
    for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9U, key1 += 0xBB67AE85U) {
      const std::uint64_t a = std::uint64_t{0xD2511F53U} * c[0], b = std::uint64_t{0xCD9E8D57U} * c[2];
      c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(b),
           static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(a)};
    }
    return c;
  }
  std::array<double, kChunk> four_doubles(std::uint64_t at) const {
    const Block first = block(at), second = block(at + 1);
    return {uniform_double(first[0], first[1]), uniform_double(first[2], first[3]),
            uniform_double(second[0], second[1]), uniform_double(second[2], second[3])};
  }

  template <class T, class Make>
  void in_chunks(T* to, std::size_t count, unsigned counts, Make make) {
    for (std::size_t i = 0; i < count;) {
      const auto chunk = make(counts_[turn_]);
      for (; element_ < kChunk && i < count; ++element_, ++i) to[i] = chunk[element_];
      if (element_ < kChunk) return;
      element_ = 0;
      counts_[turn_] += counts;
      turn_ = (turn_ + 1) % kGenerators;
    }
  }

  std::uint64_t seed_;
  std::vector<std::uint64_t> counts_;
  std::size_t turn_ = 0, element_ = 0;
};

}  // namespace

std::unique_ptr<RandomSequence> xorwow_sequence(std::uint64_t seed, std::uint64_t offset) {
  return std::make_unique<TakingTurns<Xorwow>>(seed, offset);
}
std::unique_ptr<RandomSequence> mrg32k3a_sequence(std::uint64_t seed, std::uint64_t offset) {
  return std::make_unique<TakingTurns<Mrg32k3a>>(seed, offset);
}
std::unique_ptr<RandomSequence> philox_sequence(std::uint64_t seed, std::uint64_t offset) {
  return std::make_unique<Philox>(seed, offset);
}

}  // namespace vgpu::libraries
