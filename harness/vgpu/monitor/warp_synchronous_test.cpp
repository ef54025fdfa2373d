// Which loads a loop waits with, and where lanes may exchange something between two accesses.
#include "harness/vgpu/monitor/warp_synchronous.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

/// With a kernel of this body; its volatile accesses are what is asked about.
class Text {
 public:
  explicit Text(const std::string& body)
      : parsed_(ptx::parse(".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 word;\n.global .u32 other;\n"
                           ".entry k() {\n.reg .b32 %r<10>; .reg .pred %p<4>;\n" +
                           body + "ret; }\n")) {
    const auto* const module = std::get_if<ptx::Module>(&parsed_);
    if (module == nullptr) {
      ADD_FAILURE() << std::get<ptx::Diagnostic>(parsed_).message;
      return;
    }
    function = find_function(*module, "k");
    for (const ptx::Instruction& instruction : function->body) {
      if (!ptx::has_modifier(instruction, "volatile")) continue;
      if (instruction.opcode == "ld") load = &instruction;
      if (instruction.opcode == "st") store = &instruction;
    }
  }

  const ptx::Function* function = nullptr;
  const ptx::Instruction *load = nullptr, *store = nullptr;

 private:
  decltype(ptx::parse(std::string())) parsed_;
};

TEST(WarpSynchronous, LoadWaitsIfWhatItGivesEndsItsLoop) {
  const std::string load = "ld.volatile.global.u32 %r1, [word];\n";
  const auto waits = [](const std::string& body) {
    const Text text(body);
    return waits_for(*text.function, *text.load);
  };
  EXPECT_TRUE(waits("again:\n" + load + "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;\n"));
  EXPECT_TRUE(waits("again:\n" + load + "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra done;\nbra again;\ndone:\n"))
      << "left inside";
  EXPECT_TRUE(
      waits("again:\n" + load + "setp.eq.u32 %p1, %r1, 0;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 bra again;\n"));
  EXPECT_FALSE(waits(load + "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra done;\ndone:\n")) << "no loop";
  EXPECT_FALSE(waits("again:\n" + load + "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 bra again;\n"))
      << "goes round five times, whatever it reads";
  EXPECT_FALSE(waits("again:\n" + load +
                     "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra skip;\nst.global.u32 [other], %r1;\nskip:\n"
                     "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 5;\n@%p2 bra again;\n"))
      << "decides what happens inside the loop only";
}

TEST(WarpSynchronous, LanesMayExchangeSomethingOnTheWay) {
  const std::string load = "ld.volatile.global.u32 %r1, [word];\n", store = "st.volatile.global.u32 [word], %r2;\n";
  const std::string exchange = "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;\n";
  const auto may = [](const std::string& body, bool from_store) {
    const Text text(body);
    return from_store ? may_exchange_between(*text.function, *text.store, *text.load)
                      : may_exchange_between(*text.function, *text.load, *text.store);
  };
  EXPECT_TRUE(may(store + exchange + load, true));
  EXPECT_FALSE(may(store + load + exchange, true));
  EXPECT_FALSE(may(exchange + store + load, true));
  EXPECT_TRUE(may(store + load + exchange, false)) << "round a loop, from the load to the store before it";
  EXPECT_TRUE(may(exchange + store + load, false));
  EXPECT_FALSE(may(store + exchange + load, false));
}

}  // namespace
}  // namespace vgpu
