package io.interlock.tck;

import static io.interlock.tck.RunClient.freshRun;
import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.interlock.run.Run.MoveAnswer;
import io.interlock.run.RunSpec;
import io.interlock.spi.run.RunSteps.MoveRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Moving a waiting run to the front. */
interface MoveContract extends RunContract {

    private Run waits(String name, int priority) {
        return client().submitted(SubmitRequest.of(
                freshRun(), key(name), spec().policy(ConflictPolicy.QUEUE).priority(priority)));
    }

    private MoveAnswer move(RunId run) {
        return client().store()
                .runs()
                .moveToFront(new MoveRequest(run, new Actor("carol", "req-1", "10.0.0.7"), "month end"));
    }

    /** The runs of a key in the order in which they are claimed. */
    private List<RunId> served(int count) {
        List<RunId> order = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Claimed work = client().claim();
            order.add(work.run().id());
            client().succeeds(work);
        }
        return order;
    }

    @Test
    default void aRunThatIsMovedGoesBeforeAllOthersAlsoOfHigherPriority() {
        Run running = waits("front", 0);
        Run first = waits("front", 0);
        Run urgent = waits("front", RunSpec.MAX_PRIORITY);
        Run last = waits("front", -RunSpec.MAX_PRIORITY);
        MoveAnswer answer = move(last.id());
        assertThat(answer)
                .isInstanceOfSatisfying(
                        MoveAnswer.Moved.class,
                        moved -> assertThat(moved.run().spec().priority()).isGreaterThan(RunSpec.MAX_PRIORITY));
        assertThat(client().store()
                        .queries()
                        .findRun(last.id())
                        .orElseThrow()
                        .spec()
                        .priority())
                .as("kept")
                .isEqualTo(((MoveAnswer.Moved) answer).run().spec().priority());
        // The others wait meanwhile.
        advance(Duration.ofMinutes(30));
        assertThat(served(4)).containsExactly(running.id(), last.id(), urgent.id(), first.id());
    }

    @Test
    default void theLastOneThatWasMovedIsTheFirst() {
        Run running = waits("front-2", 0);
        List<Run> line = List.of(waits("front-2", 0), waits("front-2", 0), waits("front-2", 0));
        move(line.get(2).id());
        move(line.get(1).id());
        assertThat(move(line.get(1).id())).as("it is the first already").isInstanceOf(MoveAnswer.Moved.class);
        assertThat(served(4))
                .containsExactly(
                        running.id(),
                        line.get(1).id(),
                        line.get(2).id(),
                        line.get(0).id());
        assertThat(log(key("front-2")))
                .extracting(AuditRecord::run)
                .containsExactly(line.get(2).id(), line.get(1).id());
    }

    @Test
    default void aRunIsMovedBeforeOneThatHasWaitedForWeeks() {
        Run running = waits("front-5", 0);
        Run old = waits("front-5", RunSpec.MAX_PRIORITY);
        advance(Duration.ofDays(40));
        Run young = waits("front-5", -RunSpec.MAX_PRIORITY);
        move(young.id());
        Run newcomer = waits("front-5", RunSpec.MAX_PRIORITY);
        assertThat(served(4)).containsExactly(running.id(), young.id(), old.id(), newcomer.id());
    }

    @Test
    default void whoMovedItIsOnRecord() {
        waits("front-3", 0);
        waits("front-3", 0);
        Run last = waits("front-3", 0);
        move(last.id());
        assertThat(log(key("front-3"))).singleElement().satisfies(record -> {
            assertThat(record.run()).isEqualTo(last.id());
            assertThat(record.actor()).isEqualTo("carol");
            assertThat(record.correlation()).isEqualTo("req-1");
            assertThat(record.address()).isEqualTo("10.0.0.7");
            assertThat(record.reason()).isEqualTo("month end");
            assertThat(record.before()).isEqualTo("priority 0");
            assertThat(record.after()).startsWith("priority 1");
        });
    }

    @Test
    default void aRunThatDoesNotWaitIsNotMoved() {
        Run pending = waits("front-4", 0);
        assertThat(move(pending.id())).isEqualTo(new MoveAnswer.NotWaiting(pending));
        client().succeeds(client().claim());
        assertThat(move(pending.id()))
                .isInstanceOfSatisfying(
                        MoveAnswer.NotWaiting.class,
                        over -> assertThat(over.run().state()).isEqualTo(RunState.SUCCEEDED));
        assertThat(move(freshRun())).isInstanceOf(MoveAnswer.Unknown.class);
        assertThat(log(key("front-4"))).isEmpty();
    }

    private List<AuditRecord> log(LockKey key) {
        return client().store().audit().records(key).stream()
                .filter(record -> record.action().equals("moved-to-front"))
                .toList();
    }
}
