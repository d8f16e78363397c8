#!/usr/bin/env python3
"""A worker for Interlock that needs only Python: it claims runs of a job, executes a command for each, and reports the outcome.

    INTERLOCK_SERVER=http://localhost:8080 INTERLOCK_API_KEY=... ./worker.py JOB COMMAND [ARG...]

The command gets the parameters as JSON on its input, and INTERLOCK_RUN_ID, INTERLOCK_KEY and INTERLOCK_TOKEN, the fencing token to
write with. Lines like "::interlock stage=load progress=3/20" on its output tell how far it is. TERM ends the worker after its run.
"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

SERVER = os.environ.get("INTERLOCK_SERVER", "http://localhost:8080") + "/api/v1"
API_KEY = os.environ["INTERLOCK_API_KEY"]
NAME = f"{socket.gethostname()}/{os.getpid()}"
GRACE = 10  # seconds between TERM and KILL, or less if the lease would end before
stopping = threading.Event()


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API key belongs to this server alone."""

    def redirect_request(self, *words):
        return None


opener = urllib.request.build_opener(NoRedirects)


def post(path, body, timeout):
    """The status of the answer and its JSON; status 0 if the server did not answer, but for example a proxy."""
    headers = {"Content-Type": "application/json", "x-api-key": API_KEY}
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers)
    try:
        try:
            answer = opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            status, text = answer.getcode(), answer.read()
    except (OSError, http.client.HTTPException):
        return 0, {}
    try:
        facts = json.loads(text)
    except ValueError:
        facts = None
    if status == 429 or status >= 500 or (status < 300 and not isinstance(facts, dict)):
        return 0, {}
    return status, facts if isinstance(facts, dict) else {}


def insist(path, body, is_over=lambda: False):
    """Repeats a request until it is answered. Claims and finishes may be repeated: the same request gets the same answer."""
    while True:
        status, answer = post(path, body, timeout=40)
        if status or is_over():
            return status, answer
        time.sleep(1)


def seconds(duration):
    """PT1M40S is 100.0."""
    parts = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", duration).groups()
    return sum(float(part or 0) * unit for part, unit in zip(parts, (3600, 60, 1)))


class Attempt:
    """One claimed run. Its lease lasts three times heartbeatEvery, counted from before the heartbeat was sent."""

    def __init__(self, item):
        self.run, self.parameters = item["run"], item["parameters"]
        self.path = "/runs/" + self.run["id"]
        self.proof = {"leaseId": item["leaseId"], "token": item["token"]}
        self.every = seconds(item["heartbeatEvery"])
        self.report, self.lost, self.cancelled = {}, False, False

    def is_confirmed(self):
        """Renews the lease before anything is begun: a claim whose answer was late may bring one that is nearly over."""
        begun = time.monotonic()
        while True:
            self.renewed = time.monotonic()
            status, answer = post(self.path + "/heartbeat", self.proof, timeout=self.every)
            if status == 200 and "expiresAt" in answer:
                return True
            if status not in (0, 200) or time.monotonic() - begun > 2 * self.every:
                return False
            time.sleep(min(1, self.every / 4))

    def hold(self, command):
        """Sends heartbeats while the command runs. Stops the command on request, and before its lease could have ended."""
        while command.poll() is None:
            sent = time.monotonic()
            status, answer = post(self.path + "/heartbeat", {**self.proof, **self.report}, timeout=self.every)
            if status == 200 and "expiresAt" in answer:
                self.renewed, self.cancelled = sent, answer["cancelRequested"]
            self.lost = status not in (0, 200) or time.monotonic() - self.renewed > 2 * self.every
            if self.lost or self.cancelled:
                return stop(command, self.renewed + 2.5 * self.every - time.monotonic())
            try:
                command.wait(self.every if status else min(1, self.every / 4))
            except subprocess.TimeoutExpired:
                pass

    def listen(self, output):
        for line in output:
            if found := re.match(r"::interlock(?: stage=(\S+))?(?: progress=(\d+)/(\d+))?", line):
                stage, done, total = found.groups()
                progress = {"progress": {"done": int(done), "total": int(total)}} if done else {}
                self.report = {**self.report, **({"stage": stage} if stage else {}), **progress}
            else:
                sys.stdout.write(line)

    def work(self, words):
        if not self.is_confirmed():
            return  # left to others
        facts = {"RUN_ID": self.run["id"], "KEY": self.run["key"], "TOKEN": str(self.proof["token"])}
        variables = {**os.environ, **{"INTERLOCK_" + name: value for name, value in facts.items()}}
        variables.pop("INTERLOCK_API_KEY")
        command = subprocess.Popen(
            words, env=variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        listener = threading.Thread(target=self.listen, args=(command.stdout,), daemon=True)
        listener.start()
        try:
            command.stdin.write(json.dumps(self.parameters))
            command.stdin.close()
        except BrokenPipeError:
            pass  # the command does not read them
        self.hold(command)
        if self.lost:
            return  # the lease is lost: do not send a finish
        listener.join(GRACE)
        ending = {"outcome": "SUCCEEDED"}
        if self.cancelled:
            ending = {"outcome": "ABORTED", "error": {"code": "CANCELLED", "message": "stopped as asked"}}
        elif command.returncode:
            message = f"{words[0]} ended with {command.returncode}"
            ending = {"outcome": "FAILED", "error": {"code": "COMMAND_FAILED", "message": message}}
        insist(self.path + "/finish", {**self.proof, **ending})


def stop(command, grace):
    for sign, patience in ((signal.SIGTERM, max(0, min(grace, GRACE))), (signal.SIGKILL, GRACE)):
        try:
            os.killpg(command.pid, sign)
            command.wait(patience)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def main(job, *words):
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stopping.set())
    while not stopping.is_set():
        claim = {"claimId": str(uuid.uuid4()), "worker": NAME, "jobs": [job], "max": 1, "wait": "10s"}
        status, answer = insist("/claims", claim, stopping.is_set)
        if not status:
            return  # what it took, if anything, is left to others
        if status != 200:
            sys.exit(f"worker: {answer.get('title', status)}: {answer.get('detail', '')}")
        for item in answer["items"]:
            Attempt(item).work(words)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
