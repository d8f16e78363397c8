package io.interlock.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.Entry;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.run.Wrapper.RunSettings;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.engine.command.InheritedEnvironment;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code interlock run} says when it does not get the key. */
class WrapperTest {

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @Test
    void aWaitThatIsOverIsToldAsSuchAlsoIfNothingIsKnownAboutTheLock() {
        Console console = Console.of(
                new PrintStream(OutputStream.nullOutputStream(), true, UTF_8), new PrintStream(told, true, UTF_8));
        Wrapper wrapper = new Wrapper(settings(), new Narrator(console, false, false), Environment.system(), Map.of());
        assertThat(wrapper.run(request -> new Entry.InLine(new InTheDark()))).isEqualTo(ExitCode.BUSY);
        assertThat(told.toString(UTF_8)).contains("in vain", "true was not started", "[wait-expired]");
    }

    @Test
    void aWaitThatASignalEndsIsEndedByItAlsoIfNoStoreOrServerCanBeTold() {
        Console console = Console.of(
                new PrintStream(OutputStream.nullOutputStream(), true, UTF_8), new PrintStream(told, true, UTF_8));
        Wrapper wrapper = new Wrapper(settings(), new Narrator(console, false, false), Environment.system(), Map.of());
        Place unheard = new InTheDark() {
            @Override
            public Entry take() throws InterruptedException {
                throw new InterruptedException("SIGINT");
            }

            @Override
            public void leave() {
                throw new Failure(ExitCode.UNAVAILABLE, "the server does not answer", null);
            }
        };
        assertThat(wrapper.run(request -> new Entry.InLine(unheard))).isEqualTo(ExitCode.SIGNAL + 2);
        assertThat(told.toString(UTF_8)).contains("left the line of k; its place there ends by itself");
    }

    private static RunSettings settings() {
        KeyAcquirer.Request order = new KeyAcquirer.Request(
                LockKey.of("k"),
                "command",
                ConflictPolicy.QUEUE,
                Duration.ofMillis(1),
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                0,
                null,
                Map.of(),
                "true");
        return new RunSettings(
                order,
                List.of("true"),
                List.of(),
                RunSettings.OnLost.TERM,
                null,
                InheritedEnvironment.ALL,
                ExitCode.BUSY);
    }

    /** A wait that is over, in front of a store that shows nothing more. */
    private static class InTheDark implements Place {

        @Override
        public Entry take() throws InterruptedException {
            return new Entry.Busy(Facts.none(), "WAIT_EXPIRED", "the wait is over");
        }

        @Override
        public View look() {
            throw new StoreUnavailableException("trial", "is gone");
        }

        @Override
        public void leave() {
            throw new AssertionError("it is over");
        }
    }
}
