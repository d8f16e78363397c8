package io.interlock.example.ingestion;

import io.interlock.example.ingestion.EventPages.Entry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Matches entries with drivers. A transponder identifies a driver; if the name agrees, the match is confirmed
 * automatically, otherwise it is suggested for a manual decision. A confirmed match stays.
 */
final class Drivers {

    private static final Mirror MATCHES =
            new Mirror("driver_match", List.of("event_id"), List.of("car"), List.of("transponder", "status"));

    private Drivers() {}

    /** Matches the entries of an event, and creates new drivers. */
    static void match(Connection connection, String event, List<Entry> entries) throws SQLException {
        Set<Integer> confirmed = confirmed(connection, event);
        List<List<Object>> matches = new ArrayList<>();
        // Drivers are shared by all events: concurrent transactions create them in the same order, which avoids
        // deadlocks.
        List<Entry> ordered = entries.stream()
                .sorted(Comparator.comparingLong(Entry::transponder))
                .toList();
        for (Entry entry : ordered) {
            String name = nameOf(connection, entry);
            boolean sure = confirmed.contains(entry.car()) || plain(name).equals(plain(entry.driver()));
            matches.add(List.of(entry.car(), entry.transponder(), sure ? "confirmed" : "suggested"));
        }
        MATCHES.write(connection, List.of(event), matches);
    }

    private static String nameOf(Connection connection, Entry entry) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO driver (transponder, name) VALUES (?, ?) ON CONFLICT (transponder) DO NOTHING")) {
            insert.setLong(1, entry.transponder());
            insert.setString(2, entry.driver());
            insert.executeUpdate();
        }
        try (PreparedStatement query = connection.prepareStatement("SELECT name FROM driver WHERE transponder = ?")) {
            query.setLong(1, entry.transponder());
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : entry.driver();
            }
        }
    }

    private static Set<Integer> confirmed(Connection connection, String event) throws SQLException {
        Set<Integer> cars = new HashSet<>();
        String sql = "SELECT m.car FROM driver_match m JOIN entry e ON e.event_id = m.event_id AND e.car = m.car "
                + "AND e.transponder = m.transponder WHERE m.event_id = ? AND m.status = 'confirmed'";
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setString(1, event);
            try (ResultSet row = query.executeQuery()) {
                while (row.next()) {
                    cars.add(row.getInt(1));
                }
            }
        }
        return cars;
    }

    private static String plain(String name) {
        return name.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
    }
}
