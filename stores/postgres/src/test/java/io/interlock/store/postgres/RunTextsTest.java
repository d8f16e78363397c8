package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Ending;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunQuery;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Origin;
import io.interlock.run.RunStatus;
import io.interlock.run.Transition;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunSteps.ResourceRequest;
import io.interlock.spi.run.RunSteps.ResumeRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts and times that PostgreSQL does not take as they are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunTextsTest {

    private static final String ODD = "\"quoted\" \\back\\ 'single' {a,b} NULL ␀ é 日本 🚀 \n\t\r \u0001 $1 ? %s";

    private final PostgresHarness harness = new PostgresHarness();
    private final RunStore store = harness.open(Environment.system());

    @AfterAll
    void close() {
        store.close();
        harness.close();
    }

    @Test
    void whatIsAskedForIsReadBackAsItWas() {
        RunSpec spec = RunWords.spec()
                .parameters(ODD)
                .labels(Map.of("", "", ODD, "x", "y", ODD, "z", "NULL"))
                .limits(new RunLimits(Duration.ofDays(400), Duration.ofMillis(1001), Duration.ofMinutes(5)))
                .retry(new RetryPlan(7, Duration.ofMillis(3), 1.7, Duration.ofDays(1)))
                .guard(new Transition("a \"kind\"", Set.of("none", "b,c", "{d}", "NULL"), "e 🚀", "f\\", "g'"))
                .origin(new Origin("é \"x\"", "why \\ not", "日本", "00-1-2-01", "192.0.2.7"));
        SubmitRequest request =
                SubmitRequest.of(RunWords.freshRun(), Bench.key("odd"), spec).within(new LineLimits(3, 4));
        Run run = RunWords.submitted(store, request);
        assertThat(run.spec()).isEqualTo(spec);
        assertThat(run.line()).isEqualTo(request.line());
        Claimed work = RunWords.claim(store);
        store.work().heartbeat(List.of(RunWords.beating(work, "é, {\"x\"} \\ NULL")));
        FinishRequest ending = finishing(work, new Ending.Succeeded(ODD));
        assertThat(store.work().finish(List.of(ending)).only()).isInstanceOf(FinishAnswer.Finished.class);
        RunStatus status = store.queries().findRun(run.id()).orElseThrow().status();
        assertThat(status.result()).isEqualTo(ODD);
        assertThat(status.stages()).extracting(stage -> stage.name()).containsExactly("é, {\"x\"} \\ NULL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000b", "\ud800", "x\udc00y"})
    void whatIsNoCharacterIsReadBackAsItWas(String odd) {
        RunSpec spec = RunWords.spec().parameters(odd).labels(Map.of("x", odd));
        Run run = RunWords.submitted(store, SubmitRequest.of(RunWords.freshRun(), Bench.key("no character"), spec));
        Claimed work = RunWords.claim(store);
        assertThat(work.run().spec()).isEqualTo(spec);
        store.work().finish(List.of(finishing(work, new Ending.Succeeded(odd))));
        try (RunStore other = harness.open(Environment.system())) {
            Run read = other.queries().findRun(run.id()).orElseThrow();
            assertThat(read.spec()).isEqualTo(spec);
            assertThat(read.status().result()).isEqualTo(odd);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "x\udc00y"})
    void whatIsComparedLaterAndCannotBeKeptIsRefusedWithItsName(String bad) {
        RunSpec spec = RunWords.spec();
        SubmitRequest request = SubmitRequest.of(RunWords.freshRun(), Bench.key("bad"), spec);
        refused("transition.during", guarded(new Transition("k", Set.of("none"), bad, "s", "f")));
        refused("transition.during", guarded(new Transition("k", Set.of("none"), "a\u0000b", "s", "f")));
        refused("transition.from", guarded(new Transition("k", Set.of(bad), "d", "s", "f")));
        refused("idempotency key", request.knownBy(new SubmitRequest.Idempotency(bad, "f", Duration.ofHours(1))));
        refused("fingerprint", request.knownBy(new SubmitRequest.Idempotency("n", bad, Duration.ofHours(1))));
        assertThatThrownBy(() ->
                        store.runs().setResource(new ResourceRequest(Bench.key("bad"), "k", bad, 0, "carol", "new")))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("state");
    }

    private static SubmitRequest guarded(Transition guard) {
        return SubmitRequest.of(
                RunWords.freshRun(), Bench.key("bad"), RunWords.spec().guard(guard));
    }

    private void refused(String setting, SubmitRequest request) {
        assertThatThrownBy(() -> RunWords.submit(store, request))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining(setting)
                .hasMessageContaining("U+");
    }

    @Test
    void noWorkIsLostOverAnErrorThatCannotBeKept() {
        RunWords.submitted(store, RunWords.submitting("error", ConflictPolicy.REJECT));
        Claimed work = RunWords.claim(store);
        Ending broken = new Ending.Failed(new RunError("B\u0000D", "it \ud83d broke\u0000"), false, null);
        for (int i = 0; i < 2; i++) {
            FinishAnswer answer =
                    store.work().finish(List.of(finishing(work, broken))).only();
            assertThat(answer).as("also if it is said again").isInstanceOf(FinishAnswer.Finished.class);
        }
        assertThat(store.queries()
                        .findRun(work.run().id())
                        .orElseThrow()
                        .status()
                        .error())
                .isEqualTo(new RunError("B\ufffdD", "it \ud83d broke\u0000"));
    }

    @Test
    void halfACharacterInANameOrAReasonStopsNobody() {
        Run run = RunWords.submitted(store, RunWords.submitting("half", ConflictPolicy.REJECT));
        Holder half = new Holder("host \ud800", "label \udfff");
        Claimed work = store.work()
                .claim(new ClaimRequest(RunWords.uuid(), half, "acme", Set.of(RunWords.JOB), 1))
                .get(0);
        assertThat(store.find(List.of(run.key())).get(0).orElseThrow().holder().label())
                .isEqualTo("label ?");
        store.work().heartbeat(List.of(RunWords.beating(work, "stage \ud800")));
        store.runs().cancel(new CancelRequest(run.id(), "carol", "half \ud800"));
        store.work().finish(List.of(RunWords.finishing(work)));
        assertThat(store.audit().records(run.key()))
                .extracting(record -> record.reason())
                .contains("half ?");
    }

    @Test
    void whatIsMarkedAsNoCharacterStaysWithinItsLimit() {
        String most = "\ud800".repeat(200);
        Run run = RunWords.submitted(store, RunWords.submitting("limit", ConflictPolicy.REJECT));
        Claimed work = store.work()
                .claim(new ClaimRequest(RunWords.uuid(), new Holder(most, most), "acme", Set.of(RunWords.JOB), 1))
                .get(0);
        store.work().heartbeat(List.of(RunWords.beating(work, most + most)));
        assertThat(store.queries().findRun(run.id()).orElseThrow().status().stages())
                .hasSize(1);
        store.work().finish(List.of(RunWords.finishing(work)));
        store.runs().pause(new PauseRequest("acme", "limit", most + most, most + most, null));
        assertThat(store.views().pauses("acme")).hasSize(1);
        store.runs().resume(new ResumeRequest("acme", "limit", "carol", "done"));
    }

    @Test
    void aMomentBeyondAllTimesCanBeAskedFor() {
        RunWords.submitted(store, RunWords.submitting("moment", ConflictPolicy.REJECT));
        RunQuery all = RunQuery.ofTenant("acme");
        assertThat(store.queries().listRuns(all.since(Instant.MAX)).runs()).isEmpty();
        assertThat(store.queries().listRuns(all.since(Instant.MIN)).runs()).isNotEmpty();
        store.work()
                .claim(RunWords.claiming(1))
                .forEach(work -> store.work().finish(List.of(RunWords.finishing(work))));
    }

    @Test
    void aTimeBeyondAllTimesIsForEver() {
        Duration ages = Duration.ofSeconds(Long.MAX_VALUE);
        RunSpec spec = RunWords.spec().limits(new RunLimits(ages, ages, ages)).retry(new RetryPlan(3, ages, 100, ages));
        SubmitRequest request = SubmitRequest.of(RunWords.freshRun(), Bench.key("ages"), spec)
                .knownBy(new SubmitRequest.Idempotency("ages", "x", ages));
        Run run = RunWords.submitted(store, request);
        assertThat(run.spec().limits().maxWait()).isGreaterThan(Duration.ofDays(365 * 1000));
        Claimed work = RunWords.claim(store);
        Ending later = new Ending.Failed(new RunError("X", "y"), true, ages);
        assertThat(store.work().finish(List.of(finishing(work, later))).only())
                .isInstanceOf(FinishAnswer.Finished.class);
        assertThat(store.queries().findRun(run.id()).orElseThrow().status().notBefore())
                .isAfter(Instant.parse("9999-12-31T23:59:59Z"));
        assertThat(store.upkeep().sweepRuns(10)).isEmpty();
        store.runs().cancel(new CancelRequest(run.id(), "carol", "enough"));
    }

    private static FinishRequest finishing(Claimed work, Ending ending) {
        FinishRequest request = RunWords.finishing(work);
        return new FinishRequest(request.run(), request.key(), request.lease(), request.token(), ending);
    }
}
