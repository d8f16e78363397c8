package io.interlock.store.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.interlock.time.Environment;
import java.time.Duration;
import javax.sql.DataSource;

/** The pools of a store that makes its own connections. */
public final class Pools implements AutoCloseable {

    private static final int STEPS = 4;

    /** Two kinds of step are busy at a time (acquires and releases, submits and endings), and share the connections. */
    public static final int PARALLEL_BATCHES = STEPS / 2;

    /**
     * Renewals, heartbeats and the last words of work. A batch of them waits for no row, so one connection would do for all
     * batches; but one that is made alone waits for its row, up to the patience of a step, and leases must not end meanwhile
     * because another step has locked its row. If two rows at a time are locked for so long, the batches have to wait after all.
     */
    private static final int RENEWALS = 2;

    private final HikariDataSource steps;
    private final HikariDataSource renewals;

    /** Pools of connections from {@code attached}; their names begin with {@code name}. */
    public Pools(String name, DataSource attached, ServerSettings settings, Environment environment) {
        steps = pool(name + "-steps", STEPS, attached, settings, environment);
        renewals = pool(name + "-renewals", RENEWALS, attached, settings, environment);
    }

    /** For new work. */
    public DataSource steps() {
        return steps;
    }

    /** Apart, so that a renewal never waits behind acquires. */
    public DataSource renewals() {
        return renewals;
    }

    @Override
    public void close() {
        try (renewals) {
            steps.close();
        }
    }

    private static HikariDataSource pool(
            String name, int size, DataSource attached, ServerSettings settings, Environment environment) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setDataSource(attached);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setInitializationFailTimeout(-1);
        // A part of the timeout: a call that has used up most of it elsewhere must not wait for all of it here.
        config.setConnectionTimeout(Math.max(250, settings.timeoutMillis() / 4));
        config.setValidationTimeout(Math.max(250, settings.timeoutMillis() / 4));
        config.setKeepaliveTime(Duration.ofSeconds(30).toMillis());
        config.setThreadFactory(environment.threads(config.getPoolName()));
        return new HikariDataSource(config);
    }
}
