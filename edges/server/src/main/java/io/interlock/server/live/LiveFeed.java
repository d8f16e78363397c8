package io.interlock.server.live;

import io.interlock.engine.ChainPage;
import io.interlock.engine.RunEngine;
import io.interlock.server.api.OperationContext;
import io.interlock.time.Ticker;
import io.interlock.time.Timers;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the audit log of the store for all readers of this node, so it tells what any node did. One look at a time, and none while
 * nobody reads. Readers at the same place share one look.
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

    /** Tells {@code stream} what happens from its place on. */
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
                log.debug("no look at the audit log for readers: {}", failure.toString());
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
        ChainPage page = engine.queries().chain(place, PAGE);
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

    private static void append(StringBuilder text, ChainPage.Link link, LiveStream reader) {
        link.sealed()
                .filter(record -> record.key().tenant().equals(reader.tenant()))
                .flatMap(LiveEvent::of)
                .filter(event -> reader.wants(event.topic()))
                .ifPresent(event -> text.append(event.text(link.position())));
    }

    /** Something is not told any more: whoever shows something must look at it anew. */
    private static void reset(LiveStream reader, long place, String reason, long now) {
        JsonObject data = new JsonObject().put("reason", reason);
        reader.write(new LiveEvent(LiveEvent.RUNS, "reset", data).text(place), now);
        reader.moveTo(place);
    }
}
