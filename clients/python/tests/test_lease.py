import os
import threading
import unittest
from unittest import mock
from urllib.parse import urlsplit

import interlock
from interlock import AccessDenied, Client, IngestionInProgressError, InterlockError, LeaseLost, LockHeld, Unavailable
from interlock import _held

from .support import OtherProgram, Proxy, client_of, key, until


class LeaseTest(unittest.TestCase):
    def setUp(self):
        self.client = client_of(self, holder="first")
        self.other = client_of(self, holder="second")

    def test_a_key_has_one_holder_and_growing_tokens(self):
        name = key()
        with self.client.lease(name) as first:
            self.assertTrue(self.client.is_valid(name, first.token))
            with self.assertRaises(LockHeld) as refused:
                self.other.lease(name)
            self.assertEqual(refused.exception.holder["holder"], "first")
            self.assertIn("first", str(refused.exception))
        self.assertFalse(self.client.is_valid(name, first.token))
        with self.other.lease(name) as second:
            self.assertGreater(second.token, first.token)

    def test_the_callers_own_error_class_is_raised(self):
        name = key()
        with self.client.lease(name):
            with self.assertRaises(IngestionInProgressError):
                self.other.lease(name, held=IngestionInProgressError)

    def test_a_waiter_gets_the_key_when_it_is_released(self):
        name = key()
        got = []
        first = self.client.lease(name)
        waiter = threading.Thread(target=lambda: got.append(self.other.lease(name, wait=30)))
        waiter.start()
        first.release()
        waiter.join()
        self.assertGreater(got[0].token, first.token)
        got[0].release()

    def test_a_lease_is_renewed_while_the_block_lasts(self):
        name = key()
        with self.client.lease(name, ttl=2) as lease:
            for _ in range(4):
                before = lease._confirmed
                until(lambda: lease._confirmed > before, "a renewal")
                lease.check()
            with self.assertRaises(LockHeld):
                self.other.lease(name)

    def test_a_grant_whose_answer_was_lost_counts_from_its_first_request(self):
        transport = self.client._transport
        send = transport.send
        lost = []

        def losing(method, path, *arguments, **named):
            answer = send(method, path, *arguments, **named)
            if path == "/locks/acquire" and not lost:
                lost.append(_held.clock())
                raise Unavailable("the answer was lost")
            return answer

        with mock.patch.object(transport, "send", losing):
            with self.client.lease(key(), wait=30) as lease:
                self.assertLessEqual(lease._confirmed, lost[0])

    def test_a_forked_process_shares_no_connection(self):
        self.client.is_valid(key(), 1)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                self.client.is_valid(key(), 1)
                os.write(write, repr(self._address()).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        address = os.read(read, 1000).decode()
        os.close(read)
        os.close(write)
        self.assertNotIn(address, ("", repr(self._address())))

    def test_the_end_of_a_forked_process_gives_nothing_back(self):
        name = key()
        with self.client.lease(name) as lease:
            # A thread that is not in the child may have the lock.
            with lease._lock:
                child = os.fork()
            if child == 0:
                code = 1
                try:
                    with lease:
                        self.assertTrue(lease.is_lost)
                        self.assertEqual(lease.remaining, 0)
                except LeaseLost:
                    code = 0
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertTrue(self.client.is_valid(name, lease.token))

    def test_the_success_of_another_program_is_no_answer(self):
        pages = [(200, page) for page in (b"<html>Back soon</html>", b"null", b"[]", b"", b'{"status": "ok"}')]
        for status, page in pages + [(204, b"")]:
            other = OtherProgram(page, status)
            self.addCleanup(other.close)
            client = client_of(self, other.url)
            with self.assertRaises(Unavailable):
                client.lease(key())
            lease = self.client.lease(key())
            with mock.patch.object(lease, "_transport", client._transport):
                confirmed = lease._confirmed
                self.assertFalse(lease._renew())
                self.assertEqual(lease._confirmed, confirmed)
            lease.release()

    def _address(self):
        return self.client._transport._idle[-1].sock.getsockname()

    def test_the_loss_is_told_soon_after_the_machine_slept(self):
        told = threading.Event()
        lease = self.client.lease(key(), ttl=300)
        lease.on_lost(lambda lost: told.set())
        clock = _held.clock
        with mock.patch("interlock._held.clock", lambda: clock() + 3600):
            self.assertTrue(told.wait(30))

    def test_an_error_of_the_work_comes_out_and_the_key_is_free(self):
        name = key()
        with self.assertRaises(ZeroDivisionError):
            with self.client.lease(name):
                1 / 0
        self.other.lease(name).release()

    def test_a_lease_taken_away_is_lost(self):
        name = key()
        lost = threading.Event()
        with self.assertRaises(LeaseLost):
            with self.client.lease(name, ttl=3) as lease:
                lease.on_lost(lambda cause: lost.set())
                body = {"key": name, "token": lease.token, "reason": "test"}
                self.assertTrue(self.client._transport.send("POST", "/locks/evict", body).is_good)
                self.assertTrue(lost.wait(30))
                self.assertTrue(lease.is_lost)
                self.assertEqual(lease.remaining, 0)
                with self.assertRaises(LeaseLost):
                    lease.check()

    def test_a_lease_taken_away_between_two_renewals_was_lost(self):
        name = key()
        with self.assertRaises(LeaseLost):
            with self.client.lease(name, ttl=60) as lease:
                body = {"key": name, "token": lease.token, "reason": "test"}
                self.assertTrue(self.client._transport.send("POST", "/locks/evict", body).is_good)
        self.other.lease(name).release()

    def test_a_lease_that_was_gone_when_it_was_given_back_was_lost(self):
        lease = self.client.lease(key(), ttl=60)
        self.assertTrue(self.client._transport.send("POST", "/locks/release", {"key": lease.key, **lease._proof()}).is_good)
        with self.assertRaisesRegex(LeaseLost, "gone"):
            lease.release()

    def test_a_release_whose_answer_was_lost_is_no_loss(self):
        lease = self.client.lease(key())
        transport = self.client._transport
        send = transport.send
        with mock.patch.object(transport, "send", side_effect=_loses_the_first_answer(send)):
            lease.release()

    def test_a_lease_is_declared_lost_before_the_server_grants_again(self):
        server = urlsplit(os.environ["INTERLOCK_SERVER"])
        proxy = Proxy(server.hostname, server.port)
        self.addCleanup(proxy.close)
        cut_off = client_of(self, "http://127.0.0.1:%d" % proxy.port)
        name = key()
        events = []
        lease = cut_off.lease(name, ttl=4)
        lease.on_lost(lambda cause: events.append("lost"))
        proxy.cut()
        with self.other.lease(name, wait=30) as next_one:
            events.append("granted")
            self.assertGreater(next_one.token, lease.token)
        self.assertEqual(events, ["lost", "granted"])
        with self.assertRaises(LeaseLost):
            lease.release()

    def test_a_grant_that_was_waited_for_is_relied_on_from_a_renewal_on(self):
        name = key()
        first = self.client.lease(name, ttl=2)
        got = []
        waiter = threading.Thread(target=lambda: got.append(self.other.lease(name, wait=30, ttl=2)))
        waiter.start()
        # Three renewals of the first: the wait is longer than the second lease will be.
        for _ in range(5):
            before = first._confirmed
            until(lambda: first._confirmed > before, "a renewal")
        first.release()
        waiter.join()
        self.assertGreater(got[0].remaining, 0.5)
        got[0].release()

    def test_the_environment_says_where(self):
        name = key()
        with interlock.lease(name) as lease:
            self.assertEqual(lease.key, name)

    def test_wrong_settings_are_named(self):
        with self.assertRaisesRegex(InterlockError, "localhost"):
            Client("localhost:8080")
        with self.assertRaisesRegex(AccessDenied, "(?i)key"):
            client_of(self, api_key="wrong").lease(key())
        with self.assertRaises(Unavailable):
            Client("http://127.0.0.1:1").lease(key())

    def test_blanks_around_an_api_key_are_left_out_and_others_refused_without_showing_it(self):
        with client_of(self, api_key=os.environ["INTERLOCK_API_KEY"] + "\n").lease(key()):
            pass
        with self.assertRaisesRegex(InterlockError, "^(?!.*canary).*API key"):
            Client("http://127.0.0.1:1", "ilk\ncanary")

    def test_a_key_that_cannot_be_is_refused(self):
        with self.assertRaises(interlock.ApiError) as refused:
            self.client.lease("")
        self.assertEqual(refused.exception.status, 400)

    def test_durations(self):
        self.assertEqual(_held.seconds("PT1M40S", 0), 100)
        self.assertEqual(_held.seconds("PT0.5S", 0), 0.5)
        self.assertEqual(_held.seconds("P1DT1H", 0), 90000)
        self.assertEqual(_held.seconds(None, 7), 7)
        self.assertEqual(_held.text(1.5), "PT1.5S")
        self.assertEqual(_held.text(30), "PT30S")


def _loses_the_first_answer(send):
    answers = []

    def lossy(*arguments, **named):
        answers.append(send(*arguments, **named))
        if len(answers) == 1:
            raise Unavailable("no answer")
        return answers[-1]

    return lossy
