package io.interlock.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus;
import io.interlock.spi.run.rules.DueRules;
import io.interlock.spi.run.rules.QueueRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queue answers as if it sorted all its runs. */
class MemoryQueueTest {

    private static final LockKey KEY = LockKey.of("acme", "line");
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final MemoryQueue queue = new MemoryQueue();
    private final Map<Long, Run> all = new TreeMap<>();
    private final Set<RunId> isReady = new HashSet<>();
    private Instant now = START;
    private long numbers;

    @Test
    void anEmptyQueueHasNothing() {
        assertThat(queue.size()).isZero();
        assertThat(queue.front(Set.of(), 4)).isEmpty();
        assertThat(queue.nextDue(Set.of())).isNull();
        assertThat(queue.oldest()).isNull();
    }

    @Test
    void aPointOfPriorityIsWorthAMinuteOfWaiting() {
        Run old = put(0, null);
        now = now.plus(Duration.ofMinutes(10));
        Run ten = put(10, null);
        Run eleven = put(11, null);
        assertThat(queue.front(Set.of(), 3)).containsExactly(eleven, old, ten);
        assertThat(queue.ahead(old, now, Set.of())).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void itAnswersAsASortedListWould(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < 400; step++) {
            now = now.plusSeconds(random.nextInt(40));
            if (random.nextInt(3) > 0 || all.isEmpty()) {
                put(random.nextInt(31) - 15, random.nextInt(3) == 0 ? now.plusSeconds(random.nextInt(300)) : null);
            } else {
                Run any = new ArrayList<>(all.values()).get(random.nextInt(all.size()));
                if (random.nextBoolean()) {
                    queue.remove(any.id());
                    all.remove(any.number());
                } else {
                    keep(any);
                }
            }
            compare(random);
        }
    }

    private void compare(Random random) {
        Set<RunId> except = new HashSet<>();
        all.values().stream().filter(run -> random.nextInt(10) == 0).forEach(run -> except.add(run.id()));
        Comparator<Run> order = QueueRules.ORDER;
        Predicate<Run> ready = run -> isReady.contains(run.id());
        assertThat(queue.size()).isEqualTo(all.size());
        assertThat(queue.all()).containsExactlyElementsOf(all.values());
        assertThat(queue.front(except, 5))
                .containsExactlyElementsOf(
                        others(except).filter(ready).sorted(order).limit(5).toList());
        assertThat(queue.resting(except, 5))
                .containsExactlyElementsOf(others(except)
                        .filter(ready.negate())
                        .sorted(order)
                        .limit(5)
                        .toList());
        assertThat(queue.ofJob(new JobName("job-1"), except))
                .containsExactlyElementsOf(others(except)
                        .filter(run -> run.job().value().equals("job-1"))
                        .toList());
        assertThat(queue.due(now, except, 1000))
                .containsExactlyInAnyOrderElementsOf(others(except)
                        .filter(run -> ready.negate().test(run) && run.status().mayBegin(now))
                        .toList());
        assertThat(queue.nextDue(except))
                .isEqualTo(others(except)
                        .filter(ready.negate())
                        .map(run -> run.status().notBefore())
                        .filter(Objects::nonNull)
                        .min(Comparator.naturalOrder())
                        .orElse(null));
        all.values().stream().filter(run -> random.nextInt(20) == 0).forEach(run -> {
            Set<RunId> others = new HashSet<>(except);
            others.add(run.id());
            boolean waitsReady = QueueRules.isReady(run, now);
            long ahead = others(others)
                    .filter(other ->
                            ready.test(other) == waitsReady ? order.compare(other, run) < 0 : ready.test(other))
                    .count();
            assertThat(queue.ahead(run, now, others)).isEqualTo((int) ahead);
        });
    }

    private Stream<Run> others(Set<RunId> except) {
        return all.values().stream().filter(run -> !except.contains(run.id()));
    }

    private Run put(int priority, @Nullable Instant notBefore) {
        long number = ++numbers;
        RunStatus status = RunStatus.queued(now, null);
        Run run = new Run(
                new RunId(new UUID(7, number)),
                KEY,
                number,
                now,
                RunSpec.of(new JobName("job-" + number % 3), "alice").priority(priority),
                LineLimits.NONE,
                notBefore == null ? status : status.resting(notBefore, new RunError("BROKEN", "it broke")));
        keep(run);
        return run;
    }

    private void keep(Run run) {
        all.put(run.number(), run);
        boolean ready = QueueRules.isReady(run, now);
        if (ready) {
            isReady.add(run.id());
        }
        queue.put(run, ready, DueRules.ofWaiting(run, now));
    }
}
