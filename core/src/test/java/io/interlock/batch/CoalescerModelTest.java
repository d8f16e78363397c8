package io.interlock.batch;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.interlock.spi.Answers;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks the interleavings of a few callers: every call is answered as if the calls were made one after the other,
 * each exactly once, and no caller waits for ever.
 */
public class CoalescerModelTest {

    private static final boolean PROVE = Boolean.getBoolean("interlock.prove");

    @Test
    void callsAreAnsweredAsIfMadeOneAfterTheOther() {
        checked(3, PROVE ? 1_200 : 200).check(Counter.class);
    }

    @Test
    void soAreCallsInSeveralBatchesAtOnce() {
        // With fewer threads there are never enough waiting requests for a second batch.
        checked(4, PROVE ? 800 : 130).check(Counters.class);
    }

    private static ModelCheckingOptions checked(int threads, int invocations) {
        return new ModelCheckingOptions()
                .threads(threads)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(1)
                .iterations(1)
                .invocationsPerIteration(invocations)
                // A monitor guards all of it.
                .addGuarantee(
                        forClasses(PendingRequests.class.getName()).allMethods().treatAsAtomic())
                // It shares no state, and its recursion looks like an endless loop.
                .addGuarantee(forClasses(Coalescer.class.getName())
                        .methods("reserveStack")
                        .ignore());
    }

    /** A counter behind a coalescer; every second request of a batch is left open. */
    public static class Counter {

        private final Steps steps = new Steps();
        private final Coalescer<Integer, Integer> coalescer =
                new Coalescer<>(steps::take, List::of, 2, 1, Runnable::run);

        /** The sum after adding one. */
        @Operation
        public int increment() {
            return coalescer.call(0);
        }
    }

    /** Counters behind a coalescer with two batches in flight. */
    public static class Counters {

        private final Steps steps = new Steps();
        private final Coalescer<Integer, Integer> coalescer =
                new Coalescer<>(steps::take, List::of, 4, 2, Runnable::run);

        /** The sum of one of two counters after adding one. */
        @Operation
        public int increment(@Param(gen = IntGen.class, conf = "0:1") int counter) {
            return coalescer.call(counter);
        }
    }

    private static final class Steps {

        private final int[] sums = new int[2];

        synchronized Answers<Integer> take(List<Integer> counters) {
            List<@Nullable Integer> answers = new ArrayList<>();
            for (int i = 0; i < counters.size(); i++) {
                answers.add(i % 2 == 1 ? null : Integer.valueOf(++sums[counters.get(i)]));
            }
            return Answers.partly(answers);
        }
    }
}
