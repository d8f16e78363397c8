package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random steps on a few keys, in a store and in memory: both give the same answers and have the same data afterwards,
 * to the microsecond. Needs the memory store on the class path.
 */
public abstract class SameAnswersContract {

    private static final int DEEDS = 100;

    /** Opens an empty store with the time {@code time} only; the contract closes it. */
    protected abstract RunStore open(StandingTime time) throws Exception;

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void whateverIsDoneBothSayTheSame(long seed) throws Exception {
        StandingTime time = new StandingTime();
        try (RunStore store = open(time);
                RunStore memory = (RunStore) Stores.open("memory:", time)) {
            Random random = new Random(seed);
            Twins twins = new Twins(store, memory);
            TwinLife life = new TwinLife(twins, random);
            for (int i = 0; i < DEEDS; i++) {
                if (random.nextInt(3) == 0) {
                    time.pass(Duration.ofMillis(500L * random.nextInt(10)));
                    // Otherwise the next step on a key would settle it, which not every kind of step must do in every
                    // store.
                    life.settle();
                }
                life.go();
                if (random.nextInt(10) == 0) {
                    twins.areAlike(TwinLife.KEYS, life.submitted());
                }
            }
            assertThat(RunAudit.findings(store, TwinLife.KEYS, life.submitted()))
                    .isEmpty();
        }
    }
}
