package io.interlock.tck;

import static io.interlock.tck.RunClient.spec;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Run;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many clients at once. */
interface RunStormContract extends RunContract {

    @Test
    @Tag("storm")
    default void ofManyJoinersOneStartsAndAllHaveItsRun() throws Exception {
        ConcurrentLinkedQueue<RunId> runs = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<SubmitAnswer.Started> started = new ConcurrentLinkedQueue<>();
        crowd(20, client -> {
            SubmitAnswer answer = client.submit(key("join"), spec().policy(ConflictPolicy.JOIN));
            if (answer instanceof SubmitAnswer.Started first) {
                started.add(first);
                runs.add(first.run().id());
            } else {
                runs.add(RunClient.as(SubmitAnswer.Joined.class, answer).run().id());
            }
        });
        assertThat(started).hasSize(1);
        assertThat(new HashSet<>(runs)).hasSize(1);
        assertThat(runs).hasSize(20);
    }

    @Test
    @Tag("storm")
    default void allWhoQueueRunOnceInTheirOrder() throws Exception {
        ConcurrentLinkedQueue<Run> submitted = new ConcurrentLinkedQueue<>();
        crowd(20, client -> {
            SubmitAnswer answer = client.submit(key("queue"), spec().policy(ConflictPolicy.QUEUE));
            submitted.add(
                    answer instanceof SubmitAnswer.Started started
                            ? started.run()
                            : RunClient.as(SubmitAnswer.Queued.class, answer).run());
        });
        List<Run> order = new ArrayList<>();
        while (order.size() < 20) {
            Claimed work = client().claim();
            order.add(work.run());
            client().succeeds(work);
        }
        assertThat(order).extracting(Run::number).isSorted();
        assertThat(order)
                .extracting(Run::id)
                .containsExactlyInAnyOrderElementsOf(
                        submitted.stream().map(Run::id).toList());
    }

    @Test
    @Tag("storm")
    default void workersNeverShareARun() throws Exception {
        for (int i = 0; i < 40; i++) {
            client().submit(key("k" + i % 8), spec().policy(ConflictPolicy.QUEUE));
        }
        ConcurrentLinkedQueue<RunId> done = new ConcurrentLinkedQueue<>();
        crowd(6, client -> {
            while (done.size() < 40) {
                for (Claimed work : client.claim(3)) {
                    assertThat(client.succeeds(work).state()).isEqualTo(RunState.SUCCEEDED);
                    done.add(work.run().id());
                }
            }
        });
        assertThat(done).hasSize(40);
        assertThat(Set.copyOf(done)).hasSize(40);
    }

    private void crowd(int people, Consumer<RunClient> work) throws Exception {
        ParallelThreads.run(people, index -> work.accept(bench().anotherClient()));
    }
}
