package io.interlock.store.postgres;

import io.interlock.time.Environment;
import io.interlock.time.Ticker;
import io.interlock.time.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Time that goes on when it is told to, for a store in this process and for one in a database, and no chance at all. */
final class StandingTime implements Environment {

    private static final double CHANCE = 0.5;

    private final Environment real = Environment.system();
    private final PostgresHarness harness;
    private Instant now = Instant.parse("2026-11-15T10:00:00Z");

    /** Stops the time of the harness's schema: its functions read the clock from a table from now on. */
    StandingTime(PostgresHarness harness) {
        this.harness = harness;
        String table = harness.schema() + ".standing";
        harness.server().execute("CREATE TABLE " + table + " AS SELECT '" + now + "'::timestamptz AS at", """
                DO $do$
                DECLARE
                    f record;
                BEGIN
                    FOR f IN
                        SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc p
                        WHERE p.pronamespace = 'SCHEMA'::regnamespace AND p.prosrc ~ '(clock_timestamp|random)\\(\\)'
                    LOOP
                        EXECUTE replace(replace(f.text, 'clock_timestamp()', '(SELECT at FROM SCHEMA.standing)'),
                                        'random()', 'CHANCE');
                    END LOOP;
                END $do$""".replace(
                        "SCHEMA", harness.schema())
                .replace("CHANCE", Double.toString(CHANCE)));
    }

    void pass(Duration time) {
        now = now.plus(time);
        harness.server().execute("UPDATE " + harness.schema() + ".standing SET at = '" + now + "'");
    }

    @Override
    public InstantSource clock() {
        return () -> now;
    }

    @Override
    public Ticker ticker() {
        return () -> TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    @Override
    public Timers timers(String name) {
        return real.timers(name);
    }

    @Override
    public ThreadFactory threads(String name) {
        return real.threads(name);
    }

    @Override
    public RandomGenerator random() {
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                return real.random().nextLong();
            }

            @Override
            public double nextDouble() {
                return CHANCE;
            }
        };
    }
}
