package io.interlock.server.live;

import io.interlock.TimeText;
import io.interlock.engine.EngineQueries;
import io.interlock.engine.RunEngine;
import io.interlock.run.AuditRecord;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.time.Environment.Ticker;
import io.interlock.time.Environment.Timers;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the audit log of the store for all readers of this node, so events of every node arrive. One query at a time, and none without
 * readers. Readers at the same place share a query.
 */
final class LiveFeed implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LiveFeed.class);
    private static final Duration EVERY = Duration.ofMillis(300);
    private static final Duration GLANCE_EVERY = Duration.ofSeconds(1);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);
    private static final Duration LONGEST_BEHIND = Duration.ofSeconds(30);
    private static final Duration KNOWN_FOR = Duration.ofSeconds(5);
    private static final int PAGE = 200;
    private static final int MOST_PLACES = 20;

    private final OperationContext context;
    private final RunEngine engine;
    private final Ticker ticker;
    private final Timers timers;
    private final StateChanges glances;
    private final List<LiveStream> streams = new CopyOnWriteArrayList<>();
    // Only ticks, one at a time, use these.
    private long lastGlance;
    private long lastCheck;
    private @Nullable LiveStream lastServed;
    private boolean ticking;
    private boolean closed;

    LiveFeed(OperationContext context) {
        this.context = context;
        this.engine = context.engine();
        this.ticker = context.environment().ticker();
        this.timers = context.environment().timers("interlock-live");
        this.glances = new StateChanges(engine);
        this.lastGlance = ticker.nanos() - GLANCE_EVERY.toNanos();
        this.lastCheck = ticker.nanos();
    }

    /** Whatever changes for {@code tenant} after this is told to a stream that is added soon. Waits for the store. */
    void begin(String tenant) {
        glances.begin(tenant);
    }

    void add(LiveStream stream) {
        synchronized (this) {
            if (closed) {
                stream.end();
                return;
            }
            streams.add(stream);
            if (ticking) {
                return;
            }
            ticking = true;
        }
        look();
    }

    void remove(LiveStream stream) {
        streams.remove(stream);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        timers.close();
        streams.forEach(LiveStream::end);
    }

    private void look() {
        context.blocking().call(this::tick).whenComplete((more, failure) -> {
            if (failure != null) {
                // Readers keep their places; what they miss now they are told when the store is back.
                log.debug("the audit log could not be read for event streams: {}", failure.toString());
            }
            again(failure == null && more ? Duration.ZERO : EVERY);
        });
    }

    private void again(Duration pause) {
        synchronized (this) {
            if (streams.isEmpty() || closed) {
                ticking = false;
                return;
            }
        }
        timers.after(pause, this::look);
    }

    /** Tells readers what they have not heard of; whether there is more. */
    private boolean tick() {
        long now = ticker.nanos();
        if (now - lastCheck >= KNOWN_FOR.toNanos()) {
            lastCheck = now;
            streams.forEach(LiveStream::endUnlessKnown);
        }
        List<LiveStream> ready = new ArrayList<>();
        Map<String, Set<LiveStream>> byTenant = new LinkedHashMap<>();
        for (LiveStream stream : streams) {
            long behind = stream.behindFor(now);
            if (behind > LONGEST_BEHIND.toNanos()) {
                // Its end takes it out.
                stream.cutOff();
                continue;
            }
            byTenant.computeIfAbsent(stream.tenant(), tenant -> new LinkedHashSet<>())
                    .add(stream);
            if (behind == 0) {
                if (stream.hasMissed()) {
                    reset(stream, stream.position(), "changes came faster than they were read", now);
                }
                ready.add(stream);
            }
        }
        boolean more = false;
        for (Map.Entry<Long, Set<LiveStream>> place : inTurn(ready).entrySet()) {
            more |= tell(place.getKey(), place.getValue(), now);
        }
        if (now - lastGlance >= GLANCE_EVERY.toNanos()) {
            lastGlance = now;
            byTenant.forEach((tenant, readers) -> glances.of(tenant, readers)
                    .forEach(event -> readers.stream()
                            .filter(reader -> reader.wants(event.topic()))
                            .forEach(reader -> reader.tell(event, now))));
            glances.keepOnly(byTenant.keySet());
        }
        return more;
    }

    /**
     * Readers by place, those at the end of the log first and in every round; those that are behind take turns, so that many of them keep
     * neither the first nor each other waiting.
     */
    private Map<Long, Set<LiveStream>> inTurn(List<LiveStream> ready) {
        Map<Long, Set<LiveStream>> byPlace = new LinkedHashMap<>();
        long newest = ready.stream().mapToLong(LiveStream::position).max().orElse(0);
        byPlace.put(newest, new LinkedHashSet<>());
        int from = lastServed == null ? 0 : ready.indexOf(lastServed) + 1;
        for (int i = 0; i < ready.size(); i++) {
            LiveStream stream = ready.get((from + i) % ready.size());
            if (byPlace.size() < MOST_PLACES || byPlace.containsKey(stream.position())) {
                boolean first = byPlace.computeIfAbsent(stream.position(), place -> new LinkedHashSet<>())
                        .add(stream);
                if (first && stream.position() != newest) {
                    lastServed = stream;
                }
            }
        }
        return byPlace;
    }

    private boolean tell(long place, Set<LiveStream> readers, long now) {
        EngineQueries.ChainPage page = engine.queries().chain(place, PAGE);
        if (place < page.forgotten() || place > page.head()) {
            readers.forEach(
                    reader -> reset(reader, page.head(), "the place asked for is not in the audit log any more", now));
            return false;
        }
        long reached = page.links().isEmpty()
                ? place
                : page.links().get(page.links().size() - 1).position();
        for (LiveStream reader : readers) {
            StringBuilder text = new StringBuilder();
            page.links().forEach(link -> append(text, link, reader));
            if (text.isEmpty() && now - reader.lastWrite() >= KEEP_ALIVE.toNanos()) {
                // An id without data moves the client's place on and tells it nothing.
                text.append(": keep-alive\nid: ").append(reached).append("\n\n");
            }
            reader.write(text.toString(), now);
            reader.moveTo(reached);
        }
        return page.links().size() == PAGE;
    }

    private static void append(StringBuilder text, EngineQueries.ChainPage.Link link, LiveStream reader) {
        link.sealed()
                .filter(record -> record.key().tenant().equals(reader.tenant()))
                .flatMap(LiveEvent::of)
                .filter(event -> reader.wants(event.topic()))
                .ifPresent(event -> text.append(event.text(link.position())));
    }

    /** Events were skipped: the reader must load its state anew. */
    private static void reset(LiveStream reader, long place, String reason, long now) {
        JsonObject data = new JsonObject().put("reason", reason);
        reader.write(new LiveEvent(LiveEvent.RUNS, "reset", data).text(place), now);
        reader.moveTo(place);
    }

    /**
     * Something a stream tells.
     *
     * @param topic which kind of reader wants it: {@code runs}, {@code locks}, {@code workers}, {@code janitor}
     * @param type what happened, as {@code run.succeeded}
     */
    record LiveEvent(String topic, String type, JsonObject data) {

        static final String RUNS = "runs";
        static final String LOCKS = "locks";
        static final String WORKERS = "workers";
        static final String JANITOR = "janitor";

        /** What a record of the audit log tells; nothing if it is about API keys. Who did it and why is for the audit log. */
        static Optional<LiveEvent> of(AuditRecord record) {
            return switch (record.action()) {
                case "run" ->
                    Optional.of(of(
                            RUNS,
                            "run." + record.after().toLowerCase(Locale.ROOT).replace('_', '-'),
                            record));
                case "submitted", "stop-requested", "redriven", "discarded" ->
                    Optional.of(of(RUNS, "run." + record.action(), record));
                case "resource" -> Optional.of(of(RUNS, "resource.changed", record));
                case "evicted", "paused", "resumed" -> Optional.of(of(LOCKS, "lock." + record.action(), record));
                default -> Optional.empty();
            };
        }

        private static LiveEvent of(String topic, String type, AuditRecord record) {
            JsonObject data = new JsonObject()
                    .put("at", TimeText.format(record.at()))
                    .put("key", record.key().name());
            if (record.run() != null) {
                data.put("runId", record.run().toString());
            }
            if (record.token() != null) {
                data.put("token", record.token().value());
            }
            return new LiveEvent(
                    topic, type, data.put("before", record.before()).put("after", record.after()));
        }

        /** The text of the stream, without an id: it is not repeated to a reader that resumes. */
        String text() {
            return "event: " + type + "\ndata: " + data.encode() + "\n\n";
        }

        /** As it goes over the wire, at its place in the audit log. */
        String text(long position) {
            return "id: " + position + "\n" + text();
        }
    }

    /**
     * One reader. It is told what happened from its place in the audit log on; if it reads more slowly than things happen, its place
     * stays where it is, so nothing piles up for it, and after a while it is cut off. What has no place in the audit log it misses then,
     * and is told so.
     */
    static final class LiveStream {

        private final Call call;
        private final List<String> topics;
        private final HttpServerResponse response;
        private final Context loop;
        // Only the feed, one step at a time, uses these.
        private long position;
        private long lastWrite;
        private long fullSince = -1;
        private boolean missed;

        LiveStream(Call call, List<String> topics, HttpServerResponse response, Context loop) {
            this.call = call;
            this.topics = topics;
            this.response = response;
            this.loop = loop;
        }

        String tenant() {
            return call.tenant();
        }

        boolean wants(String topic) {
            return topics.isEmpty() || topics.contains(topic);
        }

        long position() {
            return position;
        }

        void moveTo(long position) {
            this.position = position;
        }

        /** Since when nothing was written. */
        long lastWrite() {
            return lastWrite;
        }

        /** Tells it {@code event}, which is told only now; if it cannot take it, it has missed something. */
        void tell(LiveEvent event, long now) {
            if (fullSince < 0) {
                write(event.text(), now);
            } else {
                missed = true;
            }
        }

        /** Whether it has missed something since this was last asked. */
        boolean hasMissed() {
            boolean had = missed;
            missed = false;
            return had;
        }

        /** Writes {@code text} at {@code now}; nothing is written that is empty. */
        void write(String text, long now) {
            if (!text.isEmpty()) {
                lastWrite = now;
                loop.runOnContext(go -> {
                    if (!response.ended() && !response.closed()) {
                        response.write(text);
                    }
                });
            }
        }

        /** For how long it has not taken what it was sent, in nanoseconds; 0 if it has. */
        long behindFor(long now) {
            if (!response.writeQueueFull()) {
                fullSince = -1;
                return 0;
            }
            if (fullSince < 0) {
                fullSince = now;
            }
            return Math.max(1, now - fullSince);
        }

        /** Ends it if its reader would not be let in any more. */
        void endUnlessKnown() {
            call.isStillKnown().thenAccept(known -> {
                if (!known) {
                    end();
                }
            });
        }

        void end() {
            loop.runOnContext(go -> {
                if (!response.ended() && !response.closed()) {
                    response.end();
                }
            });
        }

        /** Ends it although there is something left to send. */
        void cutOff() {
            loop.runOnContext(go -> call.hangUp());
        }
    }
}
