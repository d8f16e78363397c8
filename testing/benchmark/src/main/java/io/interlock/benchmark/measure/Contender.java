package io.interlock.benchmark.measure;

/**
 * Takes part in a comparison.
 *
 * @param name what tables call it
 * @param slice measures it once
 */
public record Contender(String name, Slice slice) {

    private static final String AGAIN = " (again)";

    /** The same once more: two rows of the same thing show how much of a difference is chance. */
    public Contender again() {
        return new Contender(again(name), slice);
    }

    /** What the second row of {@code name} is called. */
    public static String again(String name) {
        return name + AGAIN;
    }

    /** Whether this is what a second row is called. */
    public static boolean isAgain(String name) {
        return name.endsWith(AGAIN);
    }

    /** Measures once. */
    @FunctionalInterface
    public interface Slice {

        /** Measures for about {@code pace.time()}, or a fixed number of steps. */
        Measurement measure(Pace pace) throws Exception;
    }
}
