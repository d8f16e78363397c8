package io.interlock.store.postgres;

import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.util.concurrent.Callable;

/**
 * A store whose reads of one table can be stopped in the middle: at the so-manieth row it reads there in one transaction it
 * waits, with what it sees already fixed. It comes as a role of its own, and the policy that stops it does not apply to the
 * role everybody else comes as.
 */
final class SlowReader implements AutoCloseable {

    private static final String GATE = "pg_advisory_xact_lock(4242)";

    private final PostgresServer server;
    private final String role;
    private final RunStore store;

    SlowReader(PostgresHarness harness, String table, int row) {
        server = harness.server();
        role = "slow_" + harness.schema();
        String schema = harness.schema();
        server.execute(
                "CREATE ROLE " + role + " LOGIN",
                "GRANT USAGE ON SCHEMA " + schema + " TO " + role,
                "GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO " + role,
                "GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema + " TO " + role,
                """
                CREATE FUNCTION SCHEMA.slow() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
                DECLARE
                    v_row integer := 1 + coalesce(nullif(current_setting('slow.row', true), ''), '0')::integer;
                BEGIN
                    PERFORM set_config('slow.row', v_row::text, true);
                    IF v_row = ROW THEN
                        PERFORM pg_advisory_xact_lock_shared(4242);
                    END IF;
                    RETURN true;
                END $$""".replace("SCHEMA", schema).replace("ROW", Integer.toString(row)),
                "ALTER TABLE " + harness.table(table) + " ENABLE ROW LEVEL SECURITY",
                "CREATE POLICY slow ON " + harness.table(table) + " USING (" + schema + ".slow())");
        store = (RunStore) Stores.open("postgresql://" + role + "@localhost:" + server.port() + "/postgres?schema="
                + schema + "&migrate=none");
    }

    RunStore store() {
        return store;
    }

    /** Makes {@code call}, which must stop at the row; {@code meanwhile} happens before it goes on. */
    <T> T whileItReads(Callable<T> call, Runnable meanwhile) throws Exception {
        return RowWait.during(server, "SELECT " + GATE, call, holder -> meanwhile.run())
                .answer();
    }

    @Override
    public void close() {
        store.close();
        server.execute("DROP OWNED BY " + role, "DROP ROLE " + role);
    }
}
