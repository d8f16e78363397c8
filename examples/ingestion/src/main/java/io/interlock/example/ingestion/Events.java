package io.interlock.example.ingestion;

import io.interlock.LockKey;
import io.interlock.engine.PermanentFailureException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/** The rows of events. Their depth only increases. */
final class Events {

    private final Database database;

    Events(Database database) {
        this.database = database;
    }

    /**
     * Creates the row of an event, once for its source event, even with concurrent callers.
     *
     * @return the event of the source event, which may have existed before
     */
    String create(LockKey event, String source, String track) throws SQLException {
        String id = idOf(event);
        return database.latched(LockKey.of(event.tenant(), "source-event/" + source), connection -> {
            Optional<String> known = first(connection, "SELECT id FROM event WHERE source_event_id = ?", source);
            if (known.isEmpty()) {
                try (PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO event (id, source_event_id, track_id, name) VALUES (?, ?, ?, '')")) {
                    insert.setString(1, id);
                    insert.setString(2, source);
                    insert.setString(3, track);
                    insert.executeUpdate();
                }
            }
            return known.orElse(id);
        });
    }

    /** The source event of an event. */
    String sourceOf(LockKey event) throws SQLException {
        return database.read(
                        connection -> first(connection, "SELECT source_event_id FROM event WHERE id = ?", idOf(event)))
                .orElseThrow(() -> new PermanentFailureException(
                        "EVENT_UNKNOWN",
                        idOf(event) + " does not exist; POST /api/v1/events/ingest creates one for its source event"));
    }

    /** Sets the name of the event. */
    static void rename(Connection connection, LockKey event, String name) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE event SET name = ? WHERE id = ? AND name <> ?")) {
            update.setString(1, name);
            update.setString(2, idOf(event));
            update.setString(3, name);
            update.executeUpdate();
        }
    }

    /** Marks the event as complete, in the last transaction. */
    static void complete(Connection connection, LockKey event, Instant now) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE event SET ingest_depth = 'laps_full', last_ingested_at = ? WHERE id = ?")) {
            update.setString(1, now.toString());
            update.setString(2, idOf(event));
            update.executeUpdate();
        }
    }

    /** The id in the key {@code event/{id}}. */
    static String idOf(LockKey event) {
        return event.name().substring("event/".length());
    }

    private static Optional<String> first(Connection connection, String sql, String value) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, value);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }
}
