package io.interlock.engine.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.audit.AuditFinding.Grant;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OverlapResponseTest {

    private final OneKey key = new OneKey();
    private final TamperedLog log = new TamperedLog();
    private final List<AuditReport> alarms = new ArrayList<>();
    private final RunNotes notes = ((RunStore) Stores.open("memory:")).notes();
    private final AuditWatch watch = watch();

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

        assertThat(watch.runOnce().findings()).containsExactly(AuditFinding.deleted(2, 2));
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
    void aProcessThatStartsGoesOnWhereAnotherHasBeen() {
        log.runs(6_000).sealed().sealed();
        assertThat(watch.runOnce().to().position()).isEqualTo(AuditWatch.BEHIND);
        assertThat(watch.runOnce().to().position()).isEqualTo(12_000);

        AuditReport first = watch().runOnce();
        assertThat(first.from().position()).isEqualTo(12_000 - AuditWatch.BEHIND);
        assertThat(first.to().position()).isEqualTo(12_000);

        log.forgetUpTo(11_000);
        assertThat(watch().runOnce().from().position()).as("what is left").isEqualTo(11_000);
    }

    @Test
    void oneProcessLooksForAllUntilItStops() {
        AuditWatch other = watch();
        log.runs(6_000).sealed().sealed();
        watch.round();
        watch.round();
        other.round();
        log.began(9_001, 20_000);
        log.sealed();
        watch.round();
        List<String> pages = new ArrayList<>();
        log.beforePage = () -> pages.add("read");
        other.round();
        assertThat(pages).as("another process moved the bookmark").isEmpty();

        log.began(9_002, 20_001);
        log.sealed();
        assertThat(other.round()).as("there is more").isTrue();
        other.round();
        assertThat(alarms)
                .as("the other process stopped, and this one saw what it had left")
                .hasSize(1);
    }

    @Test
    void aChainThatDoesNotReachTheBookmarkIsLookedAtFromItsBeginning() {
        log.runs(6_000).sealed().sealed();
        watch.runOnce();
        watch.runOnce();
        log.links.tailMap(100L, false).clear();
        log.head = log.links.lastEntry().getValue();
        assertThat(watch().runOnce().from().position()).isZero();
    }

    private AuditWatch watch() {
        return new AuditWatch(log, notes, key.response(), alarms::add);
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
        return key.response().respond(new AuditFinding.Overlap(1, TamperedLog.KEY, first, second));
    }

    private static Grant grant(Run run) {
        return new Grant(run.id(), run.status().lastTurn().orElseThrow().token(), TamperedLog.START);
    }
}
