package io.interlock.engine.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.audit.AuditFinding.Grant;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapResponseTest {

    private final OneKey key = new OneKey();
    private final TamperedLog log = new TamperedLog();
    private final List<AuditReport> alarms = new ArrayList<>();
    private final AuditWatch watch = new AuditWatch(log, new OverlapResponse(key.store()), alarms::add);

    @Test
    void twoRunsThatHaveOneKeyAreBothStoppedAndFailed() {
        Run first = key.runs(1);
        Run second = key.alsoRuns(2, first);
        OneKey.log(log, first);
        OneKey.log(log, second);
        log.sealed();

        assertThat(watch.runOnce().overlaps()).hasSize(1);
        assertThat(key.runs.values())
                .hasSize(2)
                .allSatisfy(run -> assertThat(run.state()).isEqualTo(RunState.FAILED))
                .extracting(run -> run.status().error())
                .extracting(RunError::code)
                .containsOnly(RunError.OVERLAPPING_GRANTS);
        assertThat(alarms).hasSize(1);
        assertThat(watch.runOnce().isClean()).as("told once").isTrue();
        assertThat(alarms).hasSize(1);
    }

    @Test
    void aRunWhoseTwinHasEndedIsLeftAlone() {
        Run first = key.runs(1);
        Grant ended = new Grant(TamperedLog.run(9), new FencingToken(1), TamperedLog.START);

        assertThat(respond(ended, grant(first))).isEmpty();
        assertThat(key.runs.values()).singleElement().satisfies(run -> {
            assertThat(run.state()).isEqualTo(RunState.RUNNING);
            assertThat(run.status().stopRequest()).isEmpty();
        });
    }

    @Test
    void anEndThatWasForgottenIsNoOverlap() {
        log.began(5, 10);
        log.sealed();
        watch.runOnce();
        log.ended(5, 10);
        log.sealed();
        log.forgetUpTo(2);
        OneKey.log(log, key.runs(1));
        log.sealed();

        assertThat(watch.runOnce().isClean()).isTrue();
        assertThat(alarms).isEmpty();
        assertThat(key.runs.values())
                .allSatisfy(run -> assertThat(run.status().stopRequest()).isEmpty());
    }

    @Test
    void aLaterAttemptOfTheSameRunIsLeftAlone() {
        Run first = key.runs(1);
        Grant earlier = new Grant(first.id(), new FencingToken(3), TamperedLog.START);
        Grant ended = new Grant(TamperedLog.run(9), new FencingToken(4), TamperedLog.START);

        assertThat(respond(earlier, ended)).isEmpty();
        assertThat(key.runs.values()).allSatisfy(run -> {
            assertThat(run.state()).isEqualTo(RunState.RUNNING);
            assertThat(run.status().stopRequest()).isEmpty();
        });
    }

    @Test
    void aLogThatSomebodyChangedStopsNobodysWork() {
        log.began(5, 10);
        log.ended(5, 10);
        log.began(6, 11);
        log.sealed();
        log.records.remove(2L);
        key.runs(1);

        assertThat(watch.runOnce().findings()).containsExactly(new AuditFinding.Deleted(2, 2));
        assertThat(key.runs.values()).extracting(Run::state).containsOnly(RunState.RUNNING);
        assertThat(alarms).hasSize(1);
    }

    @Test
    void aStoreThatIsAwayDelaysTheAnswerOnly() {
        Run first = key.runs(1);
        Run second = key.alsoRuns(2, first);
        OneKey.log(log, first);
        OneKey.log(log, second);
        log.sealed();

        key.isAway(true);
        assertThatThrownBy(watch::runOnce).isInstanceOf(StoreUnavailableException.class);
        key.isAway(false);
        assertThat(watch.runOnce().isClean()).isTrue();
        assertThat(alarms).hasSize(1);
        assertThat(key.runs.values()).extracting(Run::state).containsOnly(RunState.FAILED);
    }

    @Test
    void theWatchGoesOnWhereItStopped() {
        log.runs(3).sealed();
        assertThat(watch.runOnce().records()).isEqualTo(6);
        log.began(4, 100);
        log.sealed();
        assertThat(watch.runOnce().records()).isEqualTo(1);
        log.began(5, 101);
        log.sealed();
        assertThat(watch.runOnce().overlaps())
                .as("the first began in an earlier round")
                .hasSize(1);
    }

    @Test
    void aCutOffEndIsToldOnce() {
        log.runs(3).sealed();
        log.links.remove(6L);
        watch.runOnce();
        watch.runOnce();
        assertThat(alarms).hasSize(1);
    }

    private List<Run> respond(Grant first, Grant second) {
        return new OverlapResponse(key.store()).respond(new AuditFinding.Overlap(1, TamperedLog.KEY, first, second));
    }

    private static Grant grant(Run run) {
        return new Grant(run.id(), run.status().lastTurn().orElseThrow().token(), TamperedLog.START);
    }
}
