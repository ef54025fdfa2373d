// Makes bodies, and adds up their gravity in double precision, with bodies shared out among threads.
#include "labs/nbody/bodies.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "datasets/random.h"
#include "labs/nbody/nbody.cuh"

namespace lanewise::labs::nbody_lab {
namespace {

struct Body {
  float x, y, z, mass;
};

// From [1, 2). Of the 16 last bits, which bfloat16 drops, the first is 0; of the 13 last, which TF32 and half drop, the
// first two are 0 and 1.
float rounds_down(Random& random) {
  const auto word = static_cast<std::uint32_t>(0x3F800000U | ((random.next() >> 40) & 0x7F67FFU) | 0x0800U);
  float value = 0;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

Body in_cube(float size, Random& random) {
  Body body{};
  for (float* each : {&body.x, &body.y, &body.z}) *each = random.uniform(-size, size);
  body.mass = random.uniform(0.5F, 1.5F);
  return body;
}

void fill(const std::string& kind, float size, std::vector<Body>& bodies, Random& random) {
  for (Body& body : bodies) body = in_cube(size, random);
  const std::size_t count = bodies.size();
  if (kind == "uniform") return;
  if (kind == "plane") {
    for (Body& body : bodies) body.z = size / 2;
  } else if (kind == "pairs") {
    for (std::size_t i = count / 2; i < count; ++i) {
      const float mass = bodies[i].mass;
      bodies[i] = bodies[i - count / 2];
      bodies[i].mass = mass;
    }
  } else if (kind == "far") {
    for (Body& body : bodies)
      for (float* each : {&body.x, &body.y, &body.z}) *each += 1000;
  } else if (kind == "scaled") {
    for (Body& body : bodies)
      body.mass = random.below(4) == 0 ? 0 : std::ldexp(body.mass, static_cast<int>(random.between(-10, 10)));
  } else if (kind == "rounding") {
    for (std::size_t i = 0; i < count; ++i) {
      bodies[i].mass = rounds_down(random);
      if (i % 32 == 0) continue;
      for (float* each : {&bodies[i].x, &bodies[i].y, &bodies[i].z}) *each = size * rounds_down(random);
    }
  } else {
    throw std::invalid_argument(
        "the kind of bodies is 'line', 'uniform', 'plane', 'pairs', 'far', 'scaled' or 'rounding', not '" + kind + "'");
  }
}

// Body j's mass divided by the third power of its distance: what each difference is multiplied by.
struct Weight {
  double dx, dy, dz, weight;
};
Weight weight_of(const Bodies& bodies, std::size_t i, std::size_t j, double softening2) {
  const double dx = bodies.x[j] - bodies.x[i];
  const double dy = bodies.y[j] - bodies.y[i];
  const double dz = bodies.z[j] - bodies.z[i];
  const double r2 = dx * dx + dy * dy + dz * dz + softening2;
  return {dx, dy, dz, bodies.mass[j] / (r2 * std::sqrt(r2))};
}

}  // namespace

std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed) {
  const std::int64_t n = parameters.integer("n");
  if (n < 0 || n > kMaxBodies)
    throw std::invalid_argument("the key 'n' must lie between 0 and " + std::to_string(kMaxBodies));
  const double softening = parameters.number("softening");
  if (!(softening >= 0x1p-10 && softening <= 0x1p10) || softening != static_cast<float>(softening))
    throw std::invalid_argument("the key 'softening' must be a float from [2^-10, 2^10]");
  std::vector<Body> bodies(static_cast<std::size_t>(n));
  const std::string& kind = parameters.text("kind");
  if (kind == "line") {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      bodies[i] = {3.0F * static_cast<float>(i), 0, 0, i % 2 == 0 ? 125.0F : 250.0F};
  } else {
    const double size = parameters.number("size");
    if (!(size > 0 && size <= 1000)) throw std::invalid_argument("the key 'size' must be positive, and at most 1000");
    Random random(seed);
    fill(kind, static_cast<float>(size), bodies, random);
  }
  const std::int64_t first = parameters.integer_or("first", 0);
  const std::int64_t count = parameters.integer_or("count", n - first);
  if (first < 0 || count < 0 || first + count > n)
    throw std::invalid_argument("the bodies from 'first' to 'first' + 'count' - 1 must lie between 0 and n - 1");
  Problem problem;
  problem.inputs = {make_array<float>("bodies", {n, 4})};
  problem.outputs = {{"acceleration", DType::kFloat32, {count, 3}}};
  problem.scalars = {{"n", n}, {"first", first}, {"count", count}, {"softening", softening}};
  if (n > 0) std::memcpy(problem.inputs[0].bytes.data(), bodies.data(), problem.inputs[0].bytes.size());
  return problem;
}

Bodies::Bodies(const Problem& problem)
    : n(integer_scalar(problem, "n")),
      first(integer_scalar(problem, "first")),
      count(integer_scalar(problem, "count")),
      softening([&problem] {
        const auto found = std::find_if(problem.scalars.begin(), problem.scalars.end(),
                                        [](const Scalar& each) { return each.name == "softening"; });
        if (found == problem.scalars.end()) throw std::invalid_argument("there is no scalar 'softening'");
        return std::get<double>(found->value);
      }()) {
  const float* of = elements<float>(find_array(problem.inputs, "bodies"));
  for (std::int64_t i = 0; i < n; ++i, of += 4) {
    x.push_back(of[0]);
    y.push_back(of[1]);
    z.push_back(of[2]);
    mass.push_back(of[3]);
  }
}

namespace {

void for_each_body(const Bodies& bodies, const std::function<void(std::int64_t)>& each) {
  constexpr std::int64_t kWorthAThread = 1 << 20;  // interactions; below, starting a thread costs more than it saves
  const auto available = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::int64_t threads = std::clamp<std::int64_t>(bodies.n * bodies.count / kWorthAThread, 1, available);
  const auto share = [&](std::int64_t thread) {
    for (std::int64_t k = thread; k < bodies.count; k += threads) each(bodies.first + k);
  };
  std::vector<std::thread> others;
  for (std::int64_t thread = 1; thread < threads; ++thread) others.emplace_back(share, thread);
  share(0);
  for (std::thread& other : others) other.join();
}

}  // namespace

Array array_of(const Bodies& bodies, const std::function<Vector(std::int64_t)>& of_body) {
  Array result = make_array<float>("acceleration", {bodies.count, 3});
  float* const numbers = elements<float>(result);
  for_each_body(bodies, [&](std::int64_t i) {
    const Vector sum = of_body(i);
    float* const to = numbers + 3 * (i - bodies.first);
    to[0] = static_cast<float>(sum.x);
    to[1] = static_cast<float>(sum.y);
    to[2] = static_cast<float>(sum.z);
  });
  return result;
}

Array right_accelerations(const Problem& problem) {
  const Bodies bodies(problem);
  const double softening2 = bodies.softening * bodies.softening;
  return array_of(bodies, [&](std::int64_t i) {
    Vector sum;
    for (std::size_t j = 0; j < bodies.mass.size(); ++j) {
      const Weight term = weight_of(bodies, static_cast<std::size_t>(i), j, softening2);
      sum.x += term.weight * term.dx;
      sum.y += term.weight * term.dy;
      sum.z += term.weight * term.dz;
    }
    return sum;
  });
}

Vector sums_of_magnitudes(const Bodies& bodies, std::int64_t i) {
  const double softening2 = bodies.softening * bodies.softening;
  Vector sum;
  for (std::size_t j = 0; j < bodies.mass.size(); ++j) {
    const Weight term = weight_of(bodies, static_cast<std::size_t>(i), j, softening2);
    sum.x += term.weight * std::abs(term.dx);
    sum.y += term.weight * std::abs(term.dy);
    sum.z += term.weight * std::abs(term.dz);
  }
  return sum;
}

}  // namespace lanewise::labs::nbody_lab
