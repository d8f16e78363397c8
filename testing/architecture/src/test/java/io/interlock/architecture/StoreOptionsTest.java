package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.InvalidSettingException;
import io.interlock.spi.Stores;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options on the page about stores equal those of the stores. */
class StoreOptionsTest {

    private static final Pattern KNOWN = Pattern.compile("known are \\[([^\\]]*)]");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\|");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    @ParameterizedTest
    @CsvSource({
        "memory, memory:?nonsense=1",
        "sqlite, sqlite:nowhere.db?nonsense=1",
        "postgresql, postgresql://localhost/nowhere?nonsense=1",
        "mariadb, mariadb://localhost/nowhere?nonsense=1",
        "redis, redis://localhost?nonsense=1",
        "etcd, etcd://localhost?nonsense=1",
        "firestore, firestore://nowhere?nonsense=1"
    })
    void thePageNamesTheOptionsOfTheStore(String section, String url) {
        String page = SourceTree.read(SourceTree.root().resolve("docs/stores.md"));
        Set<String> documented = new TreeSet<>(options(section(page, "Options of all stores")));
        documented.addAll(options(section(page, section)));
        assertThat(documented).isEqualTo(knownTo(url));
    }

    @Test
    void optionsAreReadFromTheFirstColumn() {
        assertThat(options("| option | x |\n|---|---|\n| `a` | `b` |\n| `c`, `d` | e |\n| `memory:` | f |\n"))
                .containsExactly("a", "c", "d");
        assertThat(section("## one\nx\n\n## two\ny\n", "two")).isEqualTo("\ny\n");
    }

    /** Opens a store with an unknown option; the error names the known ones. */
    private static Set<String> knownTo(String url) {
        InvalidSettingException refused = catchThrowableOfType(
                InvalidSettingException.class, () -> Stores.open(url).close());
        assertThat(refused).hasMessageContaining("unknown options [nonsense]");
        return SourceTree.matches(KNOWN, String.valueOf(refused.getMessage())).stream()
                .flatMap(match -> Stream.of(match.group(1).split(", ", -1)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> options(String section) {
        return SourceTree.matches(ROW, section).stream()
                .flatMap(row -> SourceTree.matches(NAME, row.group(1)).stream())
                .map(name -> name.group(1))
                .toList();
    }

    private static String section(String page, String title) {
        int from = page.indexOf("## " + title + "\n");
        assertThat(from).as("section %s", title).isNotNegative();
        int start = from + title.length() + 3;
        int end = page.indexOf("\n## ", start);
        return end < 0 ? page.substring(start) : page.substring(start, end);
    }
}
