import threading
import unittest
from unittest import mock

from interlock import ApiError, Cancelled, LockHeld, NotFound, PermanentFailure, UnknownJob
from interlock import Unavailable, Worker, _held
from interlock._held import clock
from interlock._http import Answer

from .support import OtherProgram, client_of, key, until


class RunTest(unittest.TestCase):
    def setUp(self):
        self.client = client_of(self)

    def work(self, handlers, slots=2):
        # No two tests share a job: a claim of an earlier worker may still be under way.
        worker = self.client.worker(handlers, slots=slots).start()
        self.addCleanup(worker.stop, 0)

    def test_a_worker_does_runs_and_returns_results(self):
        self.work({"python-double": lambda work: {"doubled": 2 * work.parameters["n"], "token": work.token}})
        runs = [self.client.submit(key("double"), "python-double", parameters={"n": n}) for n in range(5)]
        self.assertEqual([run.wait(60).result["doubled"] for run in runs], [0, 2, 4, 6, 8])
        self.assertEqual({run.state for run in runs}, {"SUCCEEDED"})

    def test_a_failure_is_tried_again_and_a_permanent_one_is_not(self):
        attempts = []

        def fail(work):
            attempts.append((work.key, work.attempt))
            if "permanent" in work.key:
                raise PermanentFailure("no such file", code="NO_FILE")
            if work.attempt == 1:
                raise ValueError("try again")

        self.work({"python-fail": fail})
        passing = self.client.submit(key("passing"), "python-fail").wait(60)
        self.assertEqual(passing.state, "SUCCEEDED")
        permanent = self.client.submit(key("permanent"), "python-fail").wait(60)
        self.assertIn(permanent.state, ("FAILED", "DEAD"))
        self.assertEqual(permanent.error["code"], "NO_FILE")
        self.assertEqual(len([each for each in attempts if "permanent" in each[0]]), 1)

    def test_a_cancelled_run_stops_its_work(self):
        begun = threading.Event()

        def slow(work):
            begun.set()
            while True:
                work.check()
                threading.Event().wait(0.05)

        self.work({"python-slow": slow})
        run = self.client.submit(key("slow"), "python-slow")
        self.assertTrue(begun.wait(60))
        run.cancel("not needed any more")
        self.assertEqual(run.wait(60).state, "ABORTED")

    def test_own_work_is_on_record_with_its_stage_and_end(self):
        name = key("own")
        with self.client.execute(name, "python-own", parameters={"a": 1}) as work:
            work.stage("load")
            work.progress(1, 2)
            seen = self.client.run(work.run_id)
            self.assertEqual((seen.state, seen.facts["stage"]), ("RUNNING", "load"))
            with self.assertRaises(LockHeld):
                self.client.execute(name, "python-own")
            work.result = {"rows": 3}
        ended = self.client.run(work.run_id)
        self.assertEqual((ended.state, ended.result), ("SUCCEEDED", {"rows": 3}))

    def test_own_work_that_fails_is_on_record(self):
        with self.assertRaises(ZeroDivisionError):
            with self.client.execute(key("own"), "python-own") as work:
                1 / 0
        self.assertEqual(self.client.run(work.run_id).error["code"], "ZeroDivisionError")

    def test_own_work_waits_for_its_turn(self):
        name = key("own")
        done = []
        with self.client.execute(name, "python-own"):

            def second():
                with self.client.execute(name, "python-own", wait=60):
                    done.append("second")

            waiter = threading.Thread(target=second)
            waiter.start()
            until(lambda: self._waiting(name) == 1, "the second run in line")
            done.append("first")
        waiter.join()
        self.assertEqual(done, ["first", "second"])

    def _waiting(self, name):
        items = self.client._transport.send("GET", "/locks", query={"key": name}).body["items"]
        return items[0]["waiting"] if items else 0

    def test_a_wait_in_vain_leaves_the_line(self):
        name = key("own")
        with self.client.execute(name, "python-own"):
            with self.assertRaises(LockHeld):
                self.client.execute(name, "python-own", wait=0.2)
            until(lambda: self._waiting(name) == 0, "the empty line")

    def test_a_report_that_is_refused_costs_no_lease(self):
        with self.client.execute(key("own"), "python-own") as work:
            work.progress(3, 2)
            work.stage("x" * 1000)
            before = work._confirmed
            until(lambda: work._confirmed > before, "a renewal")
            work.stage("load")
            self.assertEqual(self.client.run(work.run_id).facts["stage"], "load")
        self.assertEqual(self.client.run(work.run_id).state, "SUCCEEDED")

    def test_a_result_that_cannot_be_kept_ends_the_run(self):
        for result, error in ((object(), TypeError), (float("nan"), ApiError), ("x" * 70_000, ApiError)):
            with self.assertRaises(error):
                with self.client.execute(key("own"), "python-own") as work:
                    work.result = result
            ended = self.client.run(work.run_id)
            self.assertEqual((ended.state, ended.error["code"]), ("FAILED", "UNTELLABLE"))

    def test_a_result_that_cannot_be_kept_is_not_worked_for_again(self):
        attempts = []

        def unkeepable(work):
            attempts.append(work.attempt)
            return object()

        self.work({"python-unkeepable": unkeepable})
        self.assertTrue(self.client.submit(key("unkeepable"), "python-unkeepable").wait(60).has_ended)
        self.assertEqual(attempts, [1])

    def meddle(self, worker, path, meddling):
        """Calls `meddling` with each answer of the server to a request of `worker` for `path`, before the worker gets it."""
        send = worker._transport.send

        def sent(method, to, *arguments, **named):
            answer = send(method, to, *arguments, **named)
            if to == path:
                meddling(answer)
            return answer

        patched = mock.patch.object(worker._transport, "send", sent)
        patched.start()
        self.addCleanup(patched.stop)

    def test_a_worker_that_was_told_to_stop_does_what_its_last_claim_brings(self):
        worker = client_of(self).worker({"python-stopped": lambda work: "done"})
        stopped = []
        stopping = threading.Thread(target=lambda: stopped.append((worker.stop(60), run.refresh().state)))

        def stop(answer):
            if answer.body["items"]:
                stopping.start()
                until(lambda: worker._stopping, "the stop")

        self.meddle(worker, "/claims", stop)
        run = self.client.submit(key("stopped"), "python-stopped")
        worker.start()
        until(lambda: stopped, "the end of the worker")
        self.assertEqual(stopped, [(True, "SUCCEEDED")])

    def test_the_success_of_another_program_ends_no_worker(self):
        other = OtherProgram(b'{"status": "ok"}')
        self.addCleanup(other.close)
        worker = client_of(self, other.url).worker({"python-own": lambda work: "done"})
        paused = threading.Event()
        with mock.patch.object(worker, "_pause", lambda duration: (paused.set(), worker.stop(0))):
            worker.run()
        self.assertTrue(paused.is_set())

    def test_a_worker_stops_soon_however_long_a_proxy_wants_it_to_wait(self):
        proxy = OtherProgram(status=503, headers=[("Retry-After", "3600")])
        self.addCleanup(proxy.close)
        worker = client_of(self, proxy.url).worker({"python-own": lambda work: "done"}).start()
        self.assertTrue(proxy.asked.wait(30))
        self.assertTrue(worker.stop(30))

    def test_a_run_that_is_asked_to_stop_before_it_begins_does_not_end_the_worker(self):
        worker = client_of(self).worker({"python-asked": lambda work: work.check()})
        submitted = []

        def ask(answer):
            for item in answer.body["items"]:
                if item["run"]["id"] == submitted[0].id:
                    self.client.run(item["run"]["id"]).cancel("not needed any more")

        self.meddle(worker, "/claims", ask)
        # A claim that has waited for a while: what it brings is renewed before it begins.
        renewed = mock.patch("interlock._runs.clock", lambda: _held.clock() - 2)
        renewed.start()
        self.addCleanup(renewed.stop)
        submitted.append(self.client.submit(key("asked"), "python-asked"))
        worker.start()
        self.addCleanup(worker.stop, 0)
        self.assertEqual(submitted[0].wait(60).state, "ABORTED")
        submitted.append(self.client.submit(key("asked"), "python-asked"))
        self.assertEqual(submitted[1].wait(60).state, "SUCCEEDED")

    def test_a_run_without_a_thread_is_not_renewed_and_left_to_others(self):
        worker = client_of(self).worker({"python-threadless": lambda work: "done"})
        start = threading.Thread.start
        refused = []

        def reluctant(thread):
            if thread.name == "interlock-work" and not refused:
                refused.append(thread)
                raise RuntimeError("can't start new thread")
            start(thread)

        with mock.patch.object(threading.Thread, "start", reluctant):
            run = self.client.submit(key("threadless"), "python-threadless")
            worker.start()
            self.addCleanup(worker.stop, 0)
            # Its lease is not kept up, so its key is free again.
            self.assertTrue(run.wait(60).has_ended)
            again = self.client.submit(run.facts["key"], "python-threadless")
            self.assertEqual(again.wait(60).state, "SUCCEEDED")

    def test_what_a_request_without_an_answer_took_counts_from_that_request(self):
        sent = []

        class Lost:
            def send(self, *arguments, **named):
                sent.append(clock())
                if len(sent) < 3:
                    raise Unavailable("the answer was lost")
                return Answer(200, {"items": [{"run": {"id": "1", "job": "some"}}]}, None)

        worker = Worker(Lost(), {"some": lambda work: None})
        with mock.patch.object(worker, "_begin") as begin:
            worker._claim("id")
        self.assertLessEqual(begin.call_args.args[1], sent[0])

    def test_join_finds_the_run_under_way(self):
        name = key("double")
        first = self.client.submit(name, "python-join", parameters={"n": 1})
        self.assertEqual(self.client.join(name, "python-join", parameters={"n": 1}).id, first.id)
        same = self.client.submit(key("double"), "python-join", idempotency_key=name)
        again = self.client.submit(same.facts["key"], "python-join", idempotency_key=name)
        self.assertEqual(again.id, same.id)
        for run in (first, same):
            run.cancel("test is over")

    def test_a_worker_stops_though_the_server_is_away(self):
        worker = client_of(self, "http://127.0.0.1:1").worker({"python-own": lambda work: None})
        running = threading.Thread(target=worker.run)
        running.start()
        worker.stop()
        running.join(30)
        self.assertFalse(running.is_alive())

    def test_what_is_not_there_is_named(self):
        with self.assertRaises(UnknownJob):
            self.client.submit(key(), "no-such-job")
        with self.assertRaises(NotFound):
            self.client.run("019a8c1e-0000-7000-8000-000000000001")
        with self.assertRaisesRegex(TypeError, "on_conflict"):
            self.client.submit(key(), "python-double", onConflict="JOIN")
        self.assertTrue(issubclass(Cancelled, Exception))
