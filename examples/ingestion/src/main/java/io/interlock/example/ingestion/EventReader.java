package io.interlock.example.ingestion;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a snapshot of an event for a page of results, also while it is being ingested. */
final class EventReader {

    private static final String EVENT = "SELECT name, ingest_depth, last_ingested_at FROM event WHERE id = ?";
    private static final String RACES = """
            SELECT race, name,
              (SELECT count(*) FROM result WHERE result.event_id = race.event_id AND result.race = race.race),
              (SELECT count(*) FROM lap WHERE lap.event_id = race.event_id AND lap.race = race.race)
            FROM race WHERE event_id = ? ORDER BY race""";

    /** A complete race. */
    record Race(int number, String name, int results, int laps) {}

    /** An event; show it as complete only if it is. */
    record Event(String name, boolean complete, @Nullable String lastIngestedAt, List<Race> races) {}

    private final Database database;

    EventReader(Database database) {
        this.database = database;
    }

    Optional<Event> find(String id) throws SQLException {
        return database.read(connection -> {
            try (PreparedStatement event = connection.prepareStatement(EVENT);
                    PreparedStatement races = connection.prepareStatement(RACES)) {
                event.setString(1, id);
                races.setString(1, id);
                ResultSet row = event.executeQuery();
                if (!row.next()) {
                    return Optional.empty();
                }
                List<Race> found = new ArrayList<>();
                ResultSet each = races.executeQuery();
                while (each.next()) {
                    found.add(new Race(each.getInt(1), each.getString(2), each.getInt(3), each.getInt(4)));
                }
                boolean complete = row.getString(2).equals("laps_full");
                return Optional.of(new Event(row.getString(1), complete, row.getString(3), found));
            }
        });
    }
}
