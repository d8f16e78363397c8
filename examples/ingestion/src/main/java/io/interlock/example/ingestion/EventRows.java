package io.interlock.example.ingestion;

import io.interlock.example.ingestion.EventPages.Entry;
import io.interlock.example.ingestion.EventPages.Race;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Writes the rows of one event, each method inside the given transaction. */
final class EventRows {

    private static final Mirror ENTRIES =
            new Mirror("entry", List.of("event_id"), List.of("car"), List.of("driver", "transponder"));
    private static final Mirror RACE = new Mirror("race", List.of("event_id", "race"), List.of(), List.of("name"));
    private static final Mirror RESULTS =
            new Mirror("result", List.of("event_id", "race"), List.of("position"), List.of("car", "laps", "millis"));
    private static final Mirror LAPS =
            new Mirror("lap", List.of("event_id", "race"), List.of("car", "lap"), List.of("millis"));

    private EventRows() {}

    /** Writes the entry list, and deletes races that are no longer on the event's page, with their results and laps. */
    static void entries(Connection connection, String event, List<Entry> entries, List<Integer> races)
            throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        entries.forEach(entry -> rows.add(List.of(entry.car(), entry.driver(), entry.transponder())));
        ENTRIES.write(connection, List.of(event), rows);
        for (int race : racesOf(connection, event)) {
            if (!races.contains(race)) {
                RACE.write(connection, List.of(event, race), List.of());
            }
        }
    }

    /** Writes a complete race: its row is never visible without results and laps. */
    static void race(Connection connection, String event, Race race) throws SQLException {
        List<Object> within = List.of(event, race.number());
        RACE.write(connection, within, List.of(List.of(race.name())));
        RESULTS.write(connection, within, race.results());
        LAPS.write(connection, within, race.laps());
    }

    private static List<Integer> racesOf(Connection connection, String event) throws SQLException {
        List<Integer> races = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement("SELECT race FROM race WHERE event_id = ?")) {
            query.setString(1, event);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    races.add(row.getInt(1));
                }
            }
        }
        return races;
    }
}
