package io.interlock.benchmark.report;

import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Whether a bar is reached.
 *
 * @param name of the bar
 * @param kind {@code ratio} or {@code value}
 * @param reached what was measured; empty if that did not come to an end
 * @param limit the bar
 */
public record BarResult(String name, String kind, OptionalDouble reached, Limit limit) {

    /** Whether it is reached; what was not measured is not. */
    public boolean passes() {
        return reached.isPresent() && limit.allows(reached.getAsDouble());
    }

    /** {@code bench: NAME ratio R bar B pass|FAIL}. */
    public String line() {
        return "bench: " + name + " " + kind + " " + reachedText() + " bar " + limit.text() + " "
                + (passes() ? "pass" : "FAIL");
    }

    /** The figure with three digits that count, or {@code none}. */
    public String reachedText() {
        if (reached.isEmpty()) {
            return "none";
        }
        double value = reached.getAsDouble();
        int digits = value == 0 ? 0 : (int) Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
        return String.format(Locale.ROOT, "%." + Math.min(5, digits) + "f", value);
    }
}
