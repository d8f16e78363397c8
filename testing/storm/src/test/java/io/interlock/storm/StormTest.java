package io.interlock.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.servers.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small storm in every build; {@code testing/storm/run} runs a large one. */
class StormTest {

    @Test
    void noRunIsLostDoubledOrOutOfOrder(@TempDir Path folder) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        try (PostgresServer server = PostgresServer.start(PostgresServer.DURABLE);
                PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            Storm storm = new Storm(1_000, 20, Duration.ofSeconds(3), Duration.ofSeconds(100), out);
            assertThat(storm.on(server, folder)).isEmpty();
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains("runs acknowledged      1,000")
                .contains("overlaps               0")
                .contains("1 of the database");
    }
}
