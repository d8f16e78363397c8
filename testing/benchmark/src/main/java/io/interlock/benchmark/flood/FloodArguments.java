package io.interlock.benchmark.flood;

import java.time.Duration;
import java.util.List;

/**
 * What was typed: {@code [--store sqlite|postgres] [--connections N] [--seconds N] [--history N]}.
 *
 * @param stores the stores to flood, one after the other
 * @param connections over how many connections runs are started
 * @param time how long each phase takes
 * @param history how many runs of the past the flooding tenant has
 */
record FloodArguments(List<String> stores, int connections, Duration time, int history) {

    private static final List<String> STORES = List.of("sqlite", "postgres");

    /**
     * Reads the words.
     *
     * @throws IllegalArgumentException if they make no sense
     */
    static FloodArguments parse(String... words) {
        List<String> stores = STORES;
        int connections = 100;
        int seconds = 30;
        int history = 20_000;
        for (int i = 0; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " needs a value, or is unknown; known are "
                        + "--store sqlite|postgres, --connections N, --seconds N and --history N");
            }
            String value = words[i + 1];
            switch (words[i]) {
                case "--store" -> stores = List.of(oneOf(value));
                case "--connections" -> connections = number(words[i], value, 1, 10_000);
                case "--seconds" -> seconds = number(words[i], value, 1, 3_600);
                case "--history" -> history = number(words[i], value, 0, 1_000_000);
                default ->
                    throw new IllegalArgumentException(
                            words[i]
                                    + " is unknown; known are --store sqlite|postgres, --connections N, --seconds N and --history N");
            }
        }
        return new FloodArguments(stores, connections, Duration.ofSeconds(seconds), history);
    }

    private static String oneOf(String store) {
        if (!STORES.contains(store)) {
            throw new IllegalArgumentException("--store " + store + " is unknown; known are sqlite and postgres");
        }
        return store;
    }

    private static int number(String option, String value, int least, int most) {
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException none) {
            // Said below.
        }
        throw new IllegalArgumentException(option + " " + value + " is not a number from " + least + " to " + most);
    }
}
