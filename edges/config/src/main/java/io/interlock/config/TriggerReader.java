package io.interlock.config;

import io.interlock.run.RunSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads which triggers start a workflow, and with which priority. */
final class TriggerReader {

    private final Reading reading;
    private final String at;

    /** A reader below {@code at}, as in {@code jobs.invoice.}. */
    TriggerReader(Reading reading, String at) {
        this.reading = reading;
        this.at = at;
    }

    Map<String, Integer> read(String job, Door door) {
        List<String> named = reading.words(at + "triggers");
        Set<String> urgent = reading.sources().children(at + "trigger-priorities");
        if (door != Door.WORKFLOWS) {
            if (!named.isEmpty() || !urgent.isEmpty()) {
                reading.mistake(
                        at + (named.isEmpty() ? "trigger-priorities" : "triggers"),
                        "is for jobs with door: workflows; this one has door: " + door.word());
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
                        property, "is for a trigger that is not among " + triggers.keySet() + "; add it to triggers");
            }
        }
        return triggers;
    }
}
