package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.DatabaseCounters;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.sql.SQLException;

/** What is counted apart from the rounds: round trips, because the proxy that counts them costs time, and HOT updates. */
final class Counted {

    private Counted() {}

    /** Adds the share of HOT updates in a database whose clients are closed. */
    static void hotUpdates(
            Comparison comparison, String contender, PostgresUnderTest postgres, PostgresAddress database)
            throws SQLException, InterruptedException {
        postgres.hotPercent(database).ifPresent(hot -> comparison.count(contender, Figure.HOT_PERCENT, hot));
    }

    /** Round trips of one step, while {@code slice} is measured. */
    static double roundTrips(TcpProxy proxy, Slice slice) throws Exception {
        // The round trips take the place of the transactions, so that they are read at the same moments as the steps.
        Measurement measured = slice.measure(Meter.of(new Counter(proxy)));
        return measured.value(Figure.COMMITS).orElse(0);
    }

    /** Measures with a meter. */
    @FunctionalInterface
    interface Slice {
        Measurement measure(Meter meter) throws Exception;
    }

    private record Counter(TcpProxy proxy) implements DatabaseCounters {

        @Override
        public long process() {
            return 0;
        }

        @Override
        public Counts read() {
            return new Counts(0, proxy.roundTrips());
        }

        @Override
        public void checkpoint() {}
    }
}
