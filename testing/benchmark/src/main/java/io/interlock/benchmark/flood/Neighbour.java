package io.interlock.benchmark.flood;

import io.interlock.benchmark.measure.Latencies;
import io.interlock.benchmark.peer.HttpConnection;
import io.interlock.benchmark.peer.HttpConnection.Answer;
import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tenant beside the flood: renews leases every third of their time, does runs, lists locks, and counts how long each took.
 * Safe for use by many threads.
 */
final class Neighbour implements AutoCloseable {

    private static final int LEASES = 30;
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final long TTL_SECONDS = 5;
    private static final long RENEW_EVERY = TimeUnit.SECONDS.toNanos(TTL_SECONDS) / 3;
    private static final long BETWEEN_REQUESTS = TimeUnit.MILLISECONDS.toNanos(100);

    private final int port;
    private final String key;
    private final Latencies renew = new Latencies();
    private final Latencies start = new Latencies();
    private final Latencies claim = new Latencies();
    private final Latencies finish = new Latencies();
    private final Latencies locks = new Latencies();
    private final AtomicLong lost = new AtomicLong();
    private final AtomicLong longest = new AtomicLong();
    private volatile boolean over;

    Neighbour(int port, String key) {
        this.port = port;
        this.key = key;
    }

    /** Begins; each lease has a connection of its own, so that none waits in the client. */
    void start() {
        for (int i = 0; i < LEASES; i++) {
            int number = i;
            thread(() -> keepLease(number));
        }
        thread(this::doRuns);
        thread(this::listLocks);
    }

    private void thread(Flood.Task task) {
        Flood.thread(() -> {
            try {
                task.run();
            } catch (EOFException closed) {
                if (!over) {
                    throw closed;
                }
            }
        });
    }

    /** Forgets what was measured so far, lost leases excepted. */
    void forget() {
        List.of(renew, start, claim, finish, locks).forEach(Latencies::clear);
        longest.set(0);
    }

    /** What was measured since the last {@link #forget}. */
    Figures figures() {
        return new Figures(
                renew.size(),
                renew.millis(0.5),
                renew.millis(0.99),
                longest.get() / 1e6,
                start.millis(0.5),
                claim.millis(0.5),
                finish.millis(0.5),
                locks.millis(0.5),
                locks.millis(0.99));
    }

    /** Renewals that were answered with anything but 200, since it began. */
    long lost() {
        return lost.get();
    }

    @Override
    public void close() {
        over = true;
    }

    /** Milliseconds of one phase; {@code renewals} is how many there were. */
    record Figures(
            long renewals,
            double renewP50,
            double renewP99,
            double renewMax,
            double startP50,
            double claimP50,
            double finishP50,
            double locksP50,
            double locksP99) {}

    private void keepLease(int number) throws Exception {
        // Spread over the time between two renewals.
        TimeUnit.NANOSECONDS.sleep(RENEW_EVERY * number / LEASES);
        try (HttpConnection connection = new HttpConnection(port, key)) {
            while (!over) {
                String lease = "\"key\":\"kept/" + number + "\",\"leaseId\":\"" + UUID.randomUUID() + "\"";
                Answer granted = connection.post(
                        "/api/v1/locks/acquire",
                        "{" + lease + ",\"ttl\":\"" + TTL_SECONDS + "s\",\"holder\":\"neighbour\",\"wait\":\"10s\"}");
                boolean mine = granted.status() == OK;
                String proof = mine
                        ? "{" + lease + ",\"ttl\":\"" + TTL_SECONDS + "s\",\"token\":" + granted.field("token") + "}"
                        : "";
                long due = System.nanoTime();
                while (mine && !over) {
                    due += RENEW_EVERY;
                    TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                    mine = timed(renew, () -> connection.post("/api/v1/locks/renew", proof))
                                    .status()
                            == OK;
                    if (!mine) {
                        lost.incrementAndGet();
                    }
                }
            }
        }
    }

    private void doRuns() throws Exception {
        try (HttpConnection connection = new HttpConnection(port, key)) {
            for (int number = 0; !over; number++) {
                String started = "{\"key\":\"done/" + number + "\",\"job\":\"neighbour\"}";
                require(CREATED, timed(start, () -> connection.post("/api/v1/runs", started)));
                String wanted = "{\"claimId\":\"" + UUID.randomUUID()
                        + "\",\"worker\":\"w\",\"jobs\":[\"neighbour\"],\"max\":1,\"wait\":\"20s\"}";
                Answer claimed = require(OK, timed(claim, () -> connection.post("/api/v1/claims", wanted)));
                String end = "{\"leaseId\":\"" + claimed.field("leaseId") + "\",\"token\":" + claimed.field("token")
                        + ",\"outcome\":\"SUCCEEDED\"}";
                String path = "/api/v1/runs/" + claimed.field("id") + "/finish";
                require(OK, timed(finish, () -> connection.post(path, end)));
                TimeUnit.NANOSECONDS.sleep(BETWEEN_REQUESTS);
            }
        }
    }

    private void listLocks() throws Exception {
        try (HttpConnection connection = new HttpConnection(port, key)) {
            while (!over) {
                require(OK, timed(locks, () -> connection.get("/api/v1/locks?limit=10")));
                TimeUnit.NANOSECONDS.sleep(BETWEEN_REQUESTS);
            }
        }
    }

    private Answer timed(Latencies latencies, Request request) throws IOException {
        long begun = System.nanoTime();
        Answer answer = request.send();
        long took = System.nanoTime() - begun;
        latencies.record(took);
        if (latencies == renew) {
            longest.accumulateAndGet(took, Math::max);
        }
        return answer;
    }

    private interface Request {
        Answer send() throws IOException;
    }

    private static Answer require(int status, Answer answer) {
        if (answer.status() != status) {
            throw new IllegalStateException("the neighbour got " + answer.status() + ": " + answer.body());
        }
        return answer;
    }
}
