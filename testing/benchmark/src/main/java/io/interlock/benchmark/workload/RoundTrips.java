package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.DatabaseCounters;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.server.TcpProxy;

/** Counts round trips apart from the rounds, because the proxy that counts them costs time. */
final class RoundTrips {

    private RoundTrips() {}

    /** Round trips of one step, while {@code slice} is measured. */
    static double perStep(TcpProxy proxy, Slice slice) throws Exception {
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
