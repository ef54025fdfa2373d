#include "harness/vgpu/link/owner.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>

namespace vgpu::link {

Owner::~Owner() {
  if (staging_ != nullptr) munmap(staging_, kStagingBytes);
  close(socket_);
}

void Owner::set_patience(std::chrono::milliseconds patience) const {
  const auto milliseconds = std::max<std::int64_t>(patience.count(), 1);
  timeval limit{};
  limit.tv_sec = milliseconds / 1000;
  limit.tv_usec = milliseconds % 1000 * 1000;
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool Owner::call(OwnerCall call, const Writer& arguments, int descriptor) {
  Header header{Kind::kCall};
  header.call = static_cast<std::uint16_t>(call);
  if (!is_lost_)
    is_lost_ = !send_packet(socket_, header, arguments, descriptor) || !receive_packet(socket_, reply_) ||
               reply_.header.kind != Kind::kReply;
  if (is_lost_) return false;
  result_ = reply_.reader();
  const auto error = result_.get<int>();
  return result_.is_whole() && error == 0;
}

bool Owner::hello(int program) {
  Writer arguments;
  arguments.put(kVersion);
  const bool is_heard = call(OwnerCall::kHello, arguments, program);
  const int file = reply_.descriptor;
  if (file == -1) return false;
  void* const mapped =
      is_heard ? mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (mapped == MAP_FAILED) return false;
  staging_ = static_cast<std::byte*>(mapped);
  return true;
}

bool Owner::set_monitors(const std::string& list) {
  Writer arguments;
  arguments.put_text(list.c_str());
  return call(OwnerCall::kMonitors, arguments);
}

std::uint64_t Owner::allocate(const std::string& name, const OwnedArray& array) {
  Writer arguments;
  arguments.put(array);
  arguments.put_text(name.c_str());
  return call(OwnerCall::kAllocate, arguments) ? result_.get<std::uint64_t>() : 0;
}

bool Owner::release(std::uint64_t address) {
  Writer arguments;
  arguments.put(address);
  return call(OwnerCall::kRelease, arguments);
}

bool Owner::write(std::uint64_t address, const std::byte* from, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes - done, kStagingBytes);
    std::memcpy(staging_, from + done, piece);
    Writer arguments;
    arguments.put(OwnedRange{address + done, piece});
    if (!call(OwnerCall::kWrite, arguments)) return false;
    done += piece;
  }
  return true;
}

bool Owner::fill(std::uint64_t address, std::uint8_t value, std::uint64_t bytes) {
  Writer arguments;
  arguments.put(OwnedRange{address, bytes});
  arguments.put(value);
  return call(OwnerCall::kFill, arguments);
}

bool Owner::read(std::byte* to, std::uint64_t address, std::uint64_t bytes) {
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes - done, kStagingBytes);
    Writer arguments;
    arguments.put(OwnedRange{address + done, piece});
    if (!call(OwnerCall::kRead, arguments)) return false;
    std::memcpy(to + done, staging_, piece);
    done += piece;
  }
  return true;
}

bool Owner::begin(const Beginning& beginning) {
  Writer arguments;
  arguments.put(beginning);
  return call(OwnerCall::kBegin, arguments);
}

bool Owner::freeze() { return call(OwnerCall::kFreeze, {}); }

bool Owner::text_of(OwnerCall which, std::string& text) {
  if (!call(which, {})) return false;
  const auto bytes = result_.get<std::uint64_t>();
  if (bytes > kStagingBytes) return false;
  text.assign(reinterpret_cast<const char*>(staging_), bytes);
  return true;
}
bool Owner::counts(std::string& text) { return text_of(OwnerCall::kCounts, text); }
bool Owner::findings(std::string& text) { return text_of(OwnerCall::kFindings, text); }

bool Owner::depends_on_order() { return !call(OwnerCall::kDependsOnOrder, {}) || result_.get<std::uint8_t>() != 0; }

DescribedAddress Owner::describe(std::uint64_t address) {
  Writer arguments;
  arguments.put(address);
  DescribedAddress described;
  if (!call(OwnerCall::kDescribe, arguments)) return described;
  result_.get_text(described.text);
  result_.get_text(described.allocation);
  result_.get_text(described.object);
  result_.get(described.offset);
  return described;
}

}  // namespace vgpu::link
