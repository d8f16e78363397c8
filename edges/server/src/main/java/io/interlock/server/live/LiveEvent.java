package io.interlock.server.live;

import io.interlock.TimeText;
import io.interlock.run.AuditRecord;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Optional;

/**
 * Something a stream tells.
 *
 * @param topic which kind of reader wants it: {@code runs}, {@code locks}, {@code workers}, {@code janitor}
 * @param type what happened, as {@code run.succeeded}
 * @param data about what
 */
record LiveEvent(String topic, String type, JsonObject data) {

    static final String RUNS = "runs";
    static final String LOCKS = "locks";
    static final String WORKERS = "workers";
    static final String JANITOR = "janitor";

    /** What a record of the audit log tells; nothing if it is about API keys. Who did it and why is for the audit log. */
    static Optional<LiveEvent> of(AuditRecord record) {
        return switch (record.action()) {
            case "run" ->
                Optional.of(of(
                        RUNS, "run." + record.after().toLowerCase(Locale.ROOT).replace('_', '-'), record));
            case "submitted", "stop-requested", "redriven", "discarded" ->
                Optional.of(of(RUNS, "run." + record.action(), record));
            case "resource" -> Optional.of(of(RUNS, "resource.changed", record));
            case "evicted", "paused", "resumed" -> Optional.of(of(LOCKS, "lock." + record.action(), record));
            default -> Optional.empty();
        };
    }

    private static LiveEvent of(String topic, String type, AuditRecord record) {
        JsonObject data = new JsonObject()
                .put("at", TimeText.format(record.at()))
                .put("key", record.key().name());
        if (record.run() != null) {
            data.put("runId", record.run().toString());
        }
        if (record.token() != null) {
            data.put("token", record.token().value());
        }
        return new LiveEvent(topic, type, data.put("before", record.before()).put("after", record.after()));
    }

    /** As it goes over the wire, without an id: whoever resumes is not told it again. */
    String text() {
        return "event: " + type + "\ndata: " + data.encode() + "\n\n";
    }

    /** As it goes over the wire, at its place in the audit log. */
    String text(long position) {
        return "id: " + position + "\n" + text();
    }
}
