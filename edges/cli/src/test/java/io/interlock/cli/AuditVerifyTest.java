package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.Typed.Answer;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes to the audit log of a SQLite store that leave a whole chain behind, and what {@code audit verify} says. */
class AuditVerifyTest {

    @TempDir
    Path folder;

    private Typed cli = new Typed("INTERLOCK_STORE", "");

    @BeforeEach
    void recordSomething() {
        cli = new Typed("INTERLOCK_STORE", store());
        pause(5);
        seal();
        assertThat(cli.type("audit", "verify").out()).contains("nothing is wrong");
    }

    @Test
    void anEndThatWasCutOffIsFound() throws Exception {
        change("DELETE FROM interlock_seal WHERE position > 3", "DELETE FROM interlock_audit WHERE sequence > 3");
        assertWrong(cli.type("audit", "verify"), "the store has counted 5 records, but the last one there is number");
    }

    @Test
    void aLogThatWasEmptiedIsFound() throws Exception {
        change("DELETE FROM interlock_seal", "DELETE FROM interlock_seal_anchor", "DELETE FROM interlock_audit");
        assertWrong(cli.type("audit", "verify"), "the end of the log was cut off");
    }

    @Test
    void aLogThatWasWrittenAnewIsFoundByAWitness() throws Exception {
        String seen = folder.resolve("seen").toString();
        assertThat(cli.type("audit", "verify", "--write-witness", seen).code()).isZero();
        List<String> lines = Files.readAllLines(Path.of(seen));
        assertThat(lines).singleElement().asString().matches("5:[0-9a-f]{64}@\\S+Z");
        pause(1);
        seal();
        Answer again = cli.type("audit", "verify", "--witness-file", seen, "--write-witness", seen);
        assertThat(again.out()).contains("nothing is wrong");
        assertThat(Files.readAllLines(Path.of(seen))).hasSize(2);

        writeAnew();
        assertThat(cli.type("audit", "verify").out())
                .as("by itself it is a chain")
                .contains("nothing is wrong");
        assertWrong(cli.type("audit", "verify", "--witness", lines.get(0)), "the chain was written anew");
        Answer byFile = cli.type("audit", "verify", "--witness-file", seen, "--write-witness", seen);
        assertWrong(byFile, "the link at position 5", "the link at position 6");
        assertThat(byFile.err()).contains("no witness was written");
        assertThat(Files.readAllLines(Path.of(seen))).hasSize(2);
    }

    @Test
    void aLogThatWasWrittenAnewIsFoundByTheKey() throws Exception {
        String key = key("0123456789abcdef0123456789abcdef");
        assertWrong(cli.type("audit", "verify", "--audit-key-file", key), "interlock audit sign");
        assertThat(cli.type("audit", "sign", "--audit-key-file", key).out()).contains("5:");
        assertThat(cli.type("audit", "verify", "--audit-key-file", key).code()).isZero();
        writeAnew();
        assertThat(cli.type("audit", "verify").code()).isZero();
        assertWrong(
                cli.type("audit", "verify", "--audit-key-file", key),
                "the link at position 5 is not the one that was signed");
    }

    @Test
    void recordsThatWereForgottenByHandAreFoundByAWitness() throws Exception {
        String seen = folder.resolve("seen").toString();
        cli.type("audit", "verify", "--write-witness", seen);
        pause(5);
        seal();
        change(
                "UPDATE interlock_seal_anchor SET (position, sequence, hash) ="
                        + " (SELECT position, sequence, hash FROM interlock_seal WHERE position = 5)",
                "DELETE FROM interlock_seal WHERE position <= 5",
                "DELETE FROM interlock_audit WHERE sequence <= 5");
        assertThat(cli.type("audit", "verify", "--witness-file", seen).code())
                .as("it may have been their time")
                .isZero();
        assertWrong(
                cli.type("audit", "verify", "--witness-file", seen, "--kept-for", "400d"),
                "the log begins after position 5",
                "its beginning was removed");
    }

    @Test
    void whatIsNoWitnessAndNoKeyIsSaid() throws Exception {
        Answer wrong = cli.type("audit", "verify", "--witness", "5:abc");
        assertThat(wrong.code()).isEqualTo(64);
        assertThat(wrong.err()).contains("witness '5:abc'", "POSITION:HASH");
        Answer missing = cli.type(
                "audit", "verify", "--witness-file", folder.resolve("none").toString());
        assertThat(missing.code()).isEqualTo(78);
        assertThat(missing.err()).contains("--write-witness");
        Answer weak = cli.type("audit", "verify", "--audit-key-file", key("weak"));
        assertThat(weak.code()).isEqualTo(64);
        assertThat(weak.err()).contains("4 characters", "at least 32");
    }

    private static void assertWrong(Answer answer, String... words) {
        assertThat(answer.out()).contains(words);
        assertThat(answer.code()).isEqualTo(1);
    }

    /** So many records. */
    private void pause(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(cli.type("locks", "pause", "k" + i, "--reason", "a test").code())
                    .isZero();
        }
    }

    /** As a server does every second. */
    private void seal() {
        try (RunStore store = (RunStore) Stores.open(store())) {
            new AuditSealer(store.audit()).runOnce();
        }
    }

    private void writeAnew() throws SQLException {
        change("UPDATE interlock_audit SET actor = 'another' WHERE sequence = 2", "DELETE FROM interlock_seal");
        seal();
    }

    private void change(String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:" + store());
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private String key(String text) throws IOException {
        return Files.writeString(folder.resolve("audit.key"), text).toString();
    }

    private String store() {
        return "sqlite:" + folder.resolve("interlock.db");
    }
}
