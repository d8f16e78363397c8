package io.interlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class BarResultTest {

    @Test
    void aRatioIsHeldAgainstItsBar() {
        List<Comparison> measured = List.of(comparison("acquire-8", 300, 100));
        assertThat(line(measured, Limit.atLeast(2.5))).isEqualTo("bench: acquire-8 ratio 3.00 bar >=2.5 pass");
        assertThat(line(measured, Limit.atLeast(4))).isEqualTo("bench: acquire-8 ratio 3.00 bar >=4 FAIL");
        assertThat(line(measured, Limit.atMostOneIn(15))).isEqualTo("bench: acquire-8 ratio 3.00 bar <=1/15 FAIL");
        assertThat(line(List.of(comparison("acquire-8", 5, 100)), Limit.atMostOneIn(20)))
                .isEqualTo("bench: acquire-8 ratio 0.0500 bar <=1/20 pass");
    }

    @Test
    void whatWasNotMeasuredFails() {
        assertThat(line(List.of(), Limit.atLeast(1))).isEqualTo("bench: acquire-8 ratio none bar >=1 FAIL");
        Comparison half = new Comparison("acquire-8", "", Figure.PER_SECOND);
        half.add("us", Measurement.none().with(Figure.PER_SECOND, 1));
        assertThat(line(List.of(half), Limit.atMost(1))).isEqualTo("bench: acquire-8 ratio none bar <=1 FAIL");
    }

    @Test
    void aValueAndAnEarlierFigureAreBarsToo() {
        List<Comparison> measured = List.of(comparison("acquire-8", 560, 1));
        assertThat(Bar.value("acquire-8/wal", Figure.PER_SECOND, "us", Limit.below(561))
                        .judge(measured)
                        .line())
                .isEqualTo("bench: acquire-8/wal value 560 bar <561 pass");
        assertThat(Bar.ratioTo("acquire-8/before", Figure.PER_SECOND, "us", 56, Limit.atLeast(10))
                        .judge(measured)
                        .line())
                .isEqualTo("bench: acquire-8/before ratio 10.0 bar >=10 pass");
    }

    @Test
    void theReportIsPrintedAndWritten(@TempDir Path folder) throws Exception {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        Report report = new Report(new PrintStream(printed, true, StandardCharsets.UTF_8), List.of("a machine"));
        report.add(List.of(comparison("acquire-8", 300, 100)), List.of(bar(Limit.atLeast(4))), List.of("a remark"));
        report.finish();
        report.write(folder);
        report.draw(folder.resolve("svg"));
        assertThat(report.passes()).isFalse();
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("- a machine", "| us | 300 |", "a remark", "bench: acquire-8 ratio 3.00 bar >=4 FAIL")
                .contains("differ by a factor of 1.00", "0 of 1 bars reached");
        assertThat(folder.resolve("bench.json")).content().contains("\"PER_SECOND\"", "\"reached\" : 3.0");
        assertThat(folder.resolve("svg/acquire.svg")).exists();
    }

    @Test
    void chartsAreWellFormed() throws Exception {
        Comparison growth = new Comparison("growth", "", Figure.GROWTH);
        growth.add("list <a> & b", Measurement.none().with(Figure.GROWTH, 2));
        List<Chart> charts = Charts.of(List.of(
                comparison("acquire-1", 3, 1),
                comparison("acquire-64", 30, 10),
                growth,
                new Comparison("empty", "", Figure.PER_SECOND)));
        assertThat(charts).extracting(Chart::name).containsExactly("acquire", "growth");
        for (Chart chart : charts) {
            Document svg = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)));
            assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
        }
        // Two groups of two bars, two boxes of the legend and the background; the second row of a peer is no bar.
        assertThat(charts.get(0).svg().split("<rect", -1)).hasSize(1 + 4 + 2 + 1);
        assertThat(Stream.of(charts.get(1).svg().split("\n", -1))).anyMatch(line -> line.startsWith("<line"));
    }

    private static String line(List<Comparison> measured, Limit limit) {
        return bar(limit).judge(measured).line();
    }

    private static Bar bar(Limit limit) {
        return Bar.ratio("acquire-8", Figure.PER_SECOND, "us", "peer", limit);
    }

    private static Comparison comparison(String name, double ours, double theirs) {
        Comparison comparison = new Comparison(name, "a title", Figure.PER_SECOND);
        comparison.add("us", Measurement.none().with(Figure.PER_SECOND, ours));
        comparison.add("peer", Measurement.none().with(Figure.PER_SECOND, theirs));
        comparison.add(Contender.again("peer"), Measurement.none().with(Figure.PER_SECOND, theirs));
        return comparison;
    }
}
