// Prepare is answered by Placed, Fetch by Fetched; a sentence instead ends the conversation.
#include "harness/worker/memory_owner.h"

#include <unistd.h>

#include <map>
#include <memory>

#include "harness/worker/case_memory.h"
#include "harness/worker/channel.h"
#include "harness/worker/empty_kernel.h"
#include "harness/worker/runtime.h"
#include "harness/worker/shared_block.h"

namespace lanewise {
namespace {

class MemoryOwner {
 public:
  MemoryOwner(int socket, const CudaRuntime& runtime)
      : socket_(socket), runtime_(runtime), block_(runtime), empty_kernel_(runtime) {}

  bool greet();
  int run();

 private:
  bool answer(const Packet& packet);
  bool place(const protocol::Prepare& prepare, int descriptor);
  bool fetch(bool outputs_only);
  bool fail(const std::string& sentence);

  int socket_;
  const CudaRuntime& runtime_;
  SharedBlock block_;
  EmptyKernel empty_kernel_;
  std::map<std::uint64_t, std::unique_ptr<CaseMemory>> memories_;  // by the number that the runner gave them
  CaseMemory* current_ = nullptr;                                  // the case that is in the block
};

bool MemoryOwner::fail(const std::string& sentence) {
  auto failed = protocol::make_message<protocol::Failed>();
  protocol::set_text(failed.sentence, sentence);
  return send_message(socket_, failed);
}

bool MemoryOwner::greet() {
  auto owner = protocol::make_message<protocol::Owner>();
  owner.can_share = can_share_memory(runtime_);
  empty_kernel_.seconds();  // the first one is loaded, too
  return send_message(socket_, owner);
}

int MemoryOwner::run() {
  Packet packet;
  while (receive_packet(socket_, packet) == Received::kPacket)
    if (!answer(packet)) return protocol::kExitChannelLost;
  return 0;
}

bool MemoryOwner::answer(const Packet& packet) {
  protocol::Prepare prepare;
  protocol::Fetch fetch;
  if (read_message(packet, prepare)) return place(prepare, packet.descriptor);
  if (read_message(packet, fetch)) return this->fetch(fetch.outputs_only != 0);
  return fail("the memory's owner received a message it does not know");
}

bool MemoryOwner::place(const protocol::Prepare& prepare, int descriptor) {
  current_ = nullptr;
  if (prepare.is_timed == 0) memories_.clear();  // of cases that are over
  std::unique_ptr<CaseMemory>& memory = memories_[prepare.memory_id];
  if (descriptor != -1) {
    memory.reset();
    memory = std::make_unique<CaseMemory>(runtime_, &block_);
  }
  if (!memory) return fail("the case came before its memory");
  const int before = block_.number();
  if (const std::string failure = memory->prepare(prepare, descriptor); !failure.empty()) return fail(failure);
  current_ = memory.get();
  auto placed = protocol::make_message<protocol::Placed>();
  placed.block_bytes = block_.bytes();
  for (std::size_t i = 0; i < memory->arrays().size(); ++i)
    if (const std::byte* const data = memory->arrays()[i].data)
      placed.offsets[i] = static_cast<std::uint64_t>(data - block_.data());
  const bool is_new = block_.number() != before;
  const int exported = is_new ? block_.descriptor() : -1;
  if (is_new && exported == -1) return fail("the case's device memory cannot be shared");
  const bool is_sent = send_message(socket_, placed, exported);
  if (exported != -1) close(exported);
  return is_sent;
}

bool MemoryOwner::fetch(bool outputs_only) {
  if (current_ == nullptr) return fail("there is nothing to fetch");
  auto fetched = protocol::make_message<protocol::Fetched>();
  fetched.settling_seconds = empty_kernel_.seconds();
  fetched.has_arrays = outputs_only ? current_->fetch_outputs() : current_->fetch();
  return send_message(socket_, fetched);
}

}  // namespace

int own_memory(int socket, const std::string& path) {
  CudaRuntime runtime;
  std::string failure = load_runtime(path, runtime);
  int mode = cudaComputeModeDefault;
  if (failure.empty() && runtime.get_attribute(&mode, cudaDevAttrComputeMode, 0) == cudaSuccess &&
      mode != cudaComputeModeDefault)
    failure = "the device admits one process only";  // which has to be the worker
  if (failure.empty()) failure = warm_up(runtime);
  if (!failure.empty()) {
    auto failed = protocol::make_message<protocol::Failed>();
    protocol::set_text(failed.sentence, failure);
    send_message(socket, failed);
    return 0;
  }
  MemoryOwner owner(socket, runtime);
  return owner.greet() ? owner.run() : protocol::kExitChannelLost;
}

}  // namespace lanewise
