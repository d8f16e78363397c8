package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.run.Retention;
import io.interlock.run.Transition;
import io.interlock.server.api.OperationContext;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is known of an event once the runs that ingested it are forgotten. */
class ForgottenHistoryTest {

    private static final LockKey EVENT = LockKey.of("acme", "event/42");

    private final HandWork work = new HandWork();
    private final AtomicLong passed = new AtomicLong();
    private final Environment environment = shifted(Environment.system());
    private final MemoryStore store = new MemoryStore(environment);
    private final RunEngine engine = RunEngine.builder(store)
            .environment(environment)
            .jobs(Jobs.of(Job.named("ingest")
                    .transition(new Transition(
                            "event", Set.of("none", "laps_full"), "ingesting", "laps_full", Transition.PREVIOUS))
                    .handler(work)
                    .build()))
            .build();

    @AfterEach
    void close() {
        engine.close();
        store.close();
    }

    @Test
    void aFailedIngestionNeverLowersTheDepthOfAnEventWhoseRunsAreForgotten() {
        work.succeed(ingest());
        await().until(() -> state().getString("ingest_depth").equals("laps_full"));
        String since = state().getString("last_ingested_at");
        assertThat(since).isNotNull();

        passed.addAndGet(Duration.ofDays(31).toNanos());
        assertThat(store.upkeep().forget(Retention.DEFAULT, 100).runs()).isEqualTo(1);
        assertThat(state()).isEqualTo(ended(since));

        String again = ingest();
        work.working(again);
        assertThat(state().getString("ingest_depth")).isEqualTo("laps_full");
        assertThat(state().getString("last_ingested_at")).isEqualTo(since);
        work.fail(again, new IllegalStateException("page is gone"));
        await().until(() -> !state().getBoolean("running"));
        assertThat(state().getString("ingest_depth")).isEqualTo("laps_full");

        passed.addAndGet(Duration.ofDays(31).toNanos());
        assertThat(store.upkeep().forget(Retention.DEFAULT, 100).runs()).isEqualTo(1);
        assertThat(state()).isEqualTo(ended(since));
    }

    private static JsonObject ended(String since) {
        return new JsonObject()
                .put("event_id", "42")
                .put("ingest_depth", "laps_full")
                .put("last_ingested_at", since)
                .put("running", false)
                .putNull("stage")
                .putNull("progress")
                .putNull("run_id")
                .putNull("error");
    }

    private String ingest() {
        return engine.submit(RunRequest.of(EVENT, "ingest")).orElseThrow().id().toString();
    }

    private JsonObject state() {
        OperationContext context = OperationContext.of(engine, Environment.system());
        return new JsonObject(
                new IngestionApi(context, List.of()).state(EVENT, "42").map());
    }

    private Environment shifted(Environment real) {
        Ticker ticker = () -> real.ticker().nanos() + passed.get();
        return (Environment) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Environment.class},
                (self, method, arguments) ->
                        method.getName().equals("ticker") ? ticker : method.invoke(real, arguments));
    }
}
