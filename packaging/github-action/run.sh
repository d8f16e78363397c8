#!/usr/bin/env bash
# The step of action.yml, which sets the variables. Exit code: that of the command; 75 if the key was held by another.
set -euo pipefail

command -v interlock >/dev/null || {
    echo "::error::interlock is not on the PATH of this runner; install its package first"
    exit 127
}
# Empty means not given.
for name in INTERLOCK_SERVER INTERLOCK_API_KEY INTERLOCK_STORE; do
    [ -n "${!name:-}" ] || unset "$name"
done
wait=(-n)
[ -z "${ACTION_WAIT:-}" ] || wait=(-w "$ACTION_WAIT")
# shellcheck disable=SC2086 # the options are words
exec interlock run "${wait[@]}" ${ACTION_OPTIONS:-} "$ACTION_KEY" -- bash -eo pipefail -c "$ACTION_RUN"
