package io.interlock.tck;

import static io.interlock.tck.RunClient.as;
import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.RunQuery;
import io.interlock.run.Transition;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunSteps.DiscardRequest;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.Upkeep;
import io.interlock.spi.run.Upkeep.Forgotten;
import io.interlock.spi.run.WorkSteps.OutputNote;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Deleting old history, and nothing else. */
interface HistoryContract extends HistoryWords {

    @Test
    default void aRunIsForgottenWithAllThatBelongsToItButNotBeforeItsTime() {
        client().starts(key("old"), spec());
        Claimed work = client().claim();
        client().store()
                .work()
                .keepOutput(new OutputNote(
                        work.run().id(),
                        key("old"),
                        work.lease().id(),
                        work.lease().token(),
                        "hello"));
        Run run = client().succeeds(work);
        advance(Duration.ofMinutes(59));
        assertThat(forget(10).runs()).isZero();
        client().is(run.id(), RunState.SUCCEEDED);
        advance(Duration.ofMinutes(2));
        assertThat(forget(10).runs()).isEqualTo(1);
        assertThat(client().store().queries().findRun(run.id())).isEmpty();
        assertThat(client().store().queries().attempts(run.id())).isEmpty();
        assertThat(client().store().queries().outputs(run.id())).isEmpty();
        assertThat(client().store()
                        .queries()
                        .listRuns(RunQuery.ofTenant("acme"))
                        .runs())
                .isEmpty();
        assertThat(client().store().audit().records(key("old")))
                .as("the log is kept for longer")
                .hasSize(3);
        assertThat(forget(10)).isEqualTo(new Forgotten(0, 0));
    }

    @Test
    default void whatHasNotEndedIsNeverForgotten() {
        Run running = client().starts(key("live"), spec()).run();
        client().claim();
        Run waiting = client().queues(key("live"), spec().policy(ConflictPolicy.QUEUE))
                .run();
        Run pending = client().starts(key("live-2"), spec()).run();
        advance(Duration.ofDays(3));
        assertThat(forget(10).runs()).isZero();
        for (Run run : List.of(running, waiting, pending)) {
            assertThat(client().store().queries().findRun(run.id())).isPresent();
        }
        assertThat(client().claim(10)).as("and they continue").hasSize(2);
    }

    @Test
    default void aRunIsKeptAsLongAsANameForItCounts() {
        SubmitRequest.Idempotency own = named("mine", 2);
        Run run = client().submitted(
                        SubmitRequest.of(freshRun(), key("named"), spec()).knownBy(own));
        SubmitRequest.Idempotency joined = named("joined", 4);
        SubmitRequest joining = SubmitRequest.of(freshRun(), key("named"), spec().policy(ConflictPolicy.JOIN))
                .knownBy(joined);
        assertThat(client().submit(joining)).isInstanceOf(SubmitAnswer.Joined.class);
        client().succeeds(client().claim());
        advance(Duration.ofMinutes(90));
        assertThat(forget(10).runs()).isZero();
        assertThat(again(own)).isInstanceOf(SubmitAnswer.Duplicate.class);
        advance(Duration.ofHours(2));
        assertThat(forget(10).runs())
                .as("another idempotency key is still valid")
                .isZero();
        assertThat(as(SubmitAnswer.Duplicate.class, again(joined)).run().id()).isEqualTo(run.id());
        advance(Duration.ofHours(1));
        assertThat(forget(10).runs()).isEqualTo(1);
        Run next = as(SubmitAnswer.Started.class, again(own)).run();
        assertThat(next.id()).isNotEqualTo(run.id());
        assertThat(as(SubmitAnswer.Duplicate.class, again(own)).run().id()).isEqualTo(next.id());
    }

    @Test
    default void aNameWhoseTimeIsOverMakesANewRun() {
        SubmitRequest.Idempotency name = named("over", 1);
        Run first = as(SubmitAnswer.Started.class, again(name)).run();
        client().succeeds(client().claim());
        assertThat(as(SubmitAnswer.Duplicate.class, again(name)).run().id()).isEqualTo(first.id());
        advance(Duration.ofMinutes(61));
        Run second = as(SubmitAnswer.Started.class, again(name)).run();
        assertThat(second.id()).isNotEqualTo(first.id());
        client().is(first.id(), RunState.SUCCEEDED);
        assertThat(as(SubmitAnswer.Duplicate.class, again(name)).run().id()).isEqualTo(second.id());
    }

    private static SubmitRequest.Idempotency named(String name, int hours) {
        return new SubmitRequest.Idempotency(name, "print", Duration.ofHours(hours));
    }

    private SubmitAnswer again(SubmitRequest.Idempotency name) {
        return client().submit(
                        SubmitRequest.of(freshRun(), key("named"), spec()).knownBy(name));
    }

    @Test
    default void noMoreIsForgottenThanAllowed() {
        for (int i = 0; i < 3; i++) {
            done("limit-" + i);
        }
        advance(Duration.ofHours(2));
        assertThat(forget(2).runs()).isEqualTo(2);
        assertThat(forget(2).runs()).isEqualTo(1);
        assertThat(forget(2).runs()).isZero();
    }

    @Test
    default void tokensNumbersAndResourcesOutliveTheirRuns() {
        Transition guard = new Transition("cluster", Set.of("none", "READY"), "LOADING", "READY", "BROKEN");
        client().starts(key("token"), spec().guard(guard));
        Claimed work = client().claim();
        client().succeeds(work);
        advance(Duration.ofHours(2));
        assertThat(forget(10).runs()).isEqualTo(1);
        assertThat(client().store()
                        .queries()
                        .resource(key("token"))
                        .orElseThrow()
                        .state())
                .isEqualTo("READY");
        Run next = client().starts(key("token"), spec().guard(guard)).run();
        assertThat(next.number()).isGreaterThan(work.run().number());
        assertThat(client().claim().lease().token()).isGreaterThan(work.lease().token());
    }

    @Test
    default void openDeadLettersAreKeptLonger() {
        Run open = dead("open");
        Run settled = dead("settled");
        client().store().runs().discard(new DiscardRequest(settled.id(), "dora", "not needed"));
        advance(Duration.ofHours(2));
        assertThat(forget(10).runs()).isEqualTo(1);
        assertThat(client().store().queries().deadLetters(new DeadLetterQuery("acme", null, false, 0, 10)))
                .singleElement()
                .satisfies(letter -> assertThat(letter.run().id()).isEqualTo(open.id()));
        advance(Duration.ofHours(2));
        assertThat(forget(10).runs()).isEqualTo(1);
        assertThat(client().store().queries().deadLetters(DeadLetterQuery.openOf("acme")))
                .isEmpty();
    }

    private Run dead(String name) {
        client().starts(key(name), spec().retry(DeadLetterWords.TWICE));
        client().failsForNow(client().claim());
        return client().failsForNow(client().claim());
    }

    @Test
    default void countsAreForgottenWithTheRunsOfTheirTime() {
        RunNotes notes = client().store().notes();
        Instant minute = done("clock").submittedAt().truncatedTo(ChronoUnit.MINUTES);
        RefusalCount count = new RefusalCount(
                key("clock"), "node-1", minute, ConflictPolicy.SKIP, RefusalCount.Outcome.SKIPPED, 2, "busy");
        notes.countRefusals(List.of(count));
        forget(10);
        assertThat(notes.refusals(key("clock"), minute)).containsExactly(count);
        advance(Duration.ofMinutes(62));
        forget(10);
        assertThat(notes.refusals(key("clock"), minute)).isEmpty();
    }

    @Test
    default void periodsAreForgottenTheShorterTheSooner() {
        RunNotes notes = client().store().notes();
        Instant then = done("clock").submittedAt();
        List<RunPeriod> all = Stream.of(RunPeriod.Length.values())
                .map(length -> RunPeriod.empty("acme", null, length, length.start(then))
                        .waiting(1))
                .toList();
        notes.addPeriods(all);
        Duration past = Duration.ZERO;
        for (RunPeriod kept : all) {
            PeriodQuery query = PeriodQuery.ofAll("acme", kept.length(), Instant.EPOCH);
            // The period began up to its length before now.
            advance(kept.length().kept().minus(kept.length().time()).minus(past).minusMinutes(1));
            forget(10);
            assertThat(notes.periods(query)).containsExactly(kept);
            advance(kept.length().time().plusMinutes(2));
            forget(10);
            assertThat(notes.periods(query)).isEmpty();
            past = kept.length().kept().plusMinutes(1);
        }
    }

    @Test
    default void onlySealedRecordsAreForgottenAndTheChainHangsOnTheAnchor() {
        log();
        done("chain");
        advance(Duration.ofMinutes(121));
        assertThat(forget(10).auditRecords()).as("not sealed").isZero();
        Seal sealed = sealAll(3);
        assertThat(forget(2).auditRecords()).as("the limit").isEqualTo(2);
        assertThat(log().anchor().position()).isEqualTo(2);
        assertThat(wholeChain(log().anchor())).hasSize(1);
        assertThat(forget(10).auditRecords()).isEqualTo(1);
        assertThat(log().anchor()).isEqualTo(sealed);
        assertThat(log().head()).isEqualTo(sealed);
        assertThat(log().sealed(0, 10)).isEmpty();
        assertThat(log().records(AuditQuery.ofTenant("acme", 10))).isEmpty();
        client().starts(key("chain"), spec());
        assertThat(unsealed(1)).extracting(AuditRecord::sequence).allMatch(number -> number > sealed.sequence());
        sealAll(1);
        assertThat(wholeChain(sealed)).hasSize(1);
        advance(Duration.ofMinutes(119));
        assertThat(forget(10).auditRecords()).as("not yet").isZero();
    }

    @Test
    default void severalMayForgetAtOnce() throws Exception {
        for (int i = 0; i < 12; i++) {
            bench().forgotten(done("many-" + i).id());
        }
        advance(Duration.ofHours(2));
        AtomicInteger forgotten = new AtomicInteger();
        ParallelThreads.run(3, index -> {
            Upkeep own = bench().anotherClient().store().upkeep();
            for (int round = 0; round < 12; round++) {
                forgotten.addAndGet(own.forget(RETENTION, 2).runs());
            }
        });
        assertThat(forgotten).hasValue(12);
        assertThat(client().store()
                        .queries()
                        .listRuns(RunQuery.ofTenant("acme"))
                        .runs())
                .isEmpty();
    }

    @Test
    default void allNamesWhoseTimeIsOverAreForgottenHoweverManyThereAre() {
        int many = 130;
        List<SubmitRequest.Idempotency> names = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            SubmitRequest.Idempotency name = named("name-" + i, 2);
            names.add(name);
            client().submitted(SubmitRequest.of(freshRun(), key("named-" + i), spec())
                    .knownBy(name));
        }
        for (Claimed work : claimAll(many)) {
            client().succeeds(work);
        }
        advance(Duration.ofMinutes(90));
        assertThat(forget(50).runs()).as("all idempotency keys are valid").isZero();
        advance(Duration.ofHours(1));
        int forgotten = 0;
        for (int page = forget(50).runs(); page > 0; page = forget(50).runs()) {
            assertThat(page).isLessThanOrEqualTo(50);
            forgotten += page;
        }
        assertThat(forgotten).isEqualTo(many);
        assertThat(client().store()
                        .queries()
                        .listRuns(RunQuery.ofTenant("acme"))
                        .runs())
                .isEmpty();
        for (SubmitRequest.Idempotency name : names) {
            assertThat(client().submit(SubmitRequest.of(freshRun(), key(name.key()), spec())
                            .knownBy(name)))
                    .isInstanceOf(SubmitAnswer.Started.class);
        }
    }

    private List<Claimed> claimAll(int many) {
        List<Claimed> works = new ArrayList<>();
        while (works.size() < many) {
            List<Claimed> next = client().claim(100);
            assertThat(next).isNotEmpty();
            works.addAll(next);
        }
        return works;
    }
}
