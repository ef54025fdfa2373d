// Exit codes of `lanewise`, the same for every subcommand.
#pragma once

namespace lanewise {

inline constexpr int kExitDone = 0;           ///< also when a student scored 0
inline constexpr int kExitNotGraded = 1;      ///< a submission could not be graded, or is below what was required
inline constexpr int kExitUsage = 2;          ///< the command line makes no sense
inline constexpr int kExitEnvironment = 3;    ///< something lanewise needs is missing or broken
inline constexpr int kExitInterrupted = 130;  ///< by Ctrl-C, as shells say it

}  // namespace lanewise
