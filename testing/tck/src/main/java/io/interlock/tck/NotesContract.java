package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.HoldTimes;
import io.interlock.run.JobName;
import io.interlock.run.RefusalCount;
import io.interlock.run.RefusalCount.Outcome;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.Length;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.RunTexts;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.WorkSteps.OutputNote;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Output, counts, periods and bookmarks. */
interface NotesContract extends RunContract {

    /** The beginning of some minute. */
    Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    private RunNotes notes() {
        return client().store().notes();
    }

    private static OutputNote saying(Claimed work, String text) {
        return new OutputNote(
                work.run().id(),
                work.run().key(),
                work.lease().id(),
                work.lease().token(),
                text);
    }

    @Test
    default void theEndOfWhatARunSaysIsKept() {
        client().starts(key("output"), spec());
        Claimed work = client().claim();
        assertThat(client().store().queries().outputs(work.run().id())).isEmpty();
        assertThat(client().store().work().keepOutput(saying(work, "one\ntwo 🚀")))
                .isTrue();
        assertThat(client().store().queries().outputs(work.run().id())).isEqualTo(Map.of(1, "one\ntwo 🚀"));
        String long_ = "x".repeat(RunTexts.MAX_BODY);
        assertThat(client().store().work().keepOutput(saying(work, long_))).isTrue();
        assertThat(client().store().queries().outputs(work.run().id())).isEqualTo(Map.of(1, long_));
        client().succeeds(work);
        assertThat(client().store().work().keepOutput(saying(work, "")))
                .as("its last output")
                .isTrue();
        assertThat(client().store().queries().outputs(work.run().id())).isEqualTo(Map.of(1, ""));
        assertThat(client().store().queries().outputs(RunClient.freshRun())).isEmpty();
    }

    @Test
    default void theOutputOfTheLastAttemptsIsKept() {
        client().starts(key("other"), spec());
        Claimed other = client().claim();
        client().store().work().keepOutput(saying(other, "of another run"));
        int attempts = OutputNote.MOST_ATTEMPTS + 3;
        client().starts(key("attempts"), spec().retry(new RetryPlan(attempts, Duration.ZERO, 1, Duration.ZERO)));
        Claimed work = client().claim();
        SortedMap<Integer, String> expected = new TreeMap<>();
        for (int attempt = 1; attempt <= attempts; attempt++) {
            // The second one writes nothing.
            if (attempt != 2) {
                assertThat(client().store().work().keepOutput(saying(work, "attempt " + attempt)))
                        .isTrue();
                expected.put(attempt, "attempt " + attempt);
                expected.headMap(attempt - OutputNote.MOST_ATTEMPTS + 1).clear();
            }
            assertThat(client().store().queries().outputs(work.run().id())).isEqualTo(expected);
            if (attempt < attempts) {
                client().failsForNow(work);
                work = client().claim();
            }
        }
        assertThat(expected).hasSize(OutputNote.MOST_ATTEMPTS).containsKey(attempts);
        assertThat(client().store().queries().outputs(other.run().id())).isEqualTo(Map.of(1, "of another run"));
    }

    @Test
    default void outputNeedsTheProofOfTheCurrentOrLastAttempt() {
        client().starts(key("proof"), spec().retry(DeadLetterWords.TWICE));
        Claimed first = client().claim();
        OutputNote right = saying(first, "first");
        client().store().work().keepOutput(right);
        FencingToken otherToken = new FencingToken(right.token().value() + 1);
        for (OutputNote wrong : List.of(
                new OutputNote(right.run(), right.key(), right.lease(), otherToken, "wrong"),
                new OutputNote(right.run(), right.key(), ContractRequests.freshId(), right.token(), "wrong"),
                new OutputNote(right.run(), key("other"), right.lease(), right.token(), "wrong"),
                new OutputNote(RunClient.freshRun(), right.key(), right.lease(), right.token(), "wrong"))) {
            assertThat(client().store().work().keepOutput(wrong))
                    .as("%s", wrong)
                    .isFalse();
        }
        assertThat(client().store().queries().outputs(right.run())).isEqualTo(Map.of(1, "first"));
        client().failsForNow(first);
        assertThat(client().store().work().keepOutput(saying(first, "last of the first")))
                .isTrue();
        Claimed second = client().claim();
        assertThat(client().store().work().keepOutput(saying(first, "too late")))
                .isFalse();
        assertThat(client().store().queries().outputs(right.run())).isEqualTo(Map.of(1, "last of the first"));
        assertThat(client().store().work().keepOutput(saying(second, "second"))).isTrue();
        assertThat(client().store().queries().outputs(right.run()))
                .isEqualTo(Map.of(1, "last of the first", 2, "second"));
    }

    private static RefusalCount count(String node, Instant minute, Outcome outcome, long count, String last) {
        return new RefusalCount(Bench.key("counted"), node, minute, ConflictPolicy.REJECT, outcome, count, last);
    }

    private void counts(RefusalCount... counts) {
        notes().countRefusals(List.of(counts));
    }

    private List<RefusalCount> counted(Instant since) {
        return notes().refusals(key("counted"), since);
    }

    @Test
    default void aCountSentAgainCountsOnce() {
        RefusalCount three = count("node-1", NOON, Outcome.REJECTED, 3, "held by run 7");
        counts(three);
        counts(three, three);
        assertThat(counted(NOON)).containsExactly(three);
        counts(count("node-1", NOON, Outcome.REJECTED, 2, "sent before"));
        assertThat(counted(NOON)).as("a smaller count arrived late").containsExactly(three);
        RefusalCount five = count("node-1", NOON, Outcome.REJECTED, 5, "held by run 8");
        counts(five);
        assertThat(counted(NOON)).containsExactly(five);
    }

    @Test
    default void everyNodeMinutePolicyAndOutcomeCountsForItself() {
        RefusalCount first = count("node-1", NOON, Outcome.REJECTED, 3, "a");
        RefusalCount other = count("node-2", NOON, Outcome.REJECTED, 4, "b");
        RefusalCount duplicate = count("node-1", NOON, Outcome.DUPLICATE, 1, "c");
        RefusalCount joined =
                new RefusalCount(key("counted"), "node-1", NOON, ConflictPolicy.JOIN, Outcome.REJECTED, 9, "d");
        RefusalCount later = count("node-1", NOON.plusSeconds(60), Outcome.REJECTED, 2, "e");
        counts(later, first, other, duplicate, joined);
        notes().countRefusals(List.of(new RefusalCount(
                LockKey.of("globex", "counted"), "node-1", NOON, ConflictPolicy.REJECT, Outcome.REJECTED, 7, "f")));
        List<RefusalCount> all = counted(NOON);
        assertThat(all).containsExactlyInAnyOrder(first, other, duplicate, joined, later);
        assertThat(all).extracting(RefusalCount::minute).isSorted();
        assertThat(counted(NOON.plusSeconds(60))).containsExactly(later);
        assertThat(counted(NOON.plusSeconds(1))).containsExactly(later);
        assertThat(counted(NOON.plusSeconds(61))).isEmpty();
    }

    private static RunPeriod period(@Nullable String job, Length length, Instant start) {
        return RunPeriod.empty("acme", job == null ? null : new JobName(job), length, length.start(start));
    }

    @Test
    default void periodsAddUp() throws Exception {
        RunPeriod one = period("close", Length.MINUTE, NOON)
                .ended(RunState.SUCCEEDED, 1)
                .held(HoldTimes.of(Duration.ofSeconds(3)))
                .waiting(7);
        RunPeriod two = period("close", Length.MINUTE, NOON)
                .ended(RunState.DEAD, 1)
                .ended(RunState.ABORTED, 1)
                .held(HoldTimes.of(Duration.ofMinutes(2)))
                .waiting(4);
        notes().addPeriods(List.of());
        notes().addPeriods(List.of(one, two));
        ParallelThreads.run(4, index -> bench().anotherClient().store().notes().addPeriods(List.of(two, one)));
        RunPeriod sum = notes().periods(PeriodQuery.of("acme", new JobName("close"), Length.MINUTE, NOON))
                .get(0);
        assertThat(sum.succeeded()).isEqualTo(5);
        assertThat(sum.failed()).isEqualTo(5);
        assertThat(sum.stopped()).isEqualTo(5);
        assertThat(sum.waiting()).as("the greatest number").isEqualTo(7);
        assertThat(sum.holds().total()).isEqualTo(10);
        assertThat(sum.holds().within(0.5).orElseThrow()).isBetween(Duration.ofMillis(2700), Duration.ofMillis(3300));
        assertThat(sum.holds().within(0.95).orElseThrow()).isBetween(Duration.ofSeconds(108), Duration.ofSeconds(132));
    }

    @Test
    default void periodsAreToldApartByTenantJobLengthAndBeginning() {
        Instant later = NOON.plusSeconds(3600);
        RunPeriod all = period(null, Length.HOUR, NOON).ended(RunState.SUCCEEDED, 1);
        RunPeriod close = period("close", Length.HOUR, NOON).ended(RunState.FAILED, 1);
        RunPeriod then = period("close", Length.HOUR, later).ended(RunState.TIMED_OUT, 1);
        RunPeriod open = period("open", Length.HOUR, NOON).waiting(3);
        RunPeriod minute = period("close", Length.MINUTE, NOON).ended(RunState.SUCCEEDED, 1);
        RunPeriod other = RunPeriod.empty("globex", new JobName("close"), Length.HOUR, NOON)
                .waiting(1);
        notes().addPeriods(List.of(then, open, close, minute, all, other));
        assertThat(notes().periods(PeriodQuery.ofAll("acme", Length.HOUR, NOON)))
                .containsExactly(all);
        assertThat(notes().periods(PeriodQuery.ofEach("acme", Length.HOUR, NOON)))
                .containsExactly(close, open, then);
        assertThat(notes().periods(PeriodQuery.ofEach("acme", Length.HOUR, NOON.plusSeconds(1))))
                .containsExactly(then);
        assertThat(notes().periods(PeriodQuery.of("acme", new JobName("close"), Length.MINUTE, NOON)))
                .containsExactly(minute);
        assertThat(notes().periods(PeriodQuery.of("globex", new JobName("close"), Length.HOUR, NOON)))
                .containsExactly(other);
        assertThat(notes().periods(PeriodQuery.ofAll("globex", Length.HOUR, NOON)))
                .isEmpty();
    }

    @Test
    default void aBookmarkMovesOnlyFromWhereOneSawIt() throws Exception {
        assertThat(notes().bookmark("events")).isZero();
        assertThat(notes().moveBookmark("events", 1, 2)).isFalse();
        assertThat(notes().moveBookmark("events", 0, 7)).isTrue();
        assertThat(notes().moveBookmark("events", 0, 8)).isFalse();
        assertThat(notes().bookmark("events")).isEqualTo(7);
        assertThat(notes().bookmark("others")).isZero();
        ParallelThreads.run(4, index -> {
            RunNotes own = bench().anotherClient().store().notes();
            for (int moved = 0; moved < 10; ) {
                long seen = own.bookmark("events");
                moved += own.moveBookmark("events", seen, seen + 1) ? 1 : 0;
            }
        });
        assertThat(notes().bookmark("events")).isEqualTo(47);
    }
}
