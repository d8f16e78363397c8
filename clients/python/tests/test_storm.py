import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

from .storm import WRITES
from .support import key, until


class StormTest(unittest.TestCase):
    def test_no_writes_overlap_though_one_process_is_killed_and_one_sleeps(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "target.db")
        database = sqlite3.connect(path, timeout=0.5)
        database.execute("CREATE TABLE total (token INTEGER, value INTEGER)")
        database.execute("CREATE TABLE written (place INTEGER PRIMARY KEY AUTOINCREMENT, token INTEGER)")
        database.execute("INSERT INTO total VALUES (0, 0)")
        database.commit()
        name = key("storm")
        processes = [self._start(name, path) for _ in range(3)]
        killed, stopped, _ = processes

        until(lambda: all(process.lines("granted") for process in processes), "a grant of each process")
        stopped.stop_between_writes(database)
        killed.process.kill()
        lost = len(stopped.lines("lost", "refused"))
        others = len(processes[2].lines("granted"))
        until(lambda: len(processes[2].lines("granted")) > others + 1, "further grants of the third process")
        stopped.process.send_signal(signal.SIGCONT)
        until(lambda: len(stopped.lines("lost", "refused")) > lost, "the loss noticed by the process that slept")
        open(path + ".end", "w").close()
        for process in processes:
            process.process.wait(90)
            process.reader.join()

        tokens = [token for (token,) in database.execute("SELECT token FROM written ORDER BY place")]
        value = database.execute("SELECT value FROM total").fetchone()[0]
        database.close()
        self.assertEqual(tokens, sorted(tokens), "writes of an older grant came after those of a newer one")
        self.assertEqual(value, len(tokens), "a lost update")
        grants = [int(line.split()[1]) for process in processes for line in process.lines("granted")]
        self.assertEqual(len(grants), len(set(grants)), "a token was granted twice")
        said = [line for process in processes for line in process.said]
        self.assertFalse([line for line in said if "LIVE" in line], "a refused write under a lease that counted as live")
        print("storm: %d grants, %d writes, 0 overlaps" % (len(grants), len(tokens)))

    def _start(self, name, path):
        command = [sys.executable, "-m", "tests.storm", name, path, path + ".end"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return _Running(process)


class _Running:
    def __init__(self, process):
        self.process = process
        self.said = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def lines(self, *words):
        return [line for line in self.said if line.startswith(words)]

    def stop_between_writes(self, database):
        """Stops the process while it has the lease. Inside a transaction it would keep all others from the target, too."""
        while True:
            count = len(self.said)
            until(lambda: len(self.said) > count and self.said[-1].startswith("wrote"), "a write")
            self.process.send_signal(signal.SIGSTOP)
            os.waitpid(self.process.pid, os.WUNTRACED)
            try:
                database.execute("BEGIN IMMEDIATE")
                database.rollback()
                if self._holds():
                    return
            except sqlite3.OperationalError:
                pass
            self.process.send_signal(signal.SIGCONT)

    def _holds(self):
        since = self.said[max(place for place, line in enumerate(self.said) if line.startswith("granted")) :]
        return all(line.startswith(("granted", "wrote")) for line in since) and len(since) <= WRITES

    def _read(self):
        for line in self.process.stdout:
            self.said.append(line.strip())
