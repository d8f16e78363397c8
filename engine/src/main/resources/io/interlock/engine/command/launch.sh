# Starts a command in a session of its own, waits for it and ends as it ended.
#
# $1 process id of the guard · $2 exact or plain: what the setsid here can do · the rest: setsid, sh, leader.sh and the command
#
# "exact": setsid waits, and says on its stderr when the command was ended by a signal, so that this differs from an exit code above
# 128. "plain": this shell waits, and the two look alike.
#
# No variables: one that the command's environment has too would change there.

echo "keep $$" 2>/dev/null >"/proc/$1/fd/0" || exit 125

# Descriptor 9 is the command's stderr from here on; ours goes to the process that reads the stdout of the guard.
exec 9>&2 2>"/proc/$1/fd/1"

if [ "$2" = exact ]; then
    shift 2
    exec "$@"
fi
shift 2
"$@" 2>/dev/null
exit $?
