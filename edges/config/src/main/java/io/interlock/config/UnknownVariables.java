package io.interlock.config;

import io.interlock.NearestWord;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds variables with the prefix of Interlock that set nothing. Another program may use them, so they are warnings,
 * not mistakes.
 */
final class UnknownVariables {

    /** Variables of clients, of the launcher and of the commands of runs. */
    private static final Set<String> OTHERS = Set.of(
            "INTERLOCK_API_KEY",
            "INTERLOCK_SERVER",
            "INTERLOCK_CACERT",
            "INTERLOCK_CONFIG",
            "INTERLOCK_LOG_LEVEL",
            "INTERLOCK_LOG_FORMAT",
            "INTERLOCK_WITHHELD",
            "INTERLOCK_JAVA_OPTS",
            "INTERLOCK_CLASSPATH",
            "INTERLOCK_LC_ALL",
            "INTERLOCK_LEASE_ID",
            "INTERLOCK_GUARD",
            "INTERLOCK_KEY",
            "INTERLOCK_TENANT",
            "INTERLOCK_RUN_ID",
            "INTERLOCK_RUN_FILE",
            "INTERLOCK_ATTEMPT",
            "INTERLOCK_TOKEN");

    private UnknownVariables() {}

    static List<String> in(Sources sources) {
        Set<String> known = new TreeSet<>();
        for (Setting setting : Settings.ALL) {
            if (!setting.isPattern()) {
                known.add(Sources.variable(setting.name()));
            } else if (setting.name().startsWith("jobs.*.") && !setting.name().endsWith(".*")) {
                sources.children("jobs")
                        .forEach(
                                job -> known.add(Sources.variable(setting.name().replaceFirst("\\*", job))));
            }
        }
        sources.children("tenants").forEach(name -> known.add(Sources.variable("tenants." + name + ".max-running")));
        List<String> warnings = new ArrayList<>();
        for (String name : sources.variables()) {
            if (!known.contains(name) && !OTHERS.contains(name) && !name.startsWith("INTERLOCK_PARAM_")) {
                NearestWord.to(name, known)
                        .ifPresent(near ->
                                warnings.add("the variable " + name + " sets nothing; did you mean " + near + "?"));
            }
        }
        return warnings;
    }
}
