// racecheck: two accesses to the same byte, at least one of them a write, must be ordered or both be atomic.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/access_shadow.h"
#include "harness/vgpu/monitor/access_table.h"
#include "harness/vgpu/monitor/finding.h"
#include "harness/vgpu/monitor/happens_before.h"
#include "harness/vgpu/monitor/reader_sets.h"
#include "harness/vgpu/monitor/small_vector.h"
#include "harness/vgpu/monitor/strong_writers.h"
#include "harness/vgpu/monitor/tag_rows.h"
#include "harness/vgpu/monitor/word_table.h"
#include "harness/vgpu/monitor/written_bytes.h"

namespace vgpu {

/// Reports unordered conflicting accesses to shared and to global memory, between blocks, warps of a block and lanes of
/// a warp, whether or not their order in this run gave the right result. Order comes from
///
/// - launches, which run one after the other;
/// - barriers, for the warps that arrive at them;
/// - __syncwarp, for the lanes it names. Shuffles and votes order nothing, nor does running in lock step;
/// - communication: what a thread did before a fence is published by its next atomic or volatile write, or a release,
///   to any thread that reads or changes that location by an atomic, volatile or acquiring access. That access itself
///   is over for whoever looks at its location later, and for whomever that thread's knowledge gets to by the above;
/// - for reads of one block and later writes of another, words without a fence: what a thread has read before an atomic
///   or volatile write (a compare-and-swap or exchange too), or knows to have been read, is over for whoever reads that
///   location as above, if the word was computed from anything that was read. So blocks can select in place, telling
///   each other how many elements they keep. Such a word says nothing about writes.
///
/// An asynchronous copy writes at some time between its instruction and the wait for it: earlier accesses must be over
/// when it begins, nothing may touch its target before it has arrived, and later accesses must be ordered after the
/// wait. The first test of its mbarrier counts as the wait for a bulk copy.
///
/// Lanes of a warp that hand on a value through volatile memory without meeting in between get a warning: such accesses
/// do not race, but neither are the lanes in step. Unordered writes of one value, in words of one width, get a note,
/// unless there is something worse between the same two instructions.
///
/// In a launch with clusters, blocks reach each other's shared memory. Their barrier orders what came before an
/// arrival, unless that is relaxed, before what comes after a wait. A block that ends takes its shared memory along:
/// what others do there has to be ordered before that, too.
///
/// A reader needs no fence here: reading a flag counts as acquiring it, because programs rely on that when they pass
/// data with a fence only on the writing side. Lanes of a warp that write to one location by one instruction race if
/// their values differ. The plain read that begins a loop around compare-and-swap counts as atomic. Reads by several
/// blocks are over if the latest fence that the writer knows of came after them; where blocks communicate, it also
/// keeps which blocks these are, so that the write may follow what each of them has published; of words that several
/// warps change by atomics it keeps who they are (StrongWriters). Its memory is bounded; unchecked() says what it could
/// not watch because of that.
class Racecheck : public Observer {
 public:
  explicit Racecheck(FindingList& findings) : findings_(findings) {}
  /// Collects garbage records after every `roomy` new ones, rather than after the usual millions.
  Racecheck(FindingList& findings, std::uint32_t roomy) : findings_(findings), table_(roomy) {}

  /// Allows its shadow of global memory `slack` bytes beyond two per byte.
  void set_slack(std::uint64_t slack) { global_.set_slack(slack); }

  /// Whether a kernel so far, free of races as it may be, can do one thing or another depending on which block or warp
  /// comes first: it uses what atomics return, or has volatile or relaxed accesses.
  bool depends_on_order() const { return depends_on_order_; }
  /// What was not checked completely, one sentence per kernel.
  const std::vector<std::string>& unchecked() const { return unchecked_; }

  void launch_begins(const Launch& launch) override;
  void launch_ends(Launch& launch) override;
  void block_begins(const Block& block) override;
  void block_ends(const Block& block) override;
  void cluster_barrier_reached(const Warp& warp, const Insn* at, Mask lanes, bool releases) override;
  void cluster_barrier_opens(const Cluster& cluster) override;
  void cluster_barrier_passed(const Warp& warp, const Insn* at, Mask lanes) override;
  void barrier_reached(const Warp& warp, const Insn* at, Mask lanes, std::uint32_t id, std::uint32_t threads) override;
  void barrier_opens(const Block& block, std::uint32_t id, const std::vector<Mask>& arrived) override;
  void lanes_meet(const Warp& warp, Mask lanes) override;
  void fence(const Warp& warp, Mask lanes, bool device_wide) override;
  Mask access(const MemoryAccess& access) override;
  void copy_arrives(const MemoryAccess& store, const Code& code, const Insn* awaited_at) override;
  QuietRange quiet_range(const MemoryAccess& access) override;
  bool wants_noted_reads() const override { return true; }
  void reads_were_noted(const Block& block, const NotedReads& reads) override;

 private:
  /// What an instruction asks of the memory model, and who executed it last.
  struct Site {
    const Insn* insn = nullptr;
    const Code* code = nullptr;
    std::uint32_t number = 0;
    bool strong = false, acquires = false, releases = false, device_wide = false;
    bool is_bulk_copy = false, asks_mbarrier = false;
    bool is_store = false;             ///< st, in words up to kPiece bytes
    bool is_volatile = false;          ///< ld or st
    bool waits = false;                ///< a load until whose value changes its thread goes round a loop
    std::uint32_t bytes = 0;           ///< of one lane
    bool tells_of_reads = false;       ///< writes a word which says that what was read before it is over
    const WarpClock* clock = nullptr;  ///< `tag` stands for what its warp does here in `epoch`
    Epoch epoch = 0;
    AccessTag tag = 0;
  };
  /// What a kernel's code says by itself, found out when that is first asked.
  struct CodeFacts {
    bool is_read = false;  ///< the code, for these:
    bool depends_on_order = false, has_learner = false, has_acquirer = false, has_listener = false;
    std::vector<std::pair<std::size_t, std::size_t>> words;  ///< writers of words: numbers of function, instruction
    std::vector<std::uint8_t> of_instruction;                ///< by number: what is known, and above it, the answers
  };
  /// What has been published through a location.
  struct Published {
    std::uint32_t block = 0;
    std::shared_ptr<const BlockProgress> within_block;
    GridProgress grid;
    std::uint32_t grid_time = 0;         ///< of the latest fence that `grid` stands for
    std::uint32_t time = 0;              ///< of the latest publication
    SmallVector<WarpMoment, 1> seen_by;  ///< who has looked since the location was last changed, in order of warps
  };
  using PublishedAt = WordTable<Published>;
  /// What a bulk copy is on its way to, of shared memory, in a row.
  struct BulkTarget {
    static constexpr std::uint64_t kNotSaid = ~std::uint64_t{0};
    std::uint64_t begin = 0, end = 0;
    std::uint32_t pieces = 0;
    int lane = 0;                       ///< of the warp that copies
    std::uint64_t mbarrier = kNotSaid;  ///< that will be told, which is shown after the pieces
  };
  /// An access to shared memory of another block.
  struct Visit {
    Epoch epoch = 0;
    int lane = 0;
    const Site* site = nullptr;
    AccessKind kind = AccessKind::kLoad;
    std::uint64_t address = 0;
    Extent3 block, thread;
  };
  struct BlockState {
    std::uint32_t number = 0;
    std::vector<WarpClock> warps;
    std::vector<std::uint32_t> seen;  ///< by warp: the latest publication it has seen, wherever that was
    AccessTag first = 0;              ///< its accesses have tags of at least this
    AccessTag floor = 0;              ///< and those before its last barrier of all threads tags below this
    AccessShadow shared;
    bool unwritten = true;               ///< nobody has written shared memory since that barrier: reads are noted only
    std::uint32_t copies_under_way = 0;  ///< asynchronous ones, each lane's by itself
    std::unique_ptr<WrittenBytes> settled;  ///< bytes that are none's target; null until there is a copy
    std::vector<BulkTarget> bulk_targets;
    PublishedAt published;
    StrongWriters writers;
    std::map<std::uint32_t, std::map<std::uint32_t, WarpClock::Arrival>> gone_on;  ///< by barrier and warp: bar.arrive
    /// The latest access by each warp of other blocks of the cluster, by the numbers of block and warp.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Visit> visits;
  };
  /// What the barrier of a cluster passes on.
  struct ClusterState {
    std::map<std::uint32_t, std::map<std::uint32_t, WarpClock::Arrival>> arrived;  ///< by the numbers of block and warp
    GridProgress ended;      ///< what is known of blocks that have ended, for who waits when it opens next
    GridProgress opened;     ///< what is over for who waits at it
    std::uint32_t time = 0;  ///< when it last opened
    Epoch epoch = 0;         ///< with which warps go on then
  };
  /// The access under way.
  struct Current {
    const MemoryAccess& access;
    const Site& site;
    BlockState& block;
    BlockState& home;  ///< whose shared memory it is
    WarpClock& clock;
    AccessShadow& shadow;
    AccessTag floor;  ///< what has a tag below this is over
    AccessTag tag;    ///< of this access, without lanes
    // Found out on the way, for cells that follow:
    mutable AccessTag over = 0;        ///< number of a record that is over for every lane
    mutable AccessTag includes = ~0u;  ///< reads that are not, and that this one adds nothing to
  };
  /// One lane of it, or neighbours with one address.
  struct Lanes {
    int first;
    AccessTag tag;
  };
  /// Cells side by side that 16 lanes access, or fewer, lane after lane.
  struct Row {
    AccessTag* tags;
    std::uint32_t cells, per_lane;
    int first_lane;
    TagScan scan;

    bool made_by_same_lanes() const;
    void put(AccessTag tag) const;
  };

  /// A race that was seen again, and how often.
  struct Reported {
    std::string kind, file, array;
    Finding note;  ///< to be added if nothing worse is found between the two
    bool has_note = false;
    std::uint32_t line = 0;
    std::uint64_t again = 0;
    std::uint64_t look = 0;  ///< where it was seen last: an access is counted once, and by lane
    int lane = 0;
  };

  /// What is wrong with two accesses that nothing orders.
  enum class Race : std::uint8_t {
    kPlain,
    kUnderWay,        ///< the earlier one is a copy that may still arrive
    kLanes,           ///< lanes of a warp hand on a value by volatile accesses, as if they were in step
    kSameValue,       ///< both write the same
    kOneInstruction,  ///< lanes of a warp write different values to one place
  };

  /// Accesses are looked at in pieces of this many bytes at most.
  static constexpr std::uint32_t kPiece = 16;

  BlockState& state_of(const Block& block);
  BlockState& home_of(const MemoryAccess& access, BlockState& block);
  void report_visit(const Block& home, const Visit& visit);
  void all_threads_met(const Block& block, BlockState& state);
  static void is_about_to_write(const Block& block, BlockState& state);
  static Mask lanes_at_targets(const MemoryAccess& access, const BlockState& block);
  void copy_begins(const MemoryAccess& store, BlockState& block);
  void bulk_copy(const MemoryAccess& access, BlockState& block);
  static void await_bulk_copies(const MemoryAccess& access, BlockState& block);
  void report_copies(const MemoryAccess& access, const Site& site, BlockState& block, Mask lanes);
  void look_at(const MemoryAccess& access, Site& site, BlockState& block);
  Site& site_of(const MemoryAccess& access, const Code* code);
  template <class Find>
  bool fact_of(const MemoryAccess& access, const Code& code, int which, const Find& find);
  AccessTag tag_of(const MemoryAccess& access, Site& site, const BlockState& block, const WarpClock& clock);
  bool can_look_at(const WarpClock& clock);
  void note_unchecked();
  void report_unchecked(const std::string& sentence);
  void make_room();
  void acquire(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock);
  void publish(const MemoryAccess& access, const Site& site, BlockState& block, WarpClock& clock);
  void note_sight(Published& published, const WarpMoment& moment);
  void forget_sights(Published& published, const WarpMoment& writer);
  static std::uint64_t location_of(std::uint64_t address) { return address & ~std::uint64_t{3}; }

  void find_words(const Launch& launch);
  void read_code(const Launch& launch);
  void tell_of_reads(const MemoryAccess& access, const Site& site, const BlockState& block, WarpClock& clock);
  void hear_of_reads(const MemoryAccess& access, WarpClock& clock);
  bool has_heard_of(const Current& current, int by_lane, const AccessRecord& read) const;
  AccessTag fold_reads(const Current& current, AccessTag before, AccessTag read);

  bool adds_nothing_new(const MemoryAccess& access, Site& site, BlockState& block, const WarpClock& clock,
                        AccessShadow& shadow, AccessTag floor);
  bool is_first_write(const MemoryAccess& access, Site& site, BlockState& block, const WarpClock& clock,
                      AccessShadow& shadow, AccessTag floor);
  Mask check_halves(const Current& current);
  Mask check_row(const Current& current, int first_lane);
  Mask add_reads_in_parts(const Current& current, const Row& row);
  bool is_settled(const Current& current, const Row& row) const;
  bool add_reads(const Current& current, const Row& row);
  bool is_over_for_all(const Current& current, const AccessRecord& before) const;
  bool is_over_for_none(const Current& current, const AccessRecord& before) const;

  void check_lanes(const Current& current, Mask lanes);
  void check_piece(const Current& current, const Lanes& who, std::uint64_t address, std::uint32_t bytes,
                   AccessShadow::View& view);
  bool is_plainly_fine(const Current& current, const Lanes& who, AccessTag& write, AccessTag& read);
  bool joins_as_before(const Current& current, AccessTag& write, AccessTag& read) const;
  void check(const Current& current, const Lanes& who, std::uint64_t address, AccessTag& write, AccessTag& read);
  bool is_ordered(const Current& current, int by_lane, AccessRecord before) const;
  static bool is_behind(const Current& current, int by_lane, const WarpMoment& moment, int lane);
  bool has_seen(const Current& current, int by_lane, std::uint64_t address) const;
  bool is_over(const Current& current, int by_lane, std::uint64_t address, const AccessRecord& write) const;

  bool hands_on_in_step(const Current& current, int by_lane, const AccessRecord& before) const;
  bool writes_what_is_there(const Current& current, int lane, std::uint64_t address, const AccessRecord& before) const;
  bool writes_otherwise(const Current& current, int lane, const AccessRecord& others) const;
  void report(const Current& current, int lane, std::uint64_t address, const AccessRecord& before, bool before_wrote,
              Race race = Race::kPlain);
  void add_notes();
  std::string whose(const Current& current, const AccessRecord& before) const;

  FindingList& findings_;
  std::vector<std::string> unchecked_;
  const Launch* launch_ = nullptr;
  std::string kernel_name_;
  std::uint32_t time_ = 0;    ///< counts what is published; from 1
  bool watching_ = true;      ///< there are numbers left for records
  bool missed_some_ = false;  ///< an access of this launch was not looked at
  bool noted_reads_are_over_ = false;
  std::uint64_t looks_ = 0;  ///< accesses looked at
  AccessTable table_;
  std::unordered_map<const Block*, BlockState> blocks_;
  bool has_clusters_ = false;  ///< blocks of this launch reach each other's shared memory
  std::unordered_map<const Cluster*, ClusterState> clusters_;
  const Block* last_block_ = nullptr;
  BlockState* last_state_ = nullptr;
  std::vector<WarpClock*> meeting_;  ///< at the barrier that opens
  AccessShadow global_;
  PublishedAt published_;
  bool has_learner_ = false;   ///< a thread of this launch can learn of others by looking at a location
  bool has_acquirer_ = false;  ///< or counts as if it could: else, what is published is of no interest
  /// The latest write by atomics that joined earlier ones which are over for no lane of its warp.
  struct Joined {
    AccessTag by = ~0u;      ///< tag of the warp, without lanes
    AccessTag before = ~0u;  ///< number of the record that was there
    AccessTag now = 0;
  };
  Joined joined_writes_;  ///< kept if there is no acquirer: so, it stays as it is as long as the tag is in use
  static constexpr std::size_t kMostSights = 1 << 20;
  std::size_t sights_ = 0;  ///< in all `seen_by`; at kMostSights, a sight of anything later counts from then on
  StrongWriters writers_;
  bool has_listener_ = false;                                  ///< blocks of this launch can learn from each other
  std::unordered_set<const ptx::Instruction*> words_;          ///< that announce reads by what they write
  WordTable<std::shared_ptr<const GridProgress>> reads_told_;  ///< by the words there
  static constexpr std::uint32_t kMostHeard = 1 << 16;
  std::uint32_t heard_ = 0;  ///< words that warps have read; from kMostHeard on, all are taken to know of all reads
  ReaderSets readers_;       ///< kept if there is a listener
  bool depends_on_order_ = false;
  std::map<std::pair<std::string, std::size_t>, CodeFacts> code_facts_;  ///< by name and fingerprint
  CodeFacts* facts_ = nullptr;                                           ///< of this launch's kernel
  std::deque<Site> sites_;                                               ///< by number
  std::array<Site*, 1024> known_sites_{};
  std::unordered_map<const Insn*, Site*> sites_of_;
  std::unordered_map<std::uint64_t, Reported> reported_;  ///< by the numbers of the two sites
};

}  // namespace vgpu
