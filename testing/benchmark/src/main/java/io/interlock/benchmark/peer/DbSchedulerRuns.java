package io.interlock.benchmark.peer;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.interlock.benchmark.server.PostgresAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * db-scheduler as its page on performance advises for throughput: lock-and-fetch, as many picked at once as that page's first
 * row has, a poll every 100 ms. It knows no keys: two runs of one key may run at once.
 */
final class DbSchedulerRuns implements RunPeer {

    static final String TITLE = "db-scheduler";

    private static final String TASK = "bench";
    private static final double LOWER = 4;
    private static final double UPPER = 20;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String[] SCHEMA = {
        "CREATE TABLE IF NOT EXISTS scheduled_tasks (task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,"
                + " execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,"
                + " last_success timestamptz, last_failure timestamptz, consecutive_failures int,"
                + " last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,"
                + " PRIMARY KEY (task_name, task_instance))",
        "CREATE INDEX IF NOT EXISTS execution_time_idx ON scheduled_tasks (execution_time)",
        "CREATE INDEX IF NOT EXISTS last_heartbeat_idx ON scheduled_tasks (last_heartbeat)",
        "CREATE INDEX IF NOT EXISTS priority_execution_time_idx ON scheduled_tasks (priority DESC, execution_time ASC)"
    };

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Submitting submitter(PostgresAddress address) throws SQLException {
        HikariDataSource pool = Pools.open(address, Pools.SIZE);
        Pools.execute(pool, SCHEMA);
        OneTimeTask<Void> task = task(name -> {});
        SchedulerClient client = SchedulerClient.Builder.create(pool, task).build();
        return new Submitting() {
            @Override
            public void submit(String name, String key) {
                client.scheduleIfNotExists(task.instance(name), Instant.now());
            }

            @Override
            public long open() throws SQLException {
                return Pools.number(pool, "SELECT count(*) FROM scheduled_tasks");
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }

    @Override
    public AutoCloseable worker(PostgresAddress address, int slots, Consumer<String> body) {
        // A connection for each slot and some for what it does beside.
        HikariDataSource pool = Pools.open(address, Math.min(slots, Pools.SIZE) + 4);
        Scheduler scheduler = Scheduler.create(pool, task(body))
                .threads(slots)
                .pollUsingLockAndFetch(LOWER, UPPER)
                .pollingInterval(POLL)
                .enableImmediateExecution()
                .build();
        scheduler.start();
        return () -> {
            scheduler.stop();
            pool.close();
        };
    }

    private static OneTimeTask<Void> task(Consumer<String> body) {
        return Tasks.oneTime(TASK).execute((instance, context) -> body.accept(instance.getId()));
    }
}
