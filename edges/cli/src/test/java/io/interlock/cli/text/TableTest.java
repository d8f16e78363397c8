package io.interlock.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Columns stand below each other, whatever the keys are written in. */
class TableTest {

    @Test
    void charactersOfTwoColumnsCountTwice() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = Console.of(new PrintStream(out, true, StandardCharsets.UTF_8), System.err);
        new Table("key", "state")
                .row("ledger/4711", "HELD")
                .row("日本/한글", "HELD")
                .row("🚀/für", "HELD")
                .row("ｶﾅ/e\u0301x", "HELD")
                .print(console, true);
        console.flush();
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "KEY          STATE",
                        "ledger/4711  HELD",
                        "日本/한글    HELD",
                        "🚀/für       HELD",
                        "ｶﾅ/e\u0301x        HELD");
    }
}
