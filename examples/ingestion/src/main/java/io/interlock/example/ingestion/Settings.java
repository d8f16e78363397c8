package io.interlock.example.ingestion;

import io.interlock.InvalidSettingException;
import java.net.URI;
import java.util.Map;

/**
 * The settings from environment variables.
 *
 * @param source {@code INGESTION_SOURCE}: the site
 * @param database {@code INGESTION_DATABASE}: a JDBC URL
 * @param racesAtOnce {@code INGESTION_RACES_AT_ONCE}: default 1; more than 1 acquires a lock for each race
 * @param store {@code INTERLOCK_STORE}: the store of those locks, which is the server's
 */
record Settings(URI source, String database, int racesAtOnce, String store) {

    static Settings of(Map<String, String> variables) {
        Settings settings = new Settings(
                URI.create(required(variables, "INGESTION_SOURCE", "http://127.0.0.1:8090")),
                required(variables, "INGESTION_DATABASE", "jdbc:sqlite:races.db"),
                Integer.parseInt(variables.getOrDefault("INGESTION_RACES_AT_ONCE", "1")),
                variables.getOrDefault("INTERLOCK_STORE", ""));
        if (settings.racesAtOnce() > 1) {
            required(variables, "INTERLOCK_STORE", "sqlite:interlock.db, the store of the server");
        }
        return settings;
    }

    private static String required(Map<String, String> variables, String name, String example) {
        String value = variables.getOrDefault(name, "");
        if (value.isEmpty()) {
            throw new InvalidSettingException(name, "", "is not set", "set it, as in " + example);
        }
        return value;
    }
}
