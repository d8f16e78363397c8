package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the README's first quick start, as they stand there. */
class ReadmeCommandsTest {

    private static final Pattern BLOCK = Pattern.compile("<!-- commands: cli -->\n```sh\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    @Test
    void theQuickStartOfTheCommandLineWorks() throws IOException {
        Matcher block = BLOCK.matcher(Files.readString(Path.of("../../README.md")));
        assertThat(block.find()).isTrue();
        Cli cli = new Cli(folder);
        Path launcher = folder.resolve("interlock");
        Files.writeString(launcher, "#!/bin/sh\nexec " + cli.shellCommand() + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        Cli.Running running = cli.running(List.of("sh", "-e", "-c", block.group(1)), "INTERLOCK_STORE", cli.store());
        running.closeInput();
        Cli.Ended ended = running.await();
        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("my token is \\d+").contains("ledger/4711", "SUCCEEDED");
    }
}
