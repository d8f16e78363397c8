package io.interlock.batch;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.interlock.spi.Answers;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goes through the interleavings of a few callers, one by one: every call is answered as if the calls had been made one
 * after the other, none is made twice or never, and nobody waits for ever.
 */
public class CoalescerModelTest {

    @Test
    void callsAreAnsweredAsIfMadeOneAfterTheOther() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(1)
                .iterations(1)
                .invocationsPerIteration(600)
                // It shares nothing, and its depth looks like an endless loop.
                .addGuarantee(forClasses(Coalescer.class.getName())
                        .methods("reserveStack")
                        .ignore())
                .check(Counter.class);
    }

    /** A counter behind a coalescer; every second request of a batch is left open. */
    public static class Counter {

        private final Coalescer<Integer, Integer> coalescer = new Coalescer<>(this::step, 2, Runnable::run);
        private int sum;

        /** The sum after adding one. */
        @Operation
        public int increment() {
            return coalescer.call(1);
        }

        private synchronized Answers<Integer> step(List<Integer> amounts) {
            List<@Nullable Integer> answers = new ArrayList<>();
            for (int i = 0; i < amounts.size(); i++) {
                if (i % 2 == 1) {
                    answers.add(null);
                } else {
                    sum += amounts.get(i);
                    answers.add(sum);
                }
            }
            return Answers.partly(answers);
        }
    }
}
