#!/bin/bash
# Usage: slurm_site.sh start FOLDER [PID] | stop FOLDER | end FOLDER NAME | crash FOLDER NAME | cut FOLDER NODE | run FOLDER NAME
# A real Slurm for tests: munged, slurmctld and the slurmd of three nodes n1, n2, n3 on loopback, run by the current user (root
# or not), with all their files in FOLDER. `start` prints SLURM_CONF=FILE once every node is idle; when the process PID ends, so
# does the site. `end` stops one daemon (n1, slurmctld, ...), which saves its state, and `crash` kills it; jobs go on. `cut` kills
# all of a node as a power cut does, and `run` starts a daemon again. Packages: slurmctld slurmd slurm-client munge; none needs to run as a service.
#
# How it differs from a production site: the nodes are one machine, so they share processors and files; the GPUs of n2 and n3
# are /dev/null; nothing confines a job (no cgroups); there is no accounting, so sacct fails; and timeouts are seconds instead
# of minutes: a node is found dead within about 6 s, and a requeued job starts again after about 6 s.
set -euo pipefail

die() {
  echo "slurm_site.sh: $*" >&2
  exit 1
}

# Runs a daemon in a session of its own.
run() { # NAME
  local command=(slurmd -D -N "$1" -f "$SLURM_CONF")
  case $1 in
    slurmctld) command=(slurmctld -D -f "$SLURM_CONF") ;;
    munged)
      command=(munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" --pid-file="$folder/munged.pid"
        --log-file="$folder/munged.log" --seed-file="$folder/munged.seed")
      ;;
  esac
  setsid "${command[@]}" < /dev/null >> "$folder/$1.out" 2>&1 &
  wait_for grep -qx "${command[0]}" "/proc/$!/comm" || true # it is in its own session now
}

# Daemons and steps of jobs are known by the files that they hold open, and tasks by a variable.
daemons() { find /proc/[0-9]*/fd -lname "$folder/$1.out" 2> /dev/null | cut -d / -f 3 | sort -u; }
steps() { find /proc/[0-9]*/fd -lname "$folder/$1.log" 2> /dev/null | cut -d / -f 3 | sort -u; }
tasks() { grep -lzx "LANEWISE_SLURM_TASK=$folder/${1/\*/.*}" /proc/[0-9]*/environ 2> /dev/null | cut -d / -f 3; }
end() {
  daemons "$1" | xargs -r kill -TERM 2> /dev/null || true
  wait_for gone "$1" || die "$1 does not stop"
}
gone() { [ -z "$(daemons "$1")" ]; }
crash() { daemons "$1" | xargs -r kill -KILL 2> /dev/null || true; }
cut_power() { # the daemon first, or it would tell the controller what happened
  crash "$1"
  steps "$1" | xargs -r kill -KILL 2> /dev/null || true
  tasks "$1" | xargs -r kill -KILL 2> /dev/null || true
}

wait_for() { # COMMAND ...
  local i
  for ((i = 0; i < 200; ++i)); do
    ! "$@" > /dev/null 2>&1 || return 0
    sleep 0.05
  done
  return 1
}
all_idle() { [ "$(sinfo -h -N -p cpu -t idle -o %N | sort -u | wc -l)" -eq ${#nodes[@]} ]; }

# The first of five neighbouring ports that nothing listens on.
free_ports() {
  local base port
  while :; do
    base=$((20000 + RANDOM % 10000))
    for ((port = base; port < base + 5; ++port)); do
      ! (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || continue 2
    done
    echo "$base"
    return
  done
}

configure() {
  local port user name gres=""
  port=$(free_ports)
  user=$(id -un)
  cat > "$folder/slurm.conf" << END
ClusterName=lanewise
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$folder/mark
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=1
MessageTimeout=2
SlurmdTimeout=2
SlurmctldTimeout=3
InactiveLimit=0
KillWait=1
MinJobAge=300
ReturnToService=2
JobRequeue=1
MaxArraySize=1001
GresTypes=gpu
SlurmdParameters=config_overrides
END
  for name in "${nodes[@]}"; do
    port=$((port + 1))
    [ "$name" = n1 ] && gres="" || gres=" Gres=gpu:1"
    mkdir -p "$folder/spool/$name"
    echo "NodeName=$name NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$port CPUs=2 RealMemory=1024 State=UNKNOWN$gres"
  done >> "$folder/slurm.conf"
  cat >> "$folder/slurm.conf" << END
PartitionName=cpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=gpu Nodes=n[2-3] MaxTime=INFINITE State=UP
END
  # What it prints gets into each task's environment.
  printf '%s\n' '#!/bin/sh' "echo export LANEWISE_SLURM_TASK=$folder/\$SLURMD_NODENAME" > "$folder/mark"
  chmod +x "$folder/mark"
  echo 'NodeName=n[2-3] Name=gpu File=/dev/null' > "$folder/gres.conf"
}

start() {
  local name
  for name in munged slurmctld slurmd sbatch; do
    type -P "$name" > /dev/null || die "$name was not found: scripts/prepare.sh test-all"
  done
  mkdir -p "$folder/state"
  chmod 755 "$folder"
  (umask 077 && head -c 128 /dev/urandom > "$folder/munge.key")
  configure
  run munged
  wait_for munge -S "$folder/munge.socket" -n || return 1
  for name in slurmctld "${nodes[@]}"; do run "$name"; done
  wait_for all_idle
}

[ $# -ge 2 ] || die "usage: slurm_site.sh start|stop|end|crash|cut|run FOLDER [NAME | PID]"
PATH=$PATH:/usr/sbin:/sbin
nodes=(n1 n2 n3)
folder=$(realpath -m "$2")
export SLURM_CONF=$folder/slurm.conf
case $1 in
  start)
    start || {
      tail -n 5 "$folder"/*.out >&2
      cut_power '*'
      die "the site in $folder did not come up; the last lines of its daemons are above"
    }
    # shellcheck disable=SC2016  # it is the inner shell that expands them
    [ $# -lt 3 ] || setsid bash -c 'tail --pid="$1" -f /dev/null; exec "$0" stop "$2"' \
      "$(realpath "$0")" "$3" "$folder" < /dev/null > /dev/null 2>&1 &
    echo "SLURM_CONF=$SLURM_CONF"
    ;;
  stop) cut_power '*' ;;
  end) end "$3" ;;
  crash) crash "$3" ;;
  cut) cut_power "$3" ;;
  run) run "$3" ;;
  *) die "there is no command '$1'" ;;
esac
