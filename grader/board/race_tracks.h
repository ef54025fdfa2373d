// Prepares the entries of a board for the race on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/board/competition.h"
#include "grader/board/race.h"
#include "grader/class/graded_class.h"
#include "grader/workplace/workplace.h"

namespace lanewise {

struct RaceTracksRequest {
  const Competition* competition = nullptr;
  const std::vector<LabSelection>* labs = nullptr;
  const GradedClass* graded = nullptr;
  const Workplace* workplace = nullptr;  ///< on the GPU; times on the virtual one would mean nothing
  std::uint64_t seed = 0;
};

/// A track for each case of the competition, with every fit entry built for the GPU and audited again; entries that do
/// not pass are no longer fit. Fills in the board's cases, without marks. What the request points to must outlive the
/// tracks. The failure says what the race lacks: a race case, a reference, a working compiler.
Expected<std::vector<RaceTrack>> race_tracks(const RaceTracksRequest& request, Board& board);

}  // namespace lanewise
