package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The versions with known holes that the build refuses equal those on the security page. */
class KnownHolesTest {

    private static final Pattern REFUSED =
            Pattern.compile("<exclude>([^<:]+:[^<:]+):[(\\[]([^,]*),([^)]+)\\)</exclude>");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `([^`]+)`(?: ([0-9.]+))? \\| ([^ |]+) \\| [^|]*(CVE|GHSA)-[^|]*\\|$");

    @Test
    void theBuildRefusesWhatThePageNames() {
        String pom = SourceTree.read(SourceTree.root().resolve("pom.xml"));
        String page = SourceTree.read(SourceTree.root().resolve("docs/security.md"));
        Set<String> refused = new TreeSet<>();
        SourceTree.matches(REFUSED, pom).forEach(found -> refused.add(found.group(1) + " below " + found.group(3)));
        Set<String> told = new TreeSet<>();
        SourceTree.matches(ROW, page).forEach(found -> told.add(found.group(1) + " below " + found.group(3)));
        assertThat(refused).hasSizeGreaterThan(5).isEqualTo(told);
    }

    @Test
    void nothingButTheBenchmarkIsLeftOut() {
        assertThat(SourceTree.modules())
                .filteredOn(module -> SourceTree.read(
                                SourceTree.root().resolve(module).resolve("pom.xml"))
                        .contains("<known-holes.skip>"))
                .containsExactly("testing/benchmark");
    }
}
