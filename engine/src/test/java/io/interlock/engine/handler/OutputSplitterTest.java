package io.interlock.engine.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** However output is cut into pieces, the same comes out. */
class OutputSplitterTest {

    private final List<OutputPump.OutputSplitter.Report> reports = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private int longest;

    @Test
    void piecesDoNotMatter() {
        String output = "a\n::interlock stage=x\r\n::inter\n::interlock \n::interlock stage=y\r::interlocked\n\n:";
        String expected = "a\n::inter\n::interlock \n::interlocked\n\n:";
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            reports.clear();
            text.setLength(0);
            OutputPump.OutputSplitter splitter = splitter();
            int from = 0;
            while (from < output.length()) {
                int to = Math.min(output.length(), from + 1 + random.nextInt(9));
                splitter.take(output.substring(from, to));
                from = to;
            }
            splitter.end();
            assertThat(text).hasToString(expected);
            assertThat(reports)
                    .extracting(OutputPump.OutputSplitter.Report::stage)
                    .containsExactly("x", "y");
        }
    }

    @Test
    void whatLooksLikeAReportIsHeldOnlyAsLongAsItCanBeOne() {
        OutputPump.OutputSplitter splitter = splitter();
        splitter.take("::interlock result=\"");
        for (int i = 0; i < 100; i++) {
            splitter.take("x".repeat(10_000));
        }
        splitter.take("\"\n::interlock stage=load\n");
        splitter.end();
        assertThat(text.length()).isEqualTo("::interlock result=\"\"\n".length() + 1_000_000);
        assertThat(longest).isLessThan(2 * OutputPump.OutputSplitter.Report.LONGEST);
        assertThat(reports).hasSize(1);
    }

    @Test
    void controlCharactersBecomeVisible() {
        OutputPump.OutputSplitter splitter = splitter();
        splitter.take("\u001b[31mred\u0007\0\u007f\u009b\ttab ü€\ud83d\ude00");
        splitter.end();
        assertThat(text).hasToString("\u241b[31mred\u2407\u2400\ufffd\ufffd\ttab ü€\ud83d\ude00");
    }

    @Test
    void aReportNobodyTakesIsText() {
        OutputPump.OutputSplitter splitter = new OutputPump.OutputSplitter(report -> false, text::append);
        splitter.take("::interlock stage=load\n");
        splitter.end();
        assertThat(text).hasToString("::interlock stage=load\n");
    }

    private OutputPump.OutputSplitter splitter() {
        return new OutputPump.OutputSplitter(reports::add, piece -> {
            text.append(piece);
            longest = Math.max(longest, piece.length());
        });
    }
}
