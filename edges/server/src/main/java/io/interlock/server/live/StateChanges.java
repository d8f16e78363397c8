package io.interlock.server.live;

import io.interlock.LockKey;
import io.interlock.TimeText;
import io.interlock.engine.Janitor;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.RunQuery;
import io.interlock.server.live.LiveFeed.LiveEvent;
import io.interlock.server.live.LiveFeed.LiveStream;
import io.interlock.service.LockFacts;
import io.interlock.service.LockService;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the audit log does not tell: how locks stand, with stage and progress, which workers are there, what the janitor did. Found by
 * comparing one look with the last; a change that comes and goes between two looks is not seen. Safe for use by many threads.
 */
final class StateChanges {

    /** How many keys of a tenant are compared; beyond that, only what the audit log tells is told. */
    private static final int MOST_KEYS = 200;

    /** Time passes in these without anything happening. */
    private static final Set<String> PASSING = Set.of("leaseLeft", "explanation", "observedAt");

    private static final Duration WORKERS = Duration.ofMinutes(1);

    private final RunEngine engine;
    private final Map<String, Seen> seen = new HashMap<>();

    StateChanges(RunEngine engine) {
        this.engine = engine;
    }

    /** Takes the state for a first reader: every change from now on is an event. */
    synchronized void begin(String tenant) {
        if (!seen.containsKey(tenant)) {
            Seen first = new Seen();
            List<LiveEvent> known = new ArrayList<>();
            locks(tenant, first, known);
            workers(tenant, first, known);
            janitor(tenant, first, known);
            seen.put(tenant, first);
        }
    }

    /** What has changed for {@code tenant} since the last look; everything if there was none. */
    synchronized List<LiveEvent> of(String tenant, Set<LiveStream> readers) {
        Seen last = seen.computeIfAbsent(tenant, name -> new Seen());
        List<LiveEvent> events = new ArrayList<>();
        if (readers.stream().anyMatch(reader -> reader.wants(LiveEvent.LOCKS))) {
            locks(tenant, last, events);
        }
        if (readers.stream().anyMatch(reader -> reader.wants(LiveEvent.WORKERS))) {
            workers(tenant, last, events);
        }
        if (readers.stream().anyMatch(reader -> reader.wants(LiveEvent.JANITOR))) {
            janitor(tenant, last, events);
        }
        return events;
    }

    /** Forgets tenants without readers. */
    synchronized void keepOnly(Set<String> tenants) {
        seen.keySet().retainAll(tenants);
    }

    private void locks(String tenant, Seen last, List<LiveEvent> events) {
        Map<String, Map<String, @Nullable Object>> now = new HashMap<>();
        Instant observed = Instant.EPOCH;
        for (KeyView view : engine.queries().keys(new KeyQuery(tenant, "", null, MOST_KEYS))) {
            Map<String, @Nullable Object> lock = LockFacts.of(view).map();
            Map<String, @Nullable Object> lasting = new HashMap<>(lock);
            lasting.keySet().removeAll(PASSING);
            String name = view.key().name();
            now.put(name, lasting);
            observed = view.observedAt();
            if (!lasting.equals(last.locks.get(name))) {
                events.add(new LiveEvent(LiveEvent.LOCKS, "lock.changed", new JsonObject(lock)));
            }
        }
        for (String name : last.locks.keySet()) {
            LockKey key = LockKey.of(tenant, name);
            // Where there are more keys than are compared, one may only have made room for another.
            if (!now.containsKey(name)
                    && (now.size() < MOST_KEYS || LockService.view(engine, key).isEmpty())) {
                JsonObject free =
                        new JsonObject(LockFacts.idle(key, List.of(), observed).map());
                events.add(new LiveEvent(LiveEvent.LOCKS, "lock.changed", free));
            }
        }
        last.locks = now;
    }

    private void workers(String tenant, Seen last, List<LiveEvent> events) {
        Map<String, String> now = new HashMap<>();
        engine.queries().workers(tenant, WORKERS, RunQuery.MAX_LIMIT).forEach(note -> {
            JsonObject worker = new JsonObject()
                    .put("worker", note.worker().label())
                    .put("slots", note.slots())
                    .put("busy", note.busy())
                    .put("alive", true);
            now.put(note.worker().instance(), worker.encode());
            if (!worker.encode().equals(last.workers.get(note.worker().instance()))) {
                events.add(new LiveEvent(LiveEvent.WORKERS, "worker.changed", worker));
            }
        });
        last.workers.forEach((instance, worker) -> {
            if (!now.containsKey(instance)) {
                JsonObject gone = new JsonObject(worker).put("alive", false);
                events.add(new LiveEvent(LiveEvent.WORKERS, "worker.changed", gone));
            }
        });
        last.workers = now;
    }

    private void janitor(String tenant, Seen last, List<LiveEvent> events) {
        List<Janitor.Round> rounds = engine.janitor().lastRound().orElse(List.of());
        if (rounds.equals(last.rounds)) {
            return;
        }
        last.rounds = rounds;
        for (Janitor.Round round : rounds) {
            round.actions().stream()
                    .filter(action -> action.key().tenant().equals(tenant))
                    .forEach(action -> events.add(new LiveEvent(
                            LiveEvent.JANITOR,
                            "janitor.swept",
                            new JsonObject()
                                    .put("at", TimeText.format(round.at()))
                                    .put("sweep", round.sweep())
                                    .put("key", action.key().name())
                                    .put("why", action.why()))));
        }
    }

    private static final class Seen {
        private Map<String, Map<String, @Nullable Object>> locks = new HashMap<>();
        private Map<String, String> workers = new HashMap<>();
        private List<Janitor.Round> rounds = List.of();
    }
}
