package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.run.Attempt.Claimed;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL compiles statements that it takes for expensive to machine code, anew at each execution. It takes those of a step for expensive,
 * because a step forbids it to read whole tables, and compiling one takes half a second. A trigger notes for each statement that writes
 * whether it might be compiled.
 */
class UncompiledStepsTest {

    private static final int BATCH = 10;

    @Test
    void noStatementOfAStepIsCompiled() {
        try (PostgresHarness harness = new PostgresHarness();
                RunStore store = harness.open(Environment.system())) {
            PostgresServer server = harness.server();
            String schema = harness.schema();
            server.execute(
                    "CREATE TABLE " + schema + ".seen (place text, jit text)",
                    "CREATE FUNCTION " + schema + ".see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO "
                            + schema
                            + ".seen VALUES (TG_TABLE_NAME || ' ' || TG_OP, current_setting('jit')); RETURN NULL; END $$");
            for (String table : List.of("lease", "run", "open_run", "audit")) {
                server.execute("CREATE TRIGGER see AFTER INSERT OR UPDATE OR DELETE ON " + harness.table(table)
                        + " FOR EACH STATEMENT EXECUTE FUNCTION " + schema + ".see()");
            }
            store.runs().submit(requests("quick", ConflictPolicy.QUEUE));
            store.runs().submit(requests("long", ConflictPolicy.REPLACE));
            List<Claimed> claimed = store.work().claim(RunWords.claiming(BATCH));
            store.work().finish(claimed.stream().map(RunWords::finishing).toList());
            store.tryAcquire(List.of(Bench.asking("a"), Bench.asking("b")));
            assertThat(server.ask("SELECT string_agg(DISTINCT jit, ' ') FROM " + schema + ".seen"))
                    .isEqualTo("off");
            assertThat(server.ask("SELECT count(DISTINCT place) FROM " + schema + ".seen"))
                    .isEqualTo("8");
        }
    }

    private static List<SubmitRequest> requests(String name, ConflictPolicy policy) {
        return IntStream.range(0, BATCH)
                .mapToObj(i -> RunWords.submitting(name + "/" + i, policy))
                .toList();
    }
}
