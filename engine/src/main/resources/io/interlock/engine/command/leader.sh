# Reports its session to the guard, then becomes the command. If the guard is gone, so is the process that started this.
#
# $1 process id of the guard; the rest is the command
#
# No variables: one that the command's environment has too would change there.

echo "leader $$" 2>/dev/null >"/proc/$1/fd/0" || exit 125
exec 2>&9 9>&-

# Only an exec that failed comes back: bash then goes on here, other shells run the trap.
trap "echo \"unexecuted \$?\" 2>/dev/null >/proc/$1/fd/1" EXIT
if [ -n "$BASH_VERSION" ]; then
    shopt -s execfail 2>/dev/null
fi
shift
exec "$@"
exit $?
