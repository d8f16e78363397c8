package io.interlock.spi.run.rules;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One key and its runs, with injected time: the smallest store for tests of the rules. */
final class OneKey {

    static final LockKey KEY = LockKey.of("acme", "cluster");
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    final Map<RunId, Run> open = new LinkedHashMap<>();
    Instant now = START;
    Instant heardSince = START;

    @Nullable
    LeaseRow lease;

    @Nullable
    Reservation reservation;

    @Nullable
    Resource resource;

    int busyElsewhere;
    TenantSlots.@Nullable Rival rival;
    private long lastToken;
    private long numbers;

    void advance(Duration time) {
        now = now.plus(time);
    }

    KeyState load() {
        TenantSlots tenant = new TenantSlots() {
            @Override
            public int busy() {
                return busyElsewhere
                        + (int) open.values().stream()
                                .filter(run -> run.state() != RunState.QUEUED)
                                .count();
            }

            @Override
            public @Nullable Rival firstRival(int busy) {
                return rival;
            }
        };
        StepContext context = new StepContext(
                KEY, now, new StepContext.Tokens(0, 0), null, heardSince, List.of(), tenant, () -> numbers + 1, 0.5);
        return new KeyState(
                context,
                new KeyRows(
                        lease,
                        lastToken,
                        reservation,
                        open.values().stream()
                                .filter(run -> run.state() != RunState.QUEUED)
                                .toList(),
                        new ListQueue(
                                open.values().stream()
                                        .filter(run -> run.state() == RunState.QUEUED)
                                        .toList(),
                                now),
                        resource));
    }

    /** One step, and what it answers. */
    <T> T step(Function<KeyState, T> rule) {
        KeyState state = load();
        T answer = rule.apply(state);
        keep(state);
        return answer;
    }

    void keep(KeyState state) {
        lease = state.lease().orElse(null);
        lastToken = state.lastToken();
        reservation = state.reservation().orElse(null);
        resource = state.resource().orElse(null);
        for (Run run : state.changes().runs()) {
            numbers = Math.max(numbers, run.number());
            if (run.state().isTerminal()) {
                open.remove(run.id());
            } else {
                open.put(run.id(), run);
            }
        }
    }
}
