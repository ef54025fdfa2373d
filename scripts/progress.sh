# shellcheck shell=bash
# Progress output for scripts that take a while; other scripts source it.

say() { printf 'lanewise: %s\n' "$*"; }
stop() {
  say "$*" >&2
  exit 3
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# The remaining seconds, rounded to what is known.
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
# Reads until the command ends. A line "[3/120] TEXT" reports its progress; any other line is printed. On a terminal, one
# line is updated every second; otherwise, a line is printed at the start and every half minute. A command that takes less
# than two seconds gets neither.
progress() {
  local what=$1 columns=0 rc part line="" step=0 total=0 text="" begin=$SECONDS steps_begin=$SECONDS finish=0 now left next=2 open=""
  trap '' INT # on Ctrl-C the command ends, and its last output matters
  [ -t 1 ] && columns=$(tput cols 2> /dev/null || echo 80)
  while :; do
    rc=0
    IFS= read -r -t 1 part || rc=$?
    line+=$part
    if ((rc > 128)); then # a second without output
      :
    elif ((rc > 0)) && [ -z "$line" ]; then
      break
    else
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]]; then
        ((BASH_REMATCH[1] > step)) || steps_begin=$SECONDS # a new count begins
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
