package io.interlock.benchmark.report;

/**
 * How much or how little is enough.
 *
 * @param text as the table of requirements has it, as in {@code >=2.5} or {@code <=1/15}
 * @param kind which side is good
 * @param value the number
 */
public record Limit(String text, Kind kind, double value) {

    /** Which side is good. */
    public enum Kind {
        /** That much or more. */
        AT_LEAST,
        /** That much or less. */
        AT_MOST,
        /** Less than that. */
        BELOW
    }

    /** At least {@code value}. */
    public static Limit atLeast(double value) {
        return new Limit(">=" + plain(value), Kind.AT_LEAST, value);
    }

    /** At most {@code value}. */
    public static Limit atMost(double value) {
        return new Limit("<=" + plain(value), Kind.AT_MOST, value);
    }

    /** At most one part in {@code parts}. */
    public static Limit atMostOneIn(int parts) {
        return new Limit("<=1/" + parts, Kind.AT_MOST, 1.0 / parts);
    }

    /** Less than {@code value}. */
    public static Limit below(double value) {
        return new Limit("<" + plain(value), Kind.BELOW, value);
    }

    /** Whether {@code reached} is good enough. */
    public boolean allows(double reached) {
        return switch (kind) {
            case AT_LEAST -> reached >= value;
            case AT_MOST -> reached <= value;
            case BELOW -> reached < value;
        };
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
