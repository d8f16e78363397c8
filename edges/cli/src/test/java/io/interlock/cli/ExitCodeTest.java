package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every exit code of {@code interlock run} on SQLite; through a server they are in {@link ThroughServerTest}. */
class ExitCodeTest {

    @TempDir
    Path folder;

    @Test
    void everyExitCodeIsProduced() throws Exception {
        String store = new Cli(folder).store();
        Typed typed = new Typed("INTERLOCK_STORE", store);
        assertThat(typed.type("acquire", "held", "--ttl", "2m").code()).isZero();
        assertThat(typed.type("locks", "pause", "paused/*").code()).isZero();
        ExitCodes codes = new ExitCodes(folder, "", "--store", store);
        codes.areAllProduced();
        codes.elsewhere(78, "unknown scheme", "--store", "foo:bar");
        try (Connection hog = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("interlock.db"));
                Statement statement = hog.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            codes.elsewhere(69, "store-unavailable", "--store", store + "?timeout=100ms");
        }
    }
}
