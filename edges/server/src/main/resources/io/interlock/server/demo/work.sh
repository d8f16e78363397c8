#!/bin/sh
# work.sh SECONDS EXIT-CODE STAGE…: goes through the stages, each as long as it says, and reports.
seconds=$1 code=$2
shift 2
for stage in "$@"; do
    echo "::interlock stage=$stage progress=0/$seconds"
    done=0
    while [ "$done" -lt "$seconds" ]; do
        sleep 1
        done=$((done + 1))
        echo "::interlock progress=$done/$seconds"
    done
    echo "$stage took $seconds s"
done
[ "$code" = 0 ] || echo "the other side does not answer" >&2
exit "$code"
