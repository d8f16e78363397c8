package io.interlock.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What is proposed to be typed next, where all who look at the screen or at a log see it. */
class TargetOptionsTest {

    @Test
    void noPasswordIsTypedAgain() {
        TargetOptions target = new TargetOptions();
        new CommandLine(target.spec())
                .parseArgs("--store", "postgresql://me:canary@db/x?sslkey=key&sslpassword=canary", "--tenant", "acme");
        assertThat(target.typed())
                .containsExactly("--store", "postgresql://me:***@db/x?sslkey=key&sslpassword=***", "--tenant", "acme");
    }
}
