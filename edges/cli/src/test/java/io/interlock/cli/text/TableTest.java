package io.interlock.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.service.Facts;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Columns stand below each other, whatever the keys are written in. */
class TableTest {

    @Test
    void charactersOfTwoColumnsCountTwice() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = Console.of(new PrintStream(out, true, StandardCharsets.UTF_8), System.err);
        List<Facts> items = Stream.of("ledger/4711", "日本/한글", "🚀/für", "ｶﾅ/e\u0301x")
                .map(key -> Facts.with("key", key).and("state", "HELD"))
                .toList();
        new Table().of("key", "state").print(items, console, true, false);
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
