package io.interlock.service;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.EngineQueries;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.RunQuery;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who had a key, from the audit log: every beginning and end of an attempt is a record, found by the key's index, the newest first. It
 * says where it does not know: before what was looked at, where records were forgotten, and before a lease without a run, because such
 * leases leave no record when they end.
 */
final class HoldHistory {

    /** How many records are looked at. */
    private static final int LOOKED_AT = 2_000;

    private static final String RUNNING = RunState.RUNNING.name();

    private final EngineQueries queries;
    private final LockKey key;
    private final @Nullable Instant since;
    private final Instant until;
    private final int limit;

    private final Deque<Hold> holds = new ArrayDeque<>();
    private final Set<FencingToken> evicted = new HashSet<>();
    private final Map<RunId, Instant> submitted = new HashMap<>();
    private @Nullable AuditRecord end;
    private boolean complete;

    /** The last {@code limit} holds of {@code key} before {@code until} that had not ended at {@code since}. */
    HoldHistory(EngineQueries queries, LockKey key, @Nullable Instant since, Instant until, int limit) {
        this.queries = queries;
        this.key = key;
        this.since = since;
        this.until = until;
        this.limit = limit;
    }

    /** One attempt; {@code end} is {@code null} if it has none yet. */
    private record Hold(AuditRecord begin, @Nullable AuditRecord end, boolean evicted) {

        Instant from() {
            return begin.at();
        }

        /** Whether its lease was over before its work: its worker was silent, or it was taken away. */
        boolean isLost() {
            return evicted
                    || (end != null
                            && end.actor().equals(AuditRecord.RULES)
                            && !end.after().equals(RunState.TIMED_OUT.name()));
        }

        Facts json() {
            return Facts.with("from", begin.at())
                    .and("to", end, AuditRecord::at)
                    .and("run", begin.run())
                    .and("holder", begin.actor())
                    .and("token", begin.token(), FencingToken::value)
                    .and("state", end == null ? RUNNING : end.after())
                    .and("lost", isLost())
                    .and("why", end, AuditRecord::reason);
        }
    }

    Facts json(Optional<KeyView> view) {
        read();
        // A run that is tried again has waited for its first attempt only.
        List<Facts> items = new ArrayList<>(holds.stream()
                .map(hold -> hold.json()
                        .and("waitingSince", submitted.remove(hold.begin().run())))
                .toList());
        List<Facts> unknown = new ArrayList<>();
        Instant first = holds.isEmpty() ? until : holds.getFirst().from();
        Instant start = since == null ? first : since;
        Instant kept = queries.auditKeptSince();
        if (!complete) {
            unknown.add(unknown(since, first, "NOT_READ"));
        } else if (start.isBefore(kept)) {
            unknown.add(unknown(start, kept, "FORGOTTEN"));
        }
        view.map(KeyView::lease).filter(this::isBare).ifPresent(lease -> {
            Hold last = holds.peekLast();
            Instant free =
                    last == null || last.end() == null ? start : last.end().at();
            if (free.isBefore(lease.grantedAt())) {
                unknown.add(unknown(free, lease.grantedAt(), "LEASES"));
            }
            items.add(Facts.with("from", lease.grantedAt())
                    .and("holder", lease.holder().label())
                    .and("token", lease.token().value())
                    .and("state", RUNNING)
                    .and("lost", false));
        });
        return Facts.with("key", key.name())
                .and("since", start)
                .and("until", until)
                .and("items", items)
                .and("unknown", unknown)
                .and("pauses", pauses(start))
                .and("refusals", LockFacts.refusals(queries.refusals(key, until.minus(LockFacts.REFUSALS_SHOWN))));
    }

    private boolean isBare(LeaseRecord lease) {
        return lease.holder().runId().isEmpty() && lease.grantedAt().isBefore(until);
    }

    private static Facts unknown(@Nullable Instant from, Instant to, String why) {
        return Facts.with("from", from).and("to", to).and("why", why);
    }

    /** Reads backwards until enough is known. */
    private void read() {
        long before = 0;
        for (int looked = 0; looked < LOOKED_AT && !complete; looked += RunQuery.MAX_LIMIT) {
            List<AuditRecord> page =
                    queries.audit(new AuditQuery(key.tenant(), key, null, null, null, before, RunQuery.MAX_LIMIT)
                            .narrowed(new AuditQuery.Narrowing(until, "", null)));
            for (AuditRecord record : page) {
                if (isEnough(record)) {
                    return;
                }
                take(record);
            }
            complete = page.size() < RunQuery.MAX_LIMIT;
            before = page.isEmpty() ? 0 : page.get(page.size() - 1).sequence();
        }
    }

    /** Whether {@code next} is before all that was asked for. */
    private boolean isEnough(AuditRecord next) {
        if (end != null) {
            return false;
        }
        complete = since != null && next.at().isBefore(since);
        return complete || holds.size() == limit;
    }

    private void take(AuditRecord record) {
        if (record.action().equals("evicted") && record.token() != null) {
            evicted.add(record.token());
        }
        if (record.action().equals("submitted") && record.run() != null) {
            submitted.put(record.run(), record.at());
        }
        if (!record.action().equals("run")) {
            return;
        }
        if (record.before().equals(RUNNING)) {
            end = record;
        } else if (record.after().equals(RUNNING)) {
            boolean ended = end != null && Objects.equals(end.token(), record.token());
            holds.addFirst(new Hold(record, ended ? end : null, evicted.contains(record.token())));
            end = null;
        }
    }

    /** Pauses of the key that began at {@code start} or later, and those in force. */
    private List<Facts> pauses(Instant start) {
        List<Facts> found = new ArrayList<>();
        Map<String, AuditRecord> begun = new LinkedHashMap<>();
        Stream.concat(records("paused", start), records("resumed", start))
                .sorted(Comparator.comparingLong(AuditRecord::sequence))
                .forEach(record -> {
                    Optional.ofNullable(begun.remove(record.key().name()))
                            .ifPresent(before -> found.add(pause(before, record.at())));
                    if (record.action().equals("paused")) {
                        begun.put(record.key().name(), record);
                    }
                });
        queries.pauses(key.tenant()).stream().filter(pause -> pause.covers(key)).forEach(pause -> {
            begun.remove(pause.pattern());
            found.add(pause(pause.since(), pause.until(), pause.actor(), pause.reason()));
        });
        // No record ended the others, and they are not in force: they ended by themselves.
        begun.values().forEach(before -> Pause.endIn(before).ifPresent(end -> found.add(pause(before, end))));
        return found;
    }

    /** A pause that another record ended, unless it had ended by itself before. */
    private static Facts pause(AuditRecord begun, Instant end) {
        Instant own = Pause.endIn(begun).orElse(end);
        return pause(begun.at(), own.isBefore(end) ? own : end, begun.actor(), begun.reason());
    }

    private Stream<AuditRecord> records(String action, Instant start) {
        return queries.audit(new AuditQuery(key.tenant(), null, null, action, start, 0, RunQuery.MAX_LIMIT)).stream()
                .filter(record -> Pause.covers(record.key().name(), key));
    }

    private static Facts pause(Instant from, @Nullable Instant to, String by, String reason) {
        return Facts.with("from", from).and("to", to).and("by", by).and("reason", reason);
    }
}
