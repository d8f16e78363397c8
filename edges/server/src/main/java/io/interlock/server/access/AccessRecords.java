package io.interlock.server.access;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.engine.access.KeyRing;
import io.interlock.run.AuditRecord;
import io.interlock.server.http.Exchange;
import io.interlock.server.http.Exchange.Caller;
import io.interlock.service.PlainText;
import io.interlock.service.Problem;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Puts on record who signs in and out, and whose requests are refused. What belongs to an API key of the store is its tenant's; the rest
 * is under {@link AccessKey#UNKNOWN}.
 *
 * <p>Bounded: of one kind, address and key there are at most {@link #MOST_A_MINUTE} records in a minute, and the next record after it says
 * how many were left out. Beyond {@link #MOST_WINDOWS} of those in a minute, addresses share one. Records are written beside the requests; up
 * to {@link #MOST_WAITING} of them wait while the store is away, the rest is dropped and counted. Nothing here blocks or fails a request.
 * Safe for use by many threads.
 */
public final class AccessRecords implements AutoCloseable {

    /** How many records of one kind there are in a minute for one address and API key. */
    public static final int MOST_A_MINUTE = 5;

    /** How many kinds, addresses and API keys are told apart in a minute. */
    static final int MOST_WINDOWS = 200;

    /** How many records wait for the store. */
    static final int MOST_WAITING = 2_000;

    private static final Logger log = LoggerFactory.getLogger("io.interlock.audit");
    private static final String METER = "interlock.access.records";
    private static final String UNKNOWN = "unknown";
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final Duration RETRY = Duration.ofSeconds(2);
    private static final int BATCH = 100;

    private final Consumer<List<AuditRecord>> sink;
    private final KeyRing keys;
    private final Environment environment;
    private final Timers writer;
    private final Counter written;
    private final Counter leftOut;
    private final Counter dropped;
    // The oldest first: each lasts for as long.
    private final Map<Source, Window> windows = new LinkedHashMap<>();
    private final Deque<AuditRecord> waiting = new ArrayDeque<>();
    private boolean writing;
    // Whether an error has been told since the last batch was written.
    private boolean failing;
    // Held while a batch is written, so that the batch that was written is the one that is removed.
    private final Object turn = new Object();

    /** Has {@code audit} write them; lines of the process's log if there is none, because the store keeps no audit log. */
    public AccessRecords(
            Optional<Consumer<List<AuditRecord>>> audit, KeyRing keys, Environment environment, MeterRegistry meters) {
        this.sink = audit.orElse(AccessRecords::log);
        this.keys = keys;
        this.environment = environment;
        this.writer = environment.timers("interlock-access-records");
        this.written = meters.counter(METER, "outcome", "written");
        this.leftOut = meters.counter(METER, "outcome", "left_out");
        this.dropped = meters.counter(METER, "outcome", "dropped");
    }

    private record Source(String action, LockKey key, String address) {}

    /** What came from one source since {@code begun}. */
    private static final class Window {
        private final long begun;
        private int records;
        private long leftOut;

        Window(long begun) {
            this.begun = begun;
        }
    }

    /**
     * A request was refused with {@code problem}, because its key or session is not valid, or because it may not do what it asks. A GET
     * that shows neither key nor session is not on record: it claims no identity.
     */
    public void refused(RoutingContext context, Problem problem) {
        Optional<Caller> caller = Exchange.caller(context);
        Optional<String> presented = Exchange.PRESENTED.in(context);
        boolean looks = Authentication.LOOKS.contains(context.request().method());
        if (caller.isEmpty() && presented.isEmpty() && looks) {
            return;
        }
        Optional<AccessKey> key = caller.map(Caller::key).or(() -> presented.flatMap(keys::named));
        String who = caller.map(Caller::actor)
                .or(() -> key.map(named -> UNKNOWN + ", with the id of key " + named.id()))
                .orElse(UNKNOWN);
        String operation = Exchange.operation(context);
        note(record(
                key.map(AccessKey::logKey).orElse(AccessKey.UNKNOWN),
                actor(context, who),
                operation.equals("signIn") ? "sign-in-refused" : "refused",
                "",
                operation,
                problem.code() + ": " + problem.detail()));
    }

    /** A user signed in with {@code key}, which was shown itself or {@code by} something else. */
    public void signedIn(Actor actor, AccessKey key, String by) {
        note(record(key.logKey(), actor, "signed-in", "", key.role().name(), "by " + by));
    }

    /** A person whom an identity provider calls {@code who} may not sign in. */
    public void signInRefused(RoutingContext context, String who, String reason) {
        String operation = Exchange.operation(context);
        note(record(AccessKey.UNKNOWN, actor(context, who), "sign-in-refused", "", operation, reason));
    }

    /** A session ended because its user signed out. */
    public void signedOut(Actor actor, AccessKey key) {
        note(record(key.logKey(), actor, "signed-out", key.role().name(), "", "asked for"));
    }

    private static Actor actor(RoutingContext context, String who) {
        return new Actor(who, Exchange.requestId(context), Exchange.address(context));
    }

    /** The store says when. */
    private static AuditRecord record(
            LockKey key, Actor actor, String action, String before, String after, String reason) {
        return AuditRecord.of(Instant.EPOCH, key, actor, action, before, after, reason);
    }

    /** Writes what it can at once, and ends. */
    @Override
    public void close() {
        synchronized (this) {
            sweep(environment.ticker().nanos() + WINDOW.toNanos());
        }
        writer.close();
        write();
        synchronized (this) {
            if (!waiting.isEmpty()) {
                dropped.increment(waiting.size());
                log.warn("{} access records could not be written before the server stopped", waiting.size());
            }
        }
    }

    private synchronized void note(AuditRecord record) {
        long now = environment.ticker().nanos();
        sweep(now);
        Source source = new Source(record.action(), record.key(), String.valueOf(record.address()));
        if (!windows.containsKey(source) && windows.size() >= MOST_WINDOWS) {
            source = new Source(record.action(), AccessKey.UNKNOWN, "many");
        }
        Window window = windows.computeIfAbsent(source, first -> new Window(now));
        if (window.records < MOST_A_MINUTE) {
            window.records++;
            enqueue(record);
        } else {
            window.leftOut++;
            leftOut.increment();
        }
    }

    /** Forgets windows that are over, and says how many were left out in them. */
    private void sweep(long now) {
        Iterator<Map.Entry<Source, Window>> oldest = windows.entrySet().iterator();
        while (oldest.hasNext()) {
            Map.Entry<Source, Window> next = oldest.next();
            Window window = next.getValue();
            if (now - window.begun < WINDOW.toNanos()) {
                return;
            }
            oldest.remove();
            if (window.leftOut > 0) {
                Source source = next.getKey();
                Actor rules = new Actor(AuditRecord.RULES, null, source.address());
                String said = window.leftOut + " more within a minute were left out";
                enqueue(record(source.key(), rules, source.action(), "", "", said));
            }
        }
    }

    private void enqueue(AuditRecord record) {
        if (waiting.size() >= MOST_WAITING) {
            dropped.increment();
            return;
        }
        waiting.addLast(record);
        if (!writing) {
            writing = true;
            writer.after(Duration.ZERO, this::write);
        }
    }

    private void write() {
        synchronized (turn) {
            writeAll();
        }
    }

    private void writeAll() {
        while (true) {
            List<AuditRecord> batch;
            synchronized (this) {
                batch = waiting.stream().limit(BATCH).toList();
                if (batch.isEmpty()) {
                    writing = false;
                    return;
                }
            }
            try {
                sink.accept(batch);
            } catch (RuntimeException | Error away) {
                // First: a log line fails, too, where memory is short.
                writer.after(RETRY, this::write);
                log.atLevel(away instanceof Error && !failing ? Level.WARN : Level.DEBUG)
                        .log("{} access records could not be written; retrying: {}", batch.size(), away.toString());
                failing |= away instanceof Error;
                return;
            }
            failing = false;
            written.increment(batch.size());
            synchronized (this) {
                batch.forEach(done -> waiting.removeFirst());
            }
        }
    }

    private static void log(List<AuditRecord> records) {
        records.forEach(record -> log.atWarn()
                .addKeyValue("action", record.action())
                .addKeyValue("tenant", record.key().tenant())
                .addKeyValue("operation", record.after())
                .addKeyValue("requestId", String.valueOf(record.correlation()))
                .addKeyValue("address", String.valueOf(record.address()))
                .log("{}: {}", PlainText.oneLine(record.actor()), PlainText.oneLine(record.reason())));
    }
}
