# Watches over one command on behalf of the process that started it, and outlives both.
#
# $1     the mark that everything the command starts has in its environment
# stdin  a pipe that only the starting process holds open: when it dies, however that may be, the pipe ends.
#        Lines: "keep PID" and "leader PID" from launch.sh and leader.sh; "signal NAME", "pace SECONDS", "leash TIME", "cleanup FILE" and
#        "end" from the starting process; "tick TIME" from the guard's own clock
# stdout what the starting process should know
#
# Uses nothing but POSIX sh, and grep with -z, as GNU and BusyBox have it.

mark=$1
kept=
leader=
found=
leash=
clock=
cleanup=

# Only KILL ends the guard before its work is done. PIPE is ignored too: the process that reads its stdout may be gone.
trap '' HUP INT QUIT TERM PIPE

say() {
    printf '%s\n' "$*" 2>/dev/null
}

# Process ids from paths below /proc, except that of the process that waits for the command and returns its exit code.
ids() {
    for path in "$@"; do
        id=${path#/proc/}
        id=${id%%/*}
        [ "$id" = "$kept" ] || printf ' %s' "$id"
    done
}

# In a line of /proc/PID/stat the state, parent, group and session follow the last parenthesis; Z and X are dead.
with_stat() {
    ids $(grep -lsE "\) [^ZX] $1 " /proc/[0-9]*/stat)
}

# Everything of the command: its session; processes that left it but still have the mark; and the children of all these, since
# one of them may have left the session and wiped its environment.
look() {
    found=$(ids $(grep -lszF "$mark" /proc/[0-9]*/environ))
    [ -z "$leader" ] || found="$found$(with_stat "[0-9]+ [0-9]+ $leader")"
    edge=$found
    while [ -n "$edge" ]; do
        next=
        for id in $(with_stat "($(printf '%s|' $edge)none)"); do
            case "$found " in
                *" $id "*) ;;
                *) next="$next $id" ;;
            esac
        done
        found=$found$next
        edge=$next
    done
}

# Sends a signal to each process in the session once: to the group in one step, then to those in other groups. A process that has
# left the session is spared until the sweep: another guard may watch over it and pass signals on to it.
pass_on() {
    [ -n "$leader" ] || return
    group=$(with_stat "[0-9]+ $leader")
    others=$(with_stat "[0-9]+ [0-9]+ $leader")
    kill -s "$1" -- "-$leader" 2>/dev/null
    for id in $others; do
        case "$group " in
            *" $id "*) ;;
            *) kill -s "$1" "$id" 2>/dev/null ;;
        esac
    done
    # A stopped process receives the signal only when it goes on.
    kill -s CONT -- "-$leader" 2>/dev/null
}

# Kills until two looks in a row find no process: one that forks during a look is found by the next.
sweep() {
    quiet=0
    rounds=0
    while [ "$quiet" -lt 2 ]; do
        # First look, then kill: a process that loses its parent may not be found any more.
        look
        [ -z "$leader" ] || kill -s KILL -- "-$leader" 2>/dev/null
        if [ -z "$found" ]; then
            quiet=$((quiet + 1))
            continue
        fi
        quiet=0
        rounds=$((rounds + 1))
        kill -s KILL $found 2>/dev/null
        if [ "$rounds" -gt 600 ]; then
            say "survivors$found"
            return
        elif [ "$rounds" -gt 60 ]; then
            sleep 1
        elif [ "$rounds" -gt 6 ]; then
            sleep 0.05 2>/dev/null || sleep 1
        fi
    done
}

# Writes every $1 seconds what time it is, until the guard reads no more. It opens the guard's pipe only to write, or that would
# never end; and the guard's stdout not at all, or that would not end with the guard.
tick() {
    exec >/dev/null 2>&1
    # Some sleep for whole seconds only; one that was killed was woken.
    while sleep "$1" || [ "$?" -gt 128 ] || sleep 1; do
        read -r up rest </proc/uptime &&
            echo "tick ${up%.*}${up#*.}" >"/proc/$$/fd/0" || return
    done
}

# The starting process has said until when the command may go on without another word. It may be stopped, or hang. Time is what
# /proc/uptime says, in hundredths of a second: it goes on while a machine sleeps. It counts when the tick was said, not when it is
# heard: a guard that is late has not heard yet what was said in between.
ticked() {
    [ -n "$leash" ] || return
    if [ "$1" -ge "$leash" ]; then
        # What has yet to begin is too late as well.
        [ -z "$leader" ] || leash=
        say overdue
        sweep
    fi
}

while IFS= read -r line; do
    case $line in
        "keep "*) kept=${line#keep } ;;
        "leader "*)
            leader=${line#leader }
            say "$line"
            ;;
        "signal KILL") sweep ;;
        "signal "*) pass_on "${line#signal }" ;;
        "pace "*)
            tick "${line#pace }" &
            clock=$!
            ;;
        "leash "*) leash=${line#leash } ;;
        "tick "*) ticked "${line#tick }" ;;
        "cleanup "*) cleanup=${line#cleanup } ;;
        end)
            # The starting process is alive, and removes the file itself.
            cleanup=
            break
            ;;
    esac
done

# From here on no process can report any more, since a directory cannot be written to, and a command that cannot report does not start.
exec </
sweep
[ -z "$cleanup" ] || rm -f -- "$cleanup"
say "over"
# Killing its sleep wakes the clock, which can no longer write to the guard and ends. Each is reaped by its parent; without one, it
# could stay a zombie.
if [ -n "$clock" ]; then
    kill -s KILL $(with_stat "$clock") 2>/dev/null
    wait "$clock"
fi
exit 0
