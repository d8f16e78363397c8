package io.interlock.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.workload.Catalog;
import io.interlock.benchmark.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentsTest {

    private static final List<Workload> ALL = Catalog.all();

    @Test
    void aNameStandsForAllThatBeginWithIt() {
        assertThat(chosen("acquire", "one-key")).containsExactly("acquire-1", "acquire-8", "acquire-64", "one-key");
        assertThat(chosen("acquire-8")).containsExactly("acquire-8");
        assertThat(chosen("cli")).containsExactly("cli");
        assertThat(chosen()).contains("acquire-1", "growth", "rest").doesNotContain("cli", "long-polls");
    }

    @Test
    void optionsAreRead() {
        Arguments arguments = Arguments.parse(List.of("--quick", "--svg", "charts", "renew"), ALL);
        assertThat(arguments.pace()).isEqualTo(Pace.QUICK);
        assertThat(arguments.charts()).isEqualTo(Path.of("charts"));
        assertThat(Arguments.parse(List.of("--list"), ALL).list()).isTrue();
        assertThat(Arguments.parse(List.of(), ALL).pace().rounds()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void mistakesAreRefused() {
        for (List<String> wrong : List.of(List.of("--fast"), List.of("aquire"), List.of("--svg"))) {
            assertThatIllegalArgumentException().isThrownBy(() -> Arguments.parse(wrong, ALL));
        }
    }

    @Test
    void namesAreUniqueAndEveryBarHasOne() {
        assertThat(ALL).extracting(Workload::name).doesNotHaveDuplicates();
        assertThat(ALL.stream().flatMap(workload -> workload.bars().stream()))
                .extracting(Bar::name)
                .doesNotHaveDuplicates()
                .noneMatch(name -> name.contains(" "));
    }

    private static List<String> chosen(String... names) {
        return Arguments.parse(List.of(names), ALL).workloads().stream()
                .map(Workload::name)
                .toList();
    }
}
