package io.interlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.AuditRecord;
import io.interlock.run.RetryPlan;
import io.interlock.run.Run;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.RunAudit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An hour of three engines on one store, with work that fails, workers that die and people who cancel, in about a second. The
 * same seed gives the same hour.
 */
class SimulatedHourTest {

    private static final Logger log = LoggerFactory.getLogger(SimulatedHourTest.class);
    private static final int ENGINES = 3;
    private static final int KEYS = 50;
    private static final int RUNS = 5000;
    private static final Duration HOUR = Duration.ofHours(1);

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void everyRunEndsOnceInOrderAndWithoutOverlap(long seed) {
        Hour hour = new Hour(seed);
        hour.pass(RUNS);
        assertThat(RunAudit.findings(hour.store, hour.keys, hour.submitted)).isEmpty();
        Map<RunState, Integer> states = hour.states();
        log.info("seed {}: {} runs, {} workers died, {}", seed, hour.submitted.size(), hour.deaths, states);
        assertThat(hour.submitted).hasSizeGreaterThan(3000);
        assertThat(states.keySet()).allMatch(RunState::isTerminal);
        assertThat(states)
                .as("all endings came up")
                .containsKeys(RunState.SUCCEEDED, RunState.FAILED, RunState.ABORTED, RunState.DEAD, RunState.TIMED_OUT);
        assertThat(hour.deaths).isGreaterThan(10);
        hour.keys.forEach(key -> assertOrder(hour.store, key));
    }

    @Test
    void theSameSeedGivesTheSameHour() {
        Hour one = new Hour(42);
        Hour other = new Hour(42);
        one.pass(RUNS / 5);
        other.pass(RUNS / 5);
        for (LockKey key : one.keys) {
            assertThat(one.store.audit().records(key))
                    .isEqualTo(other.store.audit().records(key));
        }
    }

    // All have the same priority, so the run that came first begins first; a retry is no beginning.
    private static void assertOrder(MemoryStore store, LockKey key) {
        Set<RunId> begun = new HashSet<>();
        long last = 0;
        for (AuditRecord record : store.audit().records(key)) {
            RunId id = record.run();
            if (id != null
                    && record.after().equals("RUNNING")
                    && record.action().equals("run")
                    && begun.add(id)) {
                long number = store.queries().findRun(id).orElseThrow().number();
                assertThat(number).as("the turn of %s under %s", id, key).isGreaterThan(last);
                last = number;
            }
        }
    }

    private static final class Hour {
        private final Simulation world;
        private final Random random;
        private final MemoryStore store;
        private final List<LockKey> keys = new ArrayList<>();
        private final Set<RunId> submitted = new LinkedHashSet<>();
        private final List<RunId> recent = new ArrayList<>();
        private final List<Node> nodes = new ArrayList<>();
        private int deaths;

        Hour(long seed) {
            world = new Simulation(seed);
            random = world.random();
            store = new MemoryStore(world.host());
            for (int i = 0; i < KEYS; i++) {
                keys.add(LockKey.of("acme", "pipeline/" + i));
            }
            for (int i = 0; i < ENGINES; i++) {
                nodes.add(node(i));
            }
        }

        void pass(int submissions) {
            Duration step = HOUR.dividedBy(RUNS);
            for (int i = 0; i < submissions; i++) {
                submit();
                if (random.nextInt(20) == 0) {
                    cancel();
                }
                if (random.nextInt(250) == 0) {
                    lose(random.nextInt(ENGINES));
                }
                world.advance(step);
            }
            // The runs that are still in line have their turns.
            for (int i = 0; i < 60 && !allEnded(); i++) {
                world.advance(Duration.ofMinutes(1));
            }
        }

        Map<RunState, Integer> states() {
            Map<RunState, Integer> states = new EnumMap<>(RunState.class);
            submitted.forEach(id -> states.merge(run(id).state(), 1, Integer::sum));
            return states;
        }

        private boolean allEnded() {
            return submitted.stream().allMatch(id -> run(id).state().isTerminal());
        }

        private Run run(RunId id) {
            return store.queries().findRun(id).orElseThrow();
        }

        private void submit() {
            ConflictPolicy[] policies = ConflictPolicy.values();
            // Mostly those that let people wait.
            ConflictPolicy policy =
                    random.nextInt(3) > 0 ? ConflictPolicy.QUEUE : policies[random.nextInt(policies.length)];
            LockKey key = keys.get(random.nextInt(KEYS));
            RunEngine engine = nodes.get(random.nextInt(ENGINES)).engine;
            Submission submission = engine.submit(RunRequest.of(key, "load").onConflict(policy));
            submission.run().map(Run::id).ifPresent(id -> {
                submitted.add(id);
                recent.add(id);
            });
        }

        private void cancel() {
            RunId victim = recent.get(random.nextInt(recent.size()));
            nodes.get(random.nextInt(ENGINES)).engine.cancel(victim, "alice", "not needed any more");
            if (recent.size() > 30) {
                recent.subList(0, recent.size() - 30).clear();
            }
        }

        private void lose(int index) {
            nodes.get(index).host.kill();
            nodes.set(index, node(index));
            deaths++;
        }

        private Node node(int index) {
            Simulation.Host host = world.host();
            Holder holder = new Holder("node-" + index + "-" + deaths, "node " + index);
            // Without the store's wake-ups, which come on threads of their own: the world has but one.
            RunEngine engine = RunEngine.builder(
                            new FaultyStore(store.anotherClient()).silent().store())
                    .environment(host)
                    .threads(host.threads(this::workTime))
                    .holder(holder)
                    .jobs(Jobs.of(job()))
                    .pollEvery(Duration.ofSeconds(5))
                    .withoutBooks()
                    .build();
            return new Node(host, engine);
        }

        // Sometimes longer than it may take, sometimes longer than a lease.
        private Duration workTime() {
            return Duration.ofMillis(random.nextInt(50) == 0 ? 70_000 : 500 + random.nextInt(20_000));
        }

        private Job job() {
            return Job.named("load")
                    .lease(Duration.ofSeconds(15))
                    .maxRuntime(Duration.ofSeconds(60))
                    .retry(new RetryPlan(3, Duration.ofSeconds(5), 2, Duration.ofSeconds(60)))
                    .handler(run -> {
                        run.checkpoint();
                        int luck = random.nextInt(100);
                        if (luck < 3) {
                            throw new PermanentFailureException("BROKEN", "for good");
                        }
                        if (luck < 25) {
                            throw new TransientFailureException("BUSY", "for now");
                        }
                        return "{}";
                    })
                    .build();
        }
    }

    private record Node(Simulation.Host host, RunEngine engine) {}
}
