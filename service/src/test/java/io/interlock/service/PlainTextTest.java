package io.interlock.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a terminal would obey, and what would end a line of a log. */
class PlainTextTest {

    @Test
    void everyControlCharacterIsShownAsText() {
        for (int c = 0; c < 0x2100; c++) {
            String shown = PlainText.lines("a" + (char) c + "b");
            boolean obeyed = (Character.isISOControl(c) && c != '\n' && c != '\t')
                    || (c >= 0x2028 && c <= 0x202e)
                    || (c >= 0x2066 && c <= 0x2069)
                    || c == 0x061c
                    || c == 0x200e
                    || c == 0x200f;
            assertThat(shown).isEqualTo(obeyed ? String.format("a\\u%04xb", c) : "a" + (char) c + "b");
        }
    }

    @Test
    void linesStayLines() {
        assertThat(PlainText.lines("one\ntwo\tthree")).isEqualTo("one\ntwo\tthree");
        assertThat(PlainText.lines("one\r\ntwo")).isEqualTo("one\ntwo");
        assertThat(PlainText.lines("gr\u00fc\u00df \ud83d\ude00")).isEqualTo("gr\u00fc\u00df \ud83d\ude00");
    }

    @Test
    void oneLineStaysOneLine() {
        assertThat(PlainText.oneLine("one\ntwo\tthree\r\n")).isEqualTo("one\\ntwo\\u0009three\\u000d\\n");
    }
}
