package io.interlock.engine.command;

import io.interlock.InvalidSettingException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which variables of this process a command sees. Those that hold secrets of Interlock, of its stores and of AWS are not among them
 * unless the list names them: {@code INTERLOCK_*}, {@code AWS_*} but for regions, profiles and the like, {@code PGPASSWORD}, {@code PGPASSFILE}, {@code MYSQL_PWD} and
 * {@code REDISCLI_AUTH}. Immutable.
 *
 * <p>A JVM takes words, names of files and variables for what the locale says, and cron and containers have none: whatever is not ASCII
 * would be lost on its way to a command. So {@code ./interlock} gives the JVM the locale {@code C.UTF-8} then, and says in a variable
 * what was there before; commands get that back.
 *
 * @param all whether it sees all others; if not, only what the list names
 * @param allowed names, or beginnings of names that end with {@code *}
 */
public record InheritedEnvironment(boolean all, Set<String> allowed) {

    private static final String LOCALE = "LC_ALL";
    private static final String LOCALE_BEFORE = "INTERLOCK_LC_ALL";
    private static final Set<String> SECRET = Set.of("PGPASSWORD", "PGPASSFILE", "MYSQL_PWD", "REDISCLI_AUTH");
    private static final Set<String> SECRET_BEGINNINGS = Set.of(CommandSpec.OURS, "AWS_");
    private static final Set<String> NO_SECRET = Set.of(
            "AWS_REGION",
            "AWS_DEFAULT_REGION",
            "AWS_PROFILE",
            "AWS_DEFAULT_PROFILE",
            "AWS_DEFAULT_OUTPUT",
            "AWS_CA_BUNDLE",
            "AWS_PAGER",
            "AWS_MAX_ATTEMPTS",
            "AWS_RETRY_MODE");
    // Before the rules below, which are checked by it.
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*\\*?");

    /** All variables that hold no secret. */
    public static final InheritedEnvironment ALL = new InheritedEnvironment(true, Set.of());

    /** None. */
    public static final InheritedEnvironment NONE = new InheritedEnvironment(false, Set.of());

    /** What almost every program needs, and nothing that is a secret. */
    public static final InheritedEnvironment CLEAN =
            new InheritedEnvironment(false, Set.of("PATH", "HOME", "LANG", "LC_*", "TZ", "TMPDIR"));

    public InheritedEnvironment {
        allowed = Set.copyOf(allowed);
        for (String name : allowed) {
            if (!NAME.matcher(name).matches()) {
                throw new InvalidSettingException(
                        "environment-allow",
                        name,
                        "is no name of a variable",
                        "write letters, digits and _, or such a beginning with * behind it, as AWS_*");
            }
        }
    }

    /** All variables of this process as its parent had them. */
    public static Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>(System.getenv());
        if (variables.containsKey(LOCALE_BEFORE)) {
            variables.remove(LOCALE);
            String before = variables.remove(LOCALE_BEFORE);
            if (!before.isEmpty()) {
                variables.put(LOCALE, before);
            }
        }
        return variables;
    }

    public InheritedEnvironment allowing(Set<String> more) {
        Set<String> names = new HashSet<>(allowed);
        names.addAll(more);
        return new InheritedEnvironment(all, names);
    }

    /** Those of {@code variables} that a command sees. */
    public Map<String, String> of(Map<String, String> variables) {
        Map<String, String> seen = new HashMap<>(variables);
        seen.keySet().removeIf(name -> !sees(name));
        return seen;
    }

    /** Whether a command sees the variable {@code name}. */
    public boolean sees(String name) {
        // The mark by which a guard finds its processes is no secret, and is needed by the guard of a command within a
        // command.
        return name.equals(SessionProcess.VARIABLE) || isAllowed(name) || (all && !isSecret(name));
    }

    private boolean isAllowed(String name) {
        return allowed.contains(name)
                || allowed.stream()
                        .anyMatch(each -> each.endsWith("*") && name.startsWith(each.substring(0, each.length() - 1)));
    }

    private static boolean isSecret(String name) {
        return SECRET.contains(name)
                || (!NO_SECRET.contains(name) && SECRET_BEGINNINGS.stream().anyMatch(name::startsWith));
    }
}
