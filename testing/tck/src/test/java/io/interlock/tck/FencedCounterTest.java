package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.tck.process.FencedCounter;
import io.interlock.tck.process.PlainCounter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FencedCounterTest {

    @TempDir
    private Path directory;

    @Test
    void aTokenSmallerThanTheGreatestMetIsRefused() throws Exception {
        FencedCounter counter = new FencedCounter(directory.resolve("fenced"));
        assertThat(counter.add(new FencingToken(10), 1)).isTrue();
        assertThat(counter.add(new FencingToken(12), 1)).isTrue();
        assertThat(counter.add(new FencingToken(11), 1)).as("late").isFalse();
        assertThat(counter.add(new FencingToken(12), 5))
                .as("the same holder again")
                .isTrue();
        assertThat(counter.number()).isEqualTo(7);
    }

    @Test
    void theFirstContactOfAHolderRaisesTheBarThoughItChangesNothing() throws Exception {
        FencedCounter counter = new FencedCounter(directory.resolve("fenced"));
        counter.add(new FencingToken(10), 1);
        assertThat(counter.add(new FencingToken(20), 0)).isTrue();
        assertThat(counter.add(new FencingToken(10), 1)).isFalse();
        assertThat(counter.number()).isEqualTo(1);
    }

    @Test
    void aPlainCounterLosesUpdatesWithoutALock() throws Exception {
        Path file = directory.resolve("plain");
        ParallelThreads.run(4, number -> {
            for (int i = 0; i < 50; i++) {
                new PlainCounter(file).increment();
            }
        });
        assertThat(new PlainCounter(file).number()).isLessThan(200);
    }
}
