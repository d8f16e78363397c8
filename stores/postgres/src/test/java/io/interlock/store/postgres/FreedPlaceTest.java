package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunState;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.tck.process.Proxy;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A place under a tenant's limit that no run could take when it became free. */
@Timeout(30)
class FreedPlaceTest {

    private static final LineLimits ONE = new LineLimits(1000, 1);

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final RunStore store = harness.open(Environment.system());

    @AfterEach
    void close() {
        store.close();
        harness.close();
    }

    /** However many other tenants wait for places, none of which becomes free. */
    @Test
    void isGivenAwayBySweeps() throws Exception {
        List<String> tenants = IntStream.range(0, 400).mapToObj(i -> "t" + i).toList();
        store.runs()
                .submit(tenants.stream().map(tenant -> limited(tenant, "first")).toList());
        List<SubmitRequest> next =
                tenants.stream().map(tenant -> limited(tenant, "next")).toList();
        store.runs().submit(next);
        List<SubmitRequest> freed =
                IntStream.range(0, 20).mapToObj(i -> next.get(i * 20)).toList();
        try (Connection other = server.connect()) {
            other.setAutoCommit(false);
            RowWait.execute(other, "SELECT FROM " + harness.table("lease") + " WHERE name = 'next' FOR UPDATE");
            freed.forEach(request -> finishFirst(request.key().tenant()));
            other.rollback();
        }
        assertThat(freed).extracting(this::stateOf).containsOnly(RunState.QUEUED);
        IntStream.range(0, 5).forEach(round -> store.upkeep().sweepRuns(100));
        assertThat(freed).extracting(this::stateOf).containsOnly(RunState.PENDING);
    }

    /** No run of the line may start. A step knows that when it has read the first hundred, with two round trips for every four. */
    @Test
    void aSubmissionReadsALineThatWaitsForAPlaceTwice() throws Exception {
        String url = "postgresql://postgres@localhost:%d/postgres?schema=" + harness.schema();
        try (Proxy proxy = new Proxy(server.port());
                RunStore measured = (RunStore) Stores.open(url.formatted(proxy.port()))) {
            RunWords.submitted(store, limited("acme", "busy"));
            store.runs()
                    .submit(Stream.generate(() -> limited("acme", "idle"))
                            .limit(100)
                            .toList());
            int least = IntStream.range(0, 8)
                    .map(i -> {
                        int before = proxy.roundTrips();
                        RunWords.submitted(measured, limited("acme", "idle"));
                        return proxy.roundTrips() - before;
                    })
                    .min()
                    .orElseThrow();
            assertThat(least).isLessThan(110);
        }
    }

    private void finishFirst(String tenant) {
        ClaimRequest claim = new ClaimRequest(RunWords.uuid(), RunWords.WORKER, tenant, Set.of(RunWords.JOB), 1);
        store.work()
                .finish(store.work().claim(claim).stream()
                        .map(RunWords::finishing)
                        .toList());
    }

    private RunState stateOf(SubmitRequest request) {
        return store.queries().findRun(request.id()).orElseThrow().state();
    }

    private static SubmitRequest limited(String tenant, String name) {
        return SubmitRequest.of(
                        RunWords.freshRun(),
                        LockKey.of(tenant, name),
                        RunWords.spec().policy(ConflictPolicy.QUEUE))
                .within(ONE);
    }
}
