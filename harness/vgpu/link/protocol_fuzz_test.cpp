// Packets that no program would send, by the thousand: the process of the devices ends when its owner goes, and not
// before. LANEWISE_FUZZ_SECONDS says for how long (without it, for about as long as a test may take), and
// LANEWISE_FUZZ_SEED with which of the programs it begins, so that several can go on at once.
#include <gtest/gtest.h>

#include <sys/time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "harness/vgpu/cudart/extensions.h"
#include "harness/vgpu/link/launch_message.h"
#include "harness/vgpu/link/marshal.h"
#include "harness/vgpu/link/testing/device_process.h"

namespace vgpu::link_test {
namespace {

using link::Call;
using link::Kind;
using link::Packet;
using link::Writer;

/// Numbers that are often small, often something that a call before has returned, and sometimes anything.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}

  unsigned below(unsigned end) { return std::uniform_int_distribution<unsigned>(0, end - 1)(random_); }
  std::uint64_t any() {
    switch (below(6)) {
      case 0:
      case 1:
        return below(3);
      case 2:
        return below(5000);
      case 3:
        return below(3) == 0 ? random_() : below(300);
      default:
        return known_.empty() ? 1 : known_[below(static_cast<unsigned>(known_.size()))];
    }
  }
  void remember(std::uint64_t value) {
    if (known_.size() < 64)
      known_.push_back(value);
    else
      known_[below(64)] = value;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::uint64_t> known_;
};

/// An object of some type, as numbers.
template <class T>
void put_object(Numbers& numbers, Writer& to) {
  std::array<std::byte, sizeof(T)> bytes{};
  for (std::size_t at = 0; at < sizeof(T); at += sizeof(std::uint64_t)) {
    const std::uint64_t number = numbers.below(sizeof(T) > 64 ? 4 : 1) == 0 ? numbers.any() : 0;
    std::memcpy(bytes.data() + at, &number, std::min(sizeof number, sizeof(T) - at));
  }
  to.put_bytes(bytes.data(), bytes.size());
}

/// What a call's arguments look like, made up.
template <auto Function>
class MadeUp {
  using Of = link::Signature<Function>;

 public:
  static void put(Numbers& numbers, Writer& to) { put(numbers, to, typename Of::Indices()); }

 private:
  template <std::size_t... i>
  static void put([[maybe_unused]] Numbers& numbers, [[maybe_unused]] Writer& to, std::index_sequence<i...>) {
    // Arrays are told how long they are by a later argument: mostly the truth.
    [[maybe_unused]] const std::uint32_t elements = numbers.below(4);
    (put_one<i>(numbers, to, elements), ...);
  }
  template <std::size_t i>
  static void put_one(Numbers& numbers, Writer& to, std::uint32_t elements) {
    constexpr link::Manner kHow = Of::template kManner<i>;
    using P = std::tuple_element_t<i, typename Of::Values>;
    using T = std::remove_pointer_t<P>;
    const bool is_there = numbers.below(8) != 0;
    if constexpr (kHow == link::Manner::kValue) {
      if constexpr (std::is_same_v<P, size_t>)
        to.put(numbers.below(30) != 0 ? size_t{elements} : static_cast<size_t>(numbers.any()));
      else
        put_object<P>(numbers, to);
    } else if constexpr (kHow == link::Manner::kText) {
      to.put_text(is_there ? "name" : nullptr);
    } else if constexpr (kHow != link::Manner::kIgnored) {
      to.put(static_cast<std::uint8_t>(is_there));
      if (!is_there) return;
      if constexpr (kHow == link::Manner::kIn || kHow == link::Manner::kInOut) put_object<T>(numbers, to);
      if constexpr (kHow == link::Manner::kArrayIn) {
        to.put(elements);
        for (std::uint32_t n = 0; n < elements; ++n) put_object<T>(numbers, to);
      }
    }
  }
};

void put_arguments(Call call, Numbers& numbers, Writer& to) {
  switch (call) {
#define CALL(name) \
  case Call::name: \
    return MadeUp<&::name>::put(numbers, to);
#include "harness/vgpu/link/calls.inc"
#undef CALL
    default:
      return;
  }
}

/// Arguments that the program packs by hand.
void put_by_hand(Call call, Numbers& numbers, Writer& to) {
  switch (call) {
    case Call::cudaLaunchKernel: {
      link::LaunchMessage message{};
      message.manner = static_cast<link::LaunchMessage::Manner>(numbers.below(5));
      message.has_arguments = static_cast<std::uint8_t>(numbers.below(2));
      message.attribute_count = numbers.below(2);
      message.kernel = reinterpret_cast<const void*>(numbers.any());
      message.grid = {numbers.below(3), 1, 1};
      message.block = {numbers.below(40), 1, 1};
      message.stream = reinterpret_cast<cudaStream_t>(numbers.any());
      message.arguments = reinterpret_cast<void**>(numbers.any());
      to.put(message);
      put_object<cudaLaunchAttribute>(numbers, to);
      break;
    }
    case Call::__cudaRegisterFatBinary: {
      to.put(numbers.any());
      const std::uint32_t units = numbers.below(4);
      to.put(units + numbers.below(8) / 7);  // now and then one that is not there
      for (std::uint32_t unit = 0; unit < units; ++unit) to.put(numbers.any());
      to.put(numbers.any());
      to.put(numbers.any());
      to.put_text("program");
      break;
    }
    case Call::__cudaRegisterManagedSection: {
      const std::uint64_t begin = numbers.any();
      to.put(begin);
      to.put(begin + numbers.below(1 << 20));
      break;
    }
    default:  // __cudaRegisterFunction, __cudaRegisterVar, __cudaRegisterManagedVar
      to.put(std::uint64_t{1} + numbers.below(3));
      to.put(numbers.any());
      to.put_text("name");
      to.put(std::size_t{4});
  }
}

/// Calls that are the owner's, or that no program sends.
bool ends_the_connection(Call call) {
  const bool is_extension = call >= Call::vgpuNameAllocation && call <= Call::vgpuDescribePointer;
  const bool is_launch = (call >= Call::__cudaLaunchKernel && call <= Call::cudaLaunchKernelExC_ptsz);
  return is_extension || is_launch || call == Call::__cudaPushCallConfiguration ||
         call == Call::__cudaPopCallConfiguration || call == Call::cudaGetErrorName ||
         call == Call::cudaGetErrorString || call == Call::cudaGraphDebugDotPrint;
}

/// A program that calls whatever there is to call.
class Monkey {
 public:
  explicit Monkey(unsigned seed) : numbers_(seed) {}

  /// Calls until the devices have had enough of it, or for so many calls. Returns how many there were.
  int use(DeviceProcess& devices, int calls) {
    constexpr timeval kAtMost{20, 0};  // for one answer: what takes longer hangs
    setsockopt(devices.program, SOL_SOCKET, SO_RCVTIMEO, &kAtMost, sizeof kAtMost);
    Writer hello;
    hello.put(link::kVersion);
    if (!send(devices, Kind::kCall, Call::kHello, hello) || !hear(devices)) return 0;
    for (int i = 0; i < calls; ++i)
      if (!send_one(devices) || !hear(devices)) return i;
    return calls;
  }

 private:
  bool send_one(DeviceProcess& devices) {
    constexpr Call kByHand[] = {Call::cudaLaunchKernel,         Call::__cudaRegisterFatBinary,
                                Call::__cudaRegisterFunction,   Call::__cudaRegisterVar,
                                Call::__cudaRegisterManagedVar, Call::__cudaRegisterManagedSection};
    Writer arguments;
    Call call = kByHand[numbers_.below(std::size(kByHand))];
    if (numbers_.below(12) == 0) {
      put_by_hand(call, numbers_, arguments);
    } else {
      do call = static_cast<Call>(numbers_.below(static_cast<unsigned>(Call::kCount)));
      while (ends_the_connection(call) && numbers_.below(100) != 0);
      put_arguments(call, numbers_, arguments);
    }
    if (numbers_.below(500) == 0) arguments.clear();
    return send(devices, Kind::kCall, call, arguments);
  }

  bool send(DeviceProcess& devices, Kind kind, Call call, const Writer& writer) {
    link::Header header{kind};
    header.call = static_cast<std::uint16_t>(call);
    header.thread = numbers_.below(3);
    return link::send_packet(devices.program, header, writer);
  }

  /// Answers what it is asked, mostly, and remembers what it is told.
  bool hear(DeviceProcess& devices) {
    for (int i = 0; i < 50; ++i) {
      if (!link::receive_packet(devices.program, packet_)) return false;
      if (packet_.descriptor != -1) close(packet_.descriptor);
      link::Reader reader = packet_.reader();
      if (packet_.header.kind == Kind::kReply) {
        reader.get<std::uint32_t>();
        for (int value = 0; value < 4 && reader.left() >= sizeof(std::uint64_t); ++value)
          numbers_.remember(reader.get<std::uint64_t>());
        return true;
      }
      const bool has_answer = packet_.header.kind != Kind::kPrint && packet_.header.kind != Kind::kPrintError &&
                              packet_.header.kind != Kind::kFlush && packet_.header.kind != Kind::kForget &&
                              packet_.header.kind != Kind::kClose && packet_.header.kind != Kind::kUnshare;
      if (!has_answer) continue;
      Writer answer;
      answer.put(numbers_.below(8) == 0 ? static_cast<int>(numbers_.below(40)) : 0);
      if (!send(devices, numbers_.below(200) == 0 ? Kind::kCall : Kind::kAnswer, Call::cudaGetDevice, answer))
        return false;
    }
    return false;
  }

  Numbers numbers_;
  Packet packet_;
};

int number_from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

TEST(Protocol, NoProgramBringsItsDevicesDown) {
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(number_from_environment("LANEWISE_FUZZ_SECONDS", 3));
  const auto first = static_cast<unsigned>(number_from_environment("LANEWISE_FUZZ_SEED", 1));
  unsigned seed = first;
  long calls = 0;
  for (; std::chrono::steady_clock::now() < end; ++seed) {
    DeviceProcess devices;
    calls += Monkey(seed).use(devices, 2000);
    std::string text;
    EXPECT_TRUE(devices.owner->freeze());
    EXPECT_TRUE(devices.owner->findings(text) || !text.empty());
    ASSERT_EQ(devices.end(), 0) << "the wait status, with seed " << seed;
  }
  std::printf("%u programs made %ld calls\n", seed - first, calls);
}

}  // namespace
}  // namespace vgpu::link_test
