package io.interlock.benchmark.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class MediansTest {

    @Test
    void theMedianIsInTheMiddle() {
        assertThat(Medians.of(List.of(9.0, 1.0, 5.0))).isEqualTo(5.0);
        assertThat(Medians.of(List.of(9.0, 1.0, 5.0, 7.0))).isEqualTo(6.0);
        assertThatIllegalArgumentException().isThrownBy(() -> Medians.of(List.of()));
    }

    @Test
    void quantilesAreExactToThreePercent() {
        Latencies latencies = new Latencies();
        for (int micros = 1; micros <= 1000; micros++) {
            latencies.record(micros * 1000L);
        }
        assertThat(latencies.size()).isEqualTo(1000);
        assertThat(latencies.micros(0.5)).isCloseTo(500, within(15.0));
        assertThat(latencies.micros(0.99)).isCloseTo(990, within(30.0));
        assertThat(latencies.millis(1)).isCloseTo(1, within(0.03));
        latencies.clear();
        assertThat(latencies.micros(0.5)).isZero();
    }

    @Test
    void everyTimeHasABucket() {
        Latencies latencies = new Latencies();
        for (long nanos = 1; nanos > 0; nanos <<= 1) {
            latencies.record(nanos);
            latencies.record(nanos - 1);
        }
        latencies.record(Long.MAX_VALUE);
        latencies.record(-1);
        assertThat(latencies.size()).isEqualTo(2 * 63 + 2);
    }

    @Test
    void aComparisonShowsMediansAndTheWorstForeignLoad() {
        Comparison comparison = new Comparison("name", "title", Figure.PER_SECOND);
        for (double value : new double[] {10, 30, 20}) {
            comparison.add(
                    "us", Measurement.none().with(Figure.PER_SECOND, value).with(Figure.FOREIGN_CPU_PERCENT, value));
            comparison.add("peer", Measurement.none().with(Figure.PER_SECOND, 2 * value));
            comparison.add(Contender.again("peer"), Measurement.none().with(Figure.PER_SECOND, value));
        }
        comparison.count("us", Figure.ROUND_TRIPS, 2);
        assertThat(comparison.value("us", Figure.PER_SECOND)).hasValue(20);
        assertThat(comparison.value("us", Figure.FOREIGN_CPU_PERCENT)).hasValue(30);
        assertThat(comparison.value("us", Figure.ROUND_TRIPS)).hasValue(2);
        assertThat(comparison.value("us", Figure.WAL_BYTES)).isEmpty();
        assertThat(comparison.noise()).hasValue(2);
        assertThat(comparison.figures())
                .containsExactly(Figure.PER_SECOND, Figure.ROUND_TRIPS, Figure.FOREIGN_CPU_PERCENT);
    }

    @Test
    void useIsForEachStep() {
        Use submit = new Use(1, 0.5, 0.2, 0.3, 1000, 10, 10, true);
        Use drain = new Use(1, 0.5, 0.1, 0.1, 500, 5, 5, true);
        assertThat(submit.perStep())
                .containsEntry(Figure.WAL_BYTES, 100.0)
                .containsEntry(Figure.COMMITS, 1.0)
                .containsEntry(Figure.FOREIGN_CPU_PERCENT, 50.0)
                .containsEntry(Figure.COMPILER_CPU_PERCENT, 30.0);
        assertThat(drain.plus(submit).perStep())
                .containsEntry(Figure.WAL_BYTES, 200.0)
                .containsEntry(Figure.FOREIGN_CPU_PERCENT, 50.0);
    }

    @Test
    void idleAndWaitingAreNotBusy() {
        assertThat(CpuTimes.busySeconds("cpu  100 10 50 9999 777 1 2 3 0 0\ncpu0 1 2 3\n"))
                .isEqualTo(1.66);
    }
}
