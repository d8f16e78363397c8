package io.interlock.store.sql;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Execution;
import io.interlock.run.RunSpec.Origin;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.run.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whatever can be asked of a run, and wherever one can stand. */
final class RandomRuns {

    private static final int[] LETTERS = {
        'a', 'Z', '0', ' ', '=', '\\', '\n', '\r', '\t', 0, '"', '\'', '{', ':', 0x7f, 0x85, 0xe9, 0x2028, 0x1f680,
        0xd800, 0xdfff
    };

    private final Random random;

    RandomRuns(Random random) {
        this.random = random;
    }

    RunSpec spec() {
        Duration backoff = duration();
        return new RunSpec(
                new JobName("job-" + random.nextInt(100)),
                one(ConflictPolicy.values()),
                one(Execution.values()),
                random.nextInt(201) - 100,
                text(),
                labels(),
                new LeaseTerms(LeaseTerms.MIN_TTL.plus(duration()), duration()),
                new RunLimits(perhaps(this::duration), perhaps(() -> duration().plusSeconds(1)), duration()),
                new RetryPlan(1 + random.nextInt(100), backoff, 1 + random.nextDouble() * 99, backoff.plus(duration())),
                perhaps(() -> new Transition(words(), states(), words(), words(), words())),
                new Origin(
                        words(),
                        perhaps(this::words),
                        perhaps(this::words),
                        perhaps(this::words),
                        perhaps(this::words)));
    }

    LineLimits line() {
        return random.nextBoolean()
                ? LineLimits.NONE
                : new LineLimits(1 + random.nextInt(1000), 1 + random.nextInt(1000));
    }

    RunStatus status() {
        return new RunStatus(
                one(RunState.values()),
                instant(),
                random.nextInt(100),
                perhaps(this::instant),
                perhaps(() -> new Waiter(instant(), random.nextBoolean())),
                perhaps(this::turn),
                Stream.generate(() -> new Stage(words(), instant()))
                        .limit(random.nextInt(4))
                        .toList(),
                random.nextBoolean() ? Progress.NONE : new Progress(3, perhaps(() -> 3 + (long) random.nextInt(9))),
                perhaps(() -> new StopRequest(text(), text(), text(), instant())),
                perhaps(this::text),
                perhaps(() -> new RunError(text(), text())));
    }

    /** An id for a run that stands so: often the one that its attempt is known by. */
    RunId idOf(RunStatus status) {
        return status.lastTurn()
                .map(turn -> turn.holder().run())
                .filter(own -> random.nextBoolean())
                .orElseGet(() -> new RunId(uuid()));
    }

    private Turn turn() {
        Holder holder = new Holder(words(), words(), perhaps(() -> new RunId(uuid())));
        FencingToken token = new FencingToken(1 + random.nextLong(FencingToken.MAX_VALUE));
        return new Turn(1 + random.nextInt(100), new LeaseId(uuid()), token, holder, instant());
    }

    private Map<String, String> labels() {
        Map<String, String> labels = new HashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            labels.put(text(), text());
        }
        return labels;
    }

    private Set<String> states() {
        Set<String> states = new HashSet<>(Set.of("none"));
        for (int i = random.nextInt(4); i > 0; i--) {
            states.add(words());
        }
        return states;
    }

    private Duration duration() {
        return Duration.ofNanos(random.nextLong(1_000_000_000_000L));
    }

    private Instant instant() {
        return Instant.ofEpochSecond(
                random.nextInt(2_000_000_000), random.nextInt(1_000_000) * (random.nextBoolean() ? 1L : 1_000L));
    }

    private UUID uuid() {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private String words() {
        return "state " + random.nextInt(1000) + " = \\ é";
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.appendCodePoint(LETTERS[random.nextInt(LETTERS.length)]);
        }
        return text.toString();
    }

    private <T> T one(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private <T> @Nullable T perhaps(Supplier<T> value) {
        return random.nextBoolean() ? value.get() : null;
    }
}
