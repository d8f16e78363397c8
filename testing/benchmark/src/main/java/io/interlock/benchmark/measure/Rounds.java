package io.interlock.benchmark.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives each contender its turn, round after round, so that what else happens on the machine hits all alike. */
public final class Rounds {

    private static final Logger log = LoggerFactory.getLogger(Rounds.class);

    private Rounds() {}

    /** Lets all warm up, then measures. */
    public static void warmAndRun(Comparison comparison, Pace pace, List<Contender> contenders)
            throws InterruptedException {
        for (Contender contender : contenders) {
            measure(comparison, contender, pace.warmUp());
        }
        run(comparison, pace, contenders);
    }

    /** Measures; every second round in the opposite order, so that none always follows the same one. */
    public static void run(Comparison comparison, Pace pace, List<Contender> contenders) throws InterruptedException {
        for (int round = 0; round < pace.rounds(); round++) {
            List<Contender> order = new ArrayList<>(contenders);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            for (Contender contender : order) {
                measure(comparison, contender, pace).ifPresent(measured -> comparison.add(contender.name(), measured));
            }
        }
    }

    /** One that fails must not keep the others from being measured. */
    private static Optional<Measurement> measure(Comparison comparison, Contender contender, Pace pace)
            throws InterruptedException {
        try {
            return Optional.of(contender.slice().measure(pace));
        } catch (InterruptedException stop) {
            throw stop;
        } catch (Exception failure) {
            if (Thread.interrupted()) {
                throw new InterruptedException("stopped at the time limit");
            }
            comparison.note(contender.name() + " failed: " + failure);
            log.warn("{} failed in {}", contender.name(), comparison.name(), failure);
            return Optional.empty();
        }
    }
}
