package io.interlock.config;

import io.interlock.run.RunSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the triggers of a workflow and their priorities. */
final class TriggerReader {

    private static final Pattern PATH = Pattern.compile("[^.\\s]+(\\.[^.\\s]+)*");

    private final Reading reading;
    private final String at;

    /** A reader below {@code at}, as in {@code jobs.invoice.}. */
    TriggerReader(Reading reading, String at) {
        this.reading = reading;
        this.at = at;
    }

    /** The path of the event id in the body. */
    String eventId(CompatApi api) {
        String path = reading.requiredText(at + "event-id");
        if (reading.isSet(at + "event-id") && api != CompatApi.WORKFLOWS) {
            reading.mistake(at + "event-id", "is only for jobs with api: workflows; this one has api: " + api.word());
        }
        if (!PATH.matcher(path).matches()) {
            reading.mistake(
                    at + "event-id",
                    "'" + path + "' is not a path; write field names separated by dots, such as data.object.id");
        }
        return path;
    }

    Map<String, Integer> read(String job, CompatApi api) {
        List<String> named = reading.words(at + "triggers");
        Set<String> urgent = reading.sources().children(at + "trigger-priorities");
        if (api != CompatApi.WORKFLOWS) {
            if (!named.isEmpty() || !urgent.isEmpty()) {
                reading.mistake(
                        at + (named.isEmpty() ? "trigger-priorities" : "triggers"),
                        "is only for jobs with api: workflows; this one has api: " + api.word());
            }
            return Map.of();
        }
        Map<String, Integer> triggers = new LinkedHashMap<>();
        (named.isEmpty() ? List.of(job) : named).forEach(trigger -> triggers.put(trigger, 0));
        for (String child : urgent) {
            String property = at + "trigger-priorities." + child;
            Integer priority = reading.optionalNumber(property, -RunSpec.MAX_PRIORITY, RunSpec.MAX_PRIORITY);
            if (triggers.replace(SettingsReader.plain(child), priority == null ? 0 : priority) == null) {
                reading.mistake(
                        property, "names a trigger that is not one of " + triggers.keySet() + "; add it to triggers");
            }
        }
        return triggers;
    }
}
