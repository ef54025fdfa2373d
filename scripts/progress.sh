# shellcheck shell=bash
# What scripts that keep somebody waiting say meanwhile; build.sh and prepare.sh source it.

say() { printf 'lanewise: %s\n' "$*"; }
stop() {
  say "$*" >&2
  exit 3
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# How many seconds are left, as roughly as it is known.
about() {
  if (($1 >= 90)); then
    echo "about $((($1 + 30) / 60)) min"
  elif (($1 >= 10)); then
    echo "about $((($1 + 9) / 10 * 10)) s"
  else
    echo "a few seconds"
  fi
}

# COMMAND | progress WHAT
# Reads until the command ends. "[3/120] TEXT" says how far it is; any other line is printed. On a terminal one line moves
# every second; elsewhere there is a line at the start and one every half a minute. Less than two seconds need neither.
progress() {
  local what=$1 columns=0 rc part line="" step=0 total=0 text="" begin=$SECONDS steps_begin=$SECONDS finish=0 now left next=2 open=""
  trap '' INT # at Ctrl-C the command ends, and its last words count
  [ -t 1 ] && columns=$(tput cols 2> /dev/null || echo 80)
  while :; do
    rc=0
    IFS= read -r -t 1 part || rc=$?
    line+=$part
    if ((rc > 128)); then # a second without a word
      :
    elif ((rc > 0)) && [ -z "$line" ]; then
      break
    else
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
        ((BASH_REMATCH[1] > step)) || steps_begin=$SECONDS # another count begins
        step=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} text=${BASH_REMATCH[3]##*/} text=${text%.o} now=$((SECONDS - steps_begin))
        finish=0
        ((now < 5 || step < 3)) || finish=$((SECONDS + now * (total - step) / step))
      else
        printf '%s%s\n' "$open" "$line"
        open=""
      fi
      line=""
    fi
    now=$((SECONDS - begin)) left=""
    ((finish <= SECONDS)) || left=", $(about $((finish - SECONDS))) left"
    ((total == 0)) || left=" [$step/$total]$left"
    if ((columns > 0 && (total > 0 || now >= 2))); then
      part="$what $(minutes "$now")$left${text:+  $text}"
      printf '\r\033[K%s' "${part:0:columns-1}"
      open=$'\r\033[K'
    elif ((columns == 0 && now >= next)); then
      if ((next == 2)); then say "$what"; else say "$what $(minutes "$now")$left"; fi
      next=$((now / 30 * 30 + 30))
    fi
  done
  printf '%s' "$open"
}
