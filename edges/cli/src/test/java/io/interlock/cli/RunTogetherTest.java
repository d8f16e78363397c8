package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.Cli.Running;
import io.interlock.servers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many at once: each has its turn, one at a time. */
class RunTogetherTest {

    /** Each is a JVM: {@code ./interlock prove} starts more. */
    private static final int MANY = Boolean.getBoolean("interlock.prove") ? 20 : 8;

    @TempDir
    Path folder;

    @Test
    void takeTurnsOnSqlite() throws Exception {
        takeTurns(new Cli(folder).store() + "?timeout=1m");
    }

    @Test
    void takeTurnsOnPostgres() throws Exception {
        takeTurns(PostgresServer.shared().url("schema=cli&timeout=1m"));
    }

    /** With a patient store: a loaded machine takes long to start all of them. */
    private void takeTurns(String store) throws Exception {
        Cli cli = new Cli(folder);
        Path number = Files.writeString(folder.resolve("number"), "0\n");
        Path tokens = Files.createFile(folder.resolve("tokens"));
        String increment =
                "n=$(cat " + number + "); echo $INTERLOCK_TOKEN >>" + tokens + "; echo $((n + 1)) >" + number;
        assertThat(cli.run("run", "-n", "--store", store, "first", "--", "true").code())
                .as("the schema is there")
                .isZero();
        List<Running> all = IntStream.range(0, MANY)
                .mapToObj(i -> cli.start("run", "-w", "3m", "--store", store, "k", "--", "sh", "-c", increment))
                .toList();
        all.forEach(
                running -> assertThat(running.await().code()).as(running.err()).isZero());
        assertThat(number).hasContent(Integer.toString(MANY));
        List<Long> drawn =
                Files.readAllLines(tokens).stream().map(Long::valueOf).toList();
        assertThat(drawn).hasSize(MANY).isSorted().doesNotHaveDuplicates();
    }
}
