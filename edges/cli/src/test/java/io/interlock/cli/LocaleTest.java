package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.Cli.Ended;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is not ASCII reaches the command as it is, or is refused; also where cron has set no locale. */
class LocaleTest {

    @TempDir
    Path folder;

    @Test
    void wordsAndVariablesReachTheCommandAsTheyAre() {
        // As ./interlock starts it where there is no locale.
        Ended ended = shell(
                "NAME=Zoë BYTES=$(printf '\\377\\376') LC_ALL=C.UTF-8 INTERLOCK_LC_ALL= ",
                "run -n schlüssel/日本 -- sh -c 'printf %s \"$0 $NAME $BYTES $INTERLOCK_KEY ${LC_ALL-no locale}\" | od -An -c' für");
        assertThat(ended.err()).isEmpty();
        assertThat(ended.code()).isZero();
        assertThat(ended.out().replaceAll("\\s+", " "))
                .contains("f 303 274 r", "Z o 303 253", "377 376", "l 303 274 s s e l / 346 227", "n o l o c a l e");
    }

    @Test
    void theLocaleThatWasThereIsGivenBack() {
        Ended ended = shell(
                "LC_ALL=C.UTF-8 INTERLOCK_LC_ALL=POSIX ", "run -n k -- sh -c 'echo $LC_ALL ${INTERLOCK_LC_ALL-none}'");
        assertThat(ended.out()).isEqualTo("POSIX none\n");
    }

    @Test
    void wordsThatAreNoTextAreRefused() {
        Ended ended = shell("LC_ALL=C.UTF-8 ", "run -n k -- touch \"$(printf 'a\\377')\"");
        assertThat(ended.code()).isEqualTo(64);
        assertThat(ended.err()).contains("is no text in this locale", "LC_ALL=C.UTF-8");
        Ended ascii = shell("LC_ALL=C ", "run -n schlüssel -- true");
        assertThat(ascii.code()).isEqualTo(64);
    }

    private Ended shell(String variables, String words) {
        Cli cli = new Cli(folder);
        return cli.running(
                        List.of("bash", "-c", variables + cli.shellCommand() + " " + words),
                        "INTERLOCK_STORE",
                        cli.store())
                .await();
    }
}
