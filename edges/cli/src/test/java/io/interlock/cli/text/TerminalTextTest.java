package io.interlock.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.cli.text.Console.TerminalText;
import org.junit.jupiter.api.Test;

/** What a terminal would obey. */
class TerminalTextTest {

    @Test
    void everyControlCharacterIsShownAsText() {
        for (int c = 0; c < 0x2100; c++) {
            String shown = TerminalText.of("a" + (char) c + "b");
            boolean obeyed = (Character.isISOControl(c) && c != '\n' && c != '\t')
                    || (c >= 0x202a && c <= 0x202e)
                    || (c >= 0x2066 && c <= 0x2069)
                    || c == 0x200e
                    || c == 0x200f;
            assertThat(shown).isEqualTo(obeyed ? String.format("a\\u%04xb", c) : "a" + (char) c + "b");
        }
    }

    @Test
    void linesStayLines() {
        assertThat(TerminalText.of("one\ntwo\tthree")).isEqualTo("one\ntwo\tthree");
        assertThat(TerminalText.of("one\r\ntwo")).isEqualTo("one\ntwo");
        assertThat(TerminalText.of("gr\u00fc\u00df \ud83d\ude00")).isEqualTo("gr\u00fc\u00df \ud83d\ude00");
    }
}
