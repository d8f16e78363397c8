#!/usr/bin/env bash
# A worker for Interlock that needs only bash and curl: it claims runs of a job, executes a command for each, and reports the outcome.
#
#   INTERLOCK_SERVER=http://localhost:8080 INTERLOCK_API_KEY=... ./worker.sh JOB COMMAND [ARG...]
#
# The command gets the parameters as JSON on its input, and INTERLOCK_RUN_ID and INTERLOCK_TOKEN, the fencing token to write with. Lines
# like "::interlock stage=load progress=3/20" on its output report progress. TERM ends the worker after its run.
set -u
[[ $# -ge 2 ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64; }
server=${INTERLOCK_SERVER:-http://localhost:8080}/api/v1
api_key=${INTERLOCK_API_KEY:?is not set}
unset INTERLOCK_API_KEY          # the command does not need it
job=$1; shift
out=$(mktemp); trap 'rm -f "$out"' EXIT
stopping=; trap 'stopping=1' TERM INT

# post PATH JSON SECONDS: sets status and answer. Repeats the request for this long while the server does not answer.
post() {
  local patience=$(( ${3%.*} > 1 ? ${3%.*} : 1 ))
  answer=$(curl -s --max-time $patience --retry 100 --retry-delay 1 --retry-max-time $patience --retry-connrefused \
    -H @<(echo "x-api-key: $api_key") -H 'Content-Type: application/json' -d "$2" -w '\n%{http_code}' "$server$1")
  status=${answer##*$'\n'} answer=${answer%$'\n'*}
}

# insist PATH JSON: repeats a request until it is answered, and not by a page of a proxy. Claims and finishes may be repeated: the same
# request gets the same answer. What a claim without an answer took is left to others when the worker is to end.
insist() {
  until post "$1" "$2" 40; [[ $status == 2?? && $answer == \{* || $status == [34]?? && $status != 429 ]]; do
    [[ $stopping && $1 == /claims ]] && exit
    sleep 1
  done
}

# heartbeat [FIELDS]: whether the lease is renewed
heartbeat() {
  post "/runs/$run/heartbeat" "{$proof${1:-}}" "$every"
  [[ $status == 200 && $answer == *'"expiresAt"'* ]]
}

# report: the last stage and progress that the command reported
report() {
  local line
  line=$(grep '^::interlock ' "$out" | tail -n 1)
  [[ $line =~ stage=([A-Za-z0-9_.-]+) ]] && echo -n ",\"stage\":\"${BASH_REMATCH[1]}\""
  [[ $line =~ progress=([0-9]+)/([0-9]+) ]] && echo -n ",\"progress\":{\"done\":${BASH_REMATCH[1]},\"total\":${BASH_REMATCH[2]}}"
}

# Heartbeats while the command runs; sets verdict when it has to stop. The lease lasts three times heartbeatEvery: a heartbeat that has
# no answer after one more is given up, and the command is stopped before the key can be granted again.
hold() {
  while kill -0 "$command" 2> /dev/null; do
    heartbeat "$(report)" || verdict=lost
    [[ $answer == *'"cancelRequested":true'* ]] && verdict=cancelled
    case $verdict in
      lost) stop 0.5; return ;;
      cancelled) stop 2; return ;;
    esac
    sleep "$every" & wait -n "$command" $!
  done
}

# stop GRACE: TERM, and KILL after so many times heartbeatEvery
stop() {
  kill -- "-$command" 2> /dev/null
  sleep "$(awk "BEGIN { print $1 * $every }")" & wait -n "$command" $!
  kill -KILL -- "-$command" 2> /dev/null
}

granted='"token":([0-9]+),"leaseId":"([^"]+)","expiresAt":"[^"]+","heartbeatEvery":"PT([0-9HMS.]+)","parameters":(.*)\}\]\}$'
while [[ ! $stopping ]]; do
  claim=$(uuidgen 2> /dev/null || cat /proc/sys/kernel/random/uuid)
  insist /claims "{\"claimId\":\"$claim\",\"worker\":\"$HOSTNAME/$$\",\"jobs\":[\"$job\"],\"max\":1,\"wait\":\"10s\"}"
  [[ $status == 200 ]] || { echo "worker: $status $answer" >&2; exit 1; }
  [[ $answer =~ \"run\":\{\"id\":\"([^\"]+)\" ]] || continue
  run=${BASH_REMATCH[1]}
  [[ $answer =~ $granted ]] || { echo "worker: cannot read $answer" >&2; exit 1; }
  token=${BASH_REMATCH[1]} proof="\"token\":${BASH_REMATCH[1]},\"leaseId\":\"${BASH_REMATCH[2]}\"" parameters=${BASH_REMATCH[4]}
  heartbeat_every=${BASH_REMATCH[3]}
  while [[ $parameters =~ ^(.*),\"[A-Za-z]+\":\"[^\"]*\"$ ]]; do parameters=${BASH_REMATCH[1]}; done      # what comes after them
  every=$(awk "BEGIN { print $(sed 's/H/*3600+/; s/M/*60+/; s/S/+/; s/$/0/' <<< "$heartbeat_every") }")      # 1M40S is 100

  heartbeat || continue      # a claim whose answer was late may bring a lease that is nearly over: left to others
  : > "$out"; verdict=
  set -m          # a separate process group, so that all of it can be stopped
  INTERLOCK_RUN_ID=$run INTERLOCK_TOKEN=$token "$@" <<< "$parameters" > "$out" &
  command=$!
  set +m
  hold
  wait "$command"; code=$?
  grep -v '^::interlock ' "$out"
  case $verdict:$code in
    lost:*) continue ;;          # the lease is lost: do not send a finish
    cancelled:*) ending='"outcome":"ABORTED","error":{"code":"CANCELLED","message":"stopped as asked"}' ;;
    :0) ending='"outcome":"SUCCEEDED"' ;;
    *) ending="\"outcome\":\"FAILED\",\"error\":{\"code\":\"COMMAND_FAILED\",\"message\":\"ended with $code\"}" ;;
  esac
  insist "/runs/$run/finish" "{$proof,$ending}"
done
