package io.interlock.engine.command;

import java.util.HashMap;
import java.util.Map;

/**
 * The variables of this process as its parent had them.
 *
 * <p>A JVM takes words, names of files and variables for what the locale says, and cron and containers have none: whatever is not ASCII
 * would be lost on its way to a command. So {@code ./interlock} gives the JVM the locale {@code C.UTF-8} then, and says in a variable
 * what was there before; commands get that back.
 */
public final class InheritedVariables {

    private static final String LOCALE = "LC_ALL";
    private static final String BEFORE = "INTERLOCK_LC_ALL";

    private InheritedVariables() {}

    /** All of them. */
    public static Map<String, String> all() {
        return before(System.getenv());
    }

    static Map<String, String> before(Map<String, String> now) {
        if (!now.containsKey(BEFORE)) {
            return now;
        }
        Map<String, String> variables = new HashMap<>(now);
        variables.remove(LOCALE);
        String locale = variables.remove(BEFORE);
        if (locale != null && !locale.isEmpty()) {
            variables.put(LOCALE, locale);
        }
        return variables;
    }
}
