// What tests of an executor rely on: jobs of a site run, survive what fails, and are gone with the process that started
// it.
#include "grader/executors/testing/slurm_site.h"

#include <gtest/gtest.h>

namespace lanewise {

namespace slurm_site_test {

using Answer = SlurmSite::Answer;

class SlurmSiteFlow : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(site_.is_up()) << site_.says(); }

  std::string submit(const std::string& arguments) {
    const Answer answer = site_.shell("sbatch --parsable " + arguments);
    EXPECT_EQ(answer.exit_code, 0) << answer.text;
    return answer.text.substr(0, answer.text.find('\n'));
  }
  // "TASK STATE" of each task in an array, in order.
  std::string states(const std::string& job) {
    return site_.shell("squeue -h -r -t all -o '%K %T' -j " + job + " | sort -n").text;
  }

  SlurmSite site_;
};

TEST_F(SlurmSiteFlow, RunsAnArraySoManyAtATime) {
  const std::string job = submit("--array=0-5%3 -o out_%a --wrap 'squeue -h -r -t running | wc -l; sleep 0.5'");
  ASSERT_TRUE(site_.comes_to("cat out_*; squeue -h -r -t completed -j " + job + " | wc -l", "6\n")) << states(job);
  EXPECT_EQ(states(job), "0 COMPLETED\n1 COMPLETED\n2 COMPLETED\n3 COMPLETED\n4 COMPLETED\n5 COMPLETED\n");
  EXPECT_EQ(site_.shell("cat out_* | awk '$1 < 1 || $1 > 3' | wc -l").text, "0\n") << site_.shell("cat out_*").text;
  EXPECT_EQ(site_.shell("cat out_* | wc -l").text, "6\n");
}

TEST_F(SlurmSiteFlow, GivesTheGpuToOneTaskAtATime) {
  submit(
      "-p gpu -N1 --gres=gpu:1 --exclusive --array=0-2 -o gpu_%a --wrap 'echo $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES'");
  ASSERT_TRUE(site_.comes_to("cat gpu_* | wc -l", "3"));
  EXPECT_EQ(site_.shell("cat gpu_* | grep -c '^n[23] 0$'").text, "3\n") << site_.shell("cat gpu_*").text;
  EXPECT_EQ(site_.shell("sbatch --gres=gpu:2 -N1 --wrap true").exit_code, 1) << "no node has two";
}

TEST_F(SlurmSiteFlow, RequeuesWhatANodeLosesAndKeepsTheRest) {
  const std::string job = submit(
      "--array=1-3 -N1 --exclusive -o lost_%a --open-mode=append "
      "--wrap 'echo $SLURMD_NODENAME ${SLURM_RESTART_COUNT:-0}; sleep 2; echo done'");
  ASSERT_TRUE(site_.comes_to("cat lost_* | wc -l", "3")) << states(job);
  // Nothing of n2 is left to say that its task ended; those of n1 and n3 go on without daemons.
  site_.cut_power_of("n2");
  site_.crash("n1");
  site_.end("slurmctld");
  EXPECT_NE(site_.shell("squeue").exit_code, 0);
  for (const char* name : {"slurmctld", "n1"}) site_.run_again(name);
  ASSERT_TRUE(site_.comes_to("sinfo -h -N -p cpu -n n2 -o %T", "down"));
  ASSERT_TRUE(site_.comes_to("squeue -h -r -t completed -j " + job + " | wc -l", "3")) << states(job);
  EXPECT_EQ(site_.shell("cat lost_* | grep -c '^n2 0$'").text, "1\n");
  EXPECT_EQ(site_.shell("cat lost_* | grep -c '^n[13] 1$'").text, "1\n") << site_.shell("cat lost_*").text;
  EXPECT_EQ(site_.shell("cat lost_* | grep -c done").text, "3\n") << site_.shell("cat lost_*").text;

  site_.run_again("n2");
  EXPECT_TRUE(site_.comes_to("sinfo -h -N -p cpu -n n2 -o %T", "idle"));
}

TEST_F(SlurmSiteFlow, EndsWithTheProcessItIsFor) {
  submit("-o of_a_job --wrap 'echo started; exec sleep 271'");
  ASSERT_TRUE(site_.comes_to("cat of_a_job", "started"));
  // Of each daemon, and of the job.
  const std::string left = "find /proc/[0-9]*/fd -lname '" + site_.folder().string() + "/*' 2> /dev/null | wc -l";
  EXPECT_NE(site_.shell(left).text, "0\n");
  EXPECT_EQ(site_.shell(LANEWISE_SLURM_SITE " stop " + site_.folder().string()).exit_code, 0);
  EXPECT_TRUE(site_.comes_to(left, "0\n", std::chrono::seconds(5)));

  const Answer second = site_.shell("sleep 2 & " LANEWISE_SLURM_SITE
                                    " start second $! && SLURM_CONF=second/slurm.conf squeue -h && wait");
  EXPECT_EQ(second.exit_code, 0) << second.text;
  EXPECT_TRUE(site_.comes_to(left, "0\n", std::chrono::seconds(5)));
}

}  // namespace slurm_site_test

}  // namespace lanewise
