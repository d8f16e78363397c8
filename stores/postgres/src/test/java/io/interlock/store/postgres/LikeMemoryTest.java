package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.spi.run.RunStore;
import io.interlock.store.memory.MemoryStore;
import io.interlock.tck.RunAudit;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The rules about runs are written twice, in Java and in SQL. Whatever is done, in whatever order, both give the same answers
 * and leave the same behind, to the microsecond.
 */
class LikeMemoryTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whateverIsDoneBothSayTheSame(long seed) {
        live(seed, 200);
    }

    static void live(long seed, int deeds) {
        PostgresHarness harness = new PostgresHarness();
        StandingTime time = new StandingTime(harness);
        try (RunStore postgres = harness.open(Environment.system());
                RunStore memory = new MemoryStore(time)) {
            Random random = new Random(seed);
            Twins twins = new Twins(postgres, memory);
            TwinLife life = new TwinLife(twins, random);
            for (int i = 0; i < deeds; i++) {
                if (random.nextInt(3) == 0) {
                    time.pass(Duration.ofMillis(500L * random.nextInt(10)));
                }
                life.go();
                // Each may settle a key later than the other, but not after somebody has swept.
                if (random.nextInt(3) == 0) {
                    life.settle();
                    twins.areAlike(TwinLife.KEYS, life.submitted());
                }
            }
            assertThat(RunAudit.findings(postgres, TwinLife.KEYS, life.submitted()))
                    .isEmpty();
        } finally {
            harness.close();
        }
    }
}
