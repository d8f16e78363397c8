package io.interlock.engine.command;

import io.interlock.engine.RunContext;
import io.interlock.engine.command.internal.JsonText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The variables a command sees. */
final class CommandEnvironment {

    static final String PARAMETER = CommandSpec.OURS + "PARAM_";

    private static final int LONGEST_NAME = 100;

    private CommandEnvironment() {}

    static Map<String, String> of(CommandSpec spec, RunContext context, Map<String, String> worker) {
        Map<String, String> variables = spec.inherited().of(worker);
        variables.putAll(spec.environment());
        variables.putAll(parameters(context.run().spec().parameters()));
        variables.put(CommandSpec.OURS + "KEY", context.key().name());
        variables.put(CommandSpec.OURS + "TENANT", context.key().tenant());
        variables.put(CommandSpec.OURS + "RUN_ID", context.run().id().toString());
        variables.put(CommandSpec.OURS + "TOKEN", context.token().toString());
        variables.put(CommandSpec.OURS + "ATTEMPT", Integer.toString(context.attempt()));
        String trace = context.run().spec().origin().trace();
        if (trace == null) {
            // The worker's own would name a trace the run does not belong to.
            variables.remove("TRACEPARENT");
        } else {
            variables.put("TRACEPARENT", trace);
        }
        return variables;
    }

    /**
     * A variable for each top-level parameter that is a text, a number or a truth value. Its name is in capitals, with {@code _}
     * for whatever is no letter A-Z or digit. Parameters whose names become the same are left out, all of them: which one is meant
     * is not ours to guess, and the JSON on stdin has them all.
     */
    static Map<String, String> parameters(String json) {
        Map<String, String> variables = new HashMap<>();
        Set<String> taken = new HashSet<>();
        JsonText.scalars(json, (name, value) -> {
            String variable = variable(name);
            if (!taken.add(variable)) {
                variables.remove(variable);
            } else if (!name.isEmpty() && name.length() <= LONGEST_NAME && value.indexOf('\0') < 0) {
                variables.put(variable, value);
            }
        });
        return variables;
    }

    private static String variable(String name) {
        StringBuilder variable = new StringBuilder(PARAMETER);
        name.toUpperCase(Locale.ROOT).chars().forEach(c -> {
            boolean plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            variable.append(plain ? (char) c : '_');
        });
        return variable.toString();
    }
}
