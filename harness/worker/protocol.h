// What runner and worker say to each other: fixed-size messages, one a packet, and memory both of them map.
//
//           ◄───────── Devices              of a virtual GPU: the socket through which the runtime uses it
//   worker  Hello ─────────────► runner     runtime loaded, warmed up, locked down; the runner gets the listener
//           ◄──────────── Load              the submission to host and the task to run
//           Loaded ────────────►
//           ◄───────── Prepare              one case: what is where in the memory that comes with it
//           Ready ─────────────►            arrays allocated, inputs uploaded, outputs poisoned, guard bands laid down
//           ◄────────────── Go
//           Done ──────────────►            the entry returned and the device is idle
//           ◄─────────── Fetch
//           Fetched ───────────►            outputs, inputs and guard bands are in the memory; next Prepare
//
// Where a GPU is a real one, arrays in device memory are the business of another process of the runner's:
//
//   owner   Owner ─────────────► runner     runtime loaded and warmed up
//           ◄───────── Prepare              as above, before the worker gets it
//           Placed ────────────►            arrays are in memory that the worker can map, and hold what they should
//           ◄─────────── Fetch              once the worker has said Done, and stands still
//           Fetched ───────────►
//
// A worker whose Load said so times: each Prepare leaves the device cold and idle, both ends wait for Go and Done
// without sleeping, memory and arrays stay for the next Prepare, and Arm, answered by Ready, lets the next Go time
// something else.
//
// Crashed may come instead of any answer, Failed instead of Hello, Loaded, Ready and Fetched. The worker ends when the
// channel closes. It hosts foreign code, so the runner believes none of this: a wrong number, size or order ends the
// worker, and texts are cut at their field's end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace lanewise::protocol {

inline constexpr std::uint32_t kMagic = 0x6b77776c;
/// Raised whenever a message changes. Runner and worker are built together; this catches a stale one.
inline constexpr std::uint16_t kVersion = 9;

inline constexpr std::size_t kMostArrays = 16;
inline constexpr std::size_t kMostScalars = 16;
inline constexpr std::size_t kNameBytes = 64;
inline constexpr std::size_t kSentenceBytes = 512;
inline constexpr std::size_t kPathBytes = 4096;

/// Guard bands lie on both sides of every array. At least one block of 1,024 threads writing floats fits in.
inline constexpr std::uint64_t kGuardBytes = 4096;
/// Arrays begin at multiples of this, as cudaMalloc gives.
inline constexpr std::uint64_t kArrayAlignment = 256;
/// Exit codes of the worker, for what it cannot say through a channel that is gone.
inline constexpr int kExitUsage = 81;
inline constexpr int kExitChannelLost = 82;

enum class Kind : std::uint16_t {
  kHello = 1,
  kLoad,
  kLoaded,
  kPrepare,
  kReady,
  kGo,
  kDone,
  kFetch,
  kFetched,
  kCrashed,
  kFailed,
  kArm,
  kDevices,
  kOwner,
  kPlaced
};

struct Header {
  std::uint32_t magic;
  std::uint16_t version;
  Kind kind;
};

/// Comes with the descriptor of a socket to the process of the devices, if a worker was told to wait for it.
struct Devices {
  static constexpr Kind kKind = Kind::kDevices;
  Header header;
};

/// Comes with the descriptor of the seccomp listener if there is one.
struct Hello {
  static constexpr Kind kKind = Kind::kHello;
  Header header;
  char device[kNameBytes * 4];
  char bus_id[kNameBytes];       ///< "00000000:1b:00.0"
  std::int32_t runtime_version;  ///< 13000 is 13.0
  std::int32_t driver_version;
};

struct Load {
  static constexpr Kind kKind = Kind::kLoad;
  Header header;
  char path[kPathBytes];
  char task[kNameBytes];
  std::uint8_t is_timed;  ///< its calls will be
};

struct Loaded {
  static constexpr Kind kKind = Kind::kLoaded;
  Header header;
  std::uint8_t is_defined;  ///< the submission defines the contract's function
  std::uint8_t is_empty;    ///< whose machine code does nothing but return
};

/// Where an array lies in the shared memory. All offsets are multiples of kArrayAlignment.
struct ArrayPlace {
  char name[kNameBytes];
  std::uint64_t offset;        ///< of `bytes` bytes: the inputs' contents; later what came back
  std::uint64_t bytes;         ///< may be 0: the contract then receives a null pointer
  std::uint64_t guard_before;  ///< offsets of kGuardBytes each: the bands' bytes at Ready and at Fetched
  std::uint64_t guard_after;
  std::uint64_t device_address;  ///< if the arrays are placed already; in a block, from its beginning
  std::uint8_t dtype;
  std::uint8_t is_output;
};

struct ScalarValue {
  char name[kNameBytes];
  std::int64_t integer;
  double real;
};

/// Comes with the descriptor of the shared memory, or without one: then it is that of the Prepare before, and arrays as
/// long as before stay where they are. Where arrays are placed there is none, and no Fetch follows but for the time by
/// events. Where they are placed in a block of device memory, its descriptor comes along if it is new.
struct Prepare {
  static constexpr Kind kKind = Kind::kPrepare;
  Header header;
  std::uint64_t memory_id;  ///< for an owner, who may have been sent several that are timed in turn
  std::uint64_t memory_bytes;
  std::uint64_t block_bytes;  ///< 0: placed arrays are in no block, but on the worker's own device
  std::uint32_t array_count;
  std::uint32_t scalar_count;
  std::uint8_t in_host_memory;
  std::uint8_t is_placed;  ///< arrays are on the device, which is none of the worker's business
  std::uint8_t is_timed;   ///< only after a Load that said so
  ArrayPlace arrays[kMostArrays];
  ScalarValue scalars[kMostScalars];
};

/// What a timed Go starts.
enum class Activity : std::uint8_t {
  kCall,     ///< of the entry: what Prepare makes ready
  kNothing,  ///< all that is done around a call
  kCopy,     ///< from device memory to device memory
};

struct Arm {
  static constexpr Kind kKind = Kind::kArm;
  Header header;
  std::uint64_t bytes;  ///< to be copied
  Activity activity;
};

struct Ready {
  static constexpr Kind kKind = Kind::kReady;
  Header header;
};

/// The first message of a process that owns device memory.
struct Owner {
  static constexpr Kind kKind = Kind::kOwner;
  Header header;
  std::uint8_t can_share;  ///< 0: the device has no memory that another process can map
};

/// Comes with the block's descriptor if there was none before, or a smaller one.
struct Placed {
  static constexpr Kind kKind = Kind::kPlaced;
  Header header;
  std::uint64_t block_bytes;
  std::uint64_t offsets[kMostArrays];  ///< of the arrays in the block; 0: an empty one
};

struct Go {
  static constexpr Kind kKind = Kind::kGo;
  Header header;
};

/// How the entry ended.
enum class Ending : std::uint8_t {
  kReturned,      ///< and no error was seen
  kErrorLeft,     ///< it returned and left a CUDA error behind
  kErrorRunning,  ///< the device reported an error when it was waited for
  kThrew,         ///< a C++ exception came out of it
};

struct Done {
  static constexpr Kind kKind = Kind::kDone;
  Header header;
  std::int32_t cuda_error;
  Ending ending;
  char error_name[kNameBytes];  ///< "cudaErrorInvalidConfiguration"
  char sentence[kSentenceBytes];
};

struct Fetch {
  static constexpr Kind kKind = Kind::kFetch;
  Header header;
  std::uint8_t outputs_only;  ///< inputs stay where they are
};

struct Fetched {
  static constexpr Kind kKind = Kind::kFetched;
  Header header;
  double event_seconds;     ///< that a timed call took by events around it; 0 if there are none
  double settling_seconds;  ///< until the device was the owner's; 0 if not known
  std::uint8_t has_arrays;  ///< 0: the device is in no state to be read, or they are none of the worker's business
};

/// The last words of a process that a signal ends.
struct Crashed {
  static constexpr Kind kKind = Kind::kCrashed;
  Header header;
  std::uint64_t address;      ///< that was accessed, for SIGSEGV and SIGBUS
  std::uint64_t instruction;  ///< that did it, as the submission's file counts; 0: none of the submission's
  std::int64_t element;       ///< of the array
  std::int32_t signal;
  std::int32_t array;  ///< index into Prepare::arrays of the array that holds the address, or -1
  std::uint8_t is_write;
  std::uint8_t is_stack_overflow;
  std::uint8_t was_raised;  ///< by raise(), abort() or kill() rather than by an access
};

/// Why the worker cannot go on: not the submission's fault unless it ran already.
struct Failed {
  static constexpr Kind kKind = Kind::kFailed;
  Header header;
  char sentence[kSentenceBytes];
};

inline constexpr std::size_t kLargestMessage = 8192;

/// A zeroed message with its header filled in.
template <class Message>
Message make_message() {
  static_assert(std::is_trivially_copyable_v<Message>, "messages cross process borders as bytes");
  static_assert(sizeof(Message) <= kLargestMessage, "kLargestMessage must hold every message");
  Message message;
  std::memset(static_cast<void*>(&message), 0, sizeof(message));  // padding too: it is sent
  message.header = {kMagic, kVersion, Message::kKind};
  return message;
}

/// Copies `text` into a field, cut to fit and terminated.
template <std::size_t N>
void set_text(char (&field)[N], std::string_view text) {
  const std::size_t bytes = std::min(text.size(), N - 1);
  std::memcpy(field, text.data(), bytes);
  field[bytes] = '\0';
}

/// The text of a field that may lack its terminator.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

}  // namespace lanewise::protocol
