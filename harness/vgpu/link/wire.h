// What a program and the process of its devices say to each other: packets over a socket pair, a header and bytes each,
// and staging memory that both map, for what is long.
//
//   program  Call ───────────► device     one call of the CUDA runtime API, or of the extensions
//            ◄──────── Request            while it is answered: of the program's memory, its functions, its output
//            Answer ─────────►            to requests that have one
//            ◄────────── Reply            what the call returned
//
// An Answer to a request to call a function may be preceded by further Calls, which that function makes. The owner of
// the devices, who started the process, has a connection of its own, on which there are Calls and Replies alone.
//
// What comes from a program is foreign input: a packet that is cut short or that nobody is waiting for ends the
// connection, and nothing in it is trusted to be a pointer of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace vgpu::link {

enum class Kind : std::uint16_t {
  kCall = 1,
  kReply,
  kAnswer,
  // Requests. Those marked * have no answer.
  kRead,          ///< copies rows of the program's memory into staging memory
  kWrite,         ///< the other way
  kShare,         ///< makes memory of the program's one that both map
  kUnshare,       ///< * ends that
  kHostFunction,  ///< calls a cudaHostFn_t
  kCallback,      ///< calls a cudaStreamCallback_t
  kPrint,         ///< * what kernels print
  kPrintError,    ///< *
  kFlush,         ///< *
  kCloseAll,      ///< reserves addresses that host code cannot touch
  kForget,        ///< * gives them back
  kOpen,          ///< maps memory that both reach; its file comes along
  kClose,         ///< * ends that
};

/// Of both ends: they are built together, and this catches a stale one.
inline constexpr std::uint32_t kVersion = 3;

struct Header {
  Kind kind{};
  std::uint16_t call = 0;    ///< of a Call: which
  std::uint32_t bytes = 0;   ///< that follow
  std::uint64_t thread = 0;  ///< of a Call: which of the program's threads makes it
  std::uint64_t site = 0;    ///< of a Call: the address in the program that it returns to; 0: none
};

inline constexpr std::size_t kMostBytes = std::size_t{60} << 10;  // of a packet, header apart
inline constexpr std::size_t kStagingBytes = std::size_t{1} << 20;

/// Puts plain values one after the other.
class Writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "values cross process borders as bytes");
    put_bytes(&value, sizeof value);
  }
  void put_bytes(const void* from, std::size_t bytes) {
    if (bytes == 0) return;  // from nowhere, then
    const auto* const begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + bytes);
  }
  /// A null pointer is told from an empty text.
  void put_text(const char* text) {
    const std::uint32_t length = text != nullptr ? static_cast<std::uint32_t>(std::strlen(text)) : ~0U;
    put(length);
    if (text != nullptr) put_bytes(text, length);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes them out again. What is not there reads as zeros, and `is_whole` says so.
class Reader {
 public:
  Reader() = default;
  Reader(const std::byte* begin, std::size_t bytes) : at_(begin), left_(bytes) {}

  template <class T>
  void get(T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "values cross process borders as bytes");
    get_bytes(&value, sizeof value);
  }
  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  void get_bytes(void* to, std::size_t bytes) {
    if (bytes == 0) return;
    if (bytes > left_) {
      is_whole_ = false;
      left_ = 0;
      std::memset(to, 0, bytes);
      return;
    }
    std::memcpy(to, at_, bytes);
    at_ += bytes;
    left_ -= bytes;
  }
  /// False for a null pointer.
  bool get_text(std::string& text) {
    const auto length = get<std::uint32_t>();
    if (!is_whole_ || length == ~0U) return false;
    if (length > left_) {
      is_whole_ = false;
      return false;
    }
    text.assign(reinterpret_cast<const char*>(at_), length);
    at_ += length;
    left_ -= length;
    return true;
  }
  const std::byte* rest() const { return at_; }
  std::size_t left() const { return left_; }
  bool is_whole() const { return is_whole_; }

 private:
  const std::byte* at_ = nullptr;
  std::size_t left_ = 0;
  bool is_whole_ = true;
};

}  // namespace vgpu::link
