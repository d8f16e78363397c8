package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The coverage page names every requirement once, and every proof it names is a test that exists. Whether that test
 * shows what the page says needs human judgement.
 */
class CoverageTest {

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| *([A-Z]\\d+) *\\| *(.*?) *\\| *(.*?) *\\| *(.*?) *\\|$");
    private static final Pattern NAMED_TEST = Pattern.compile("`([A-Za-z0-9_.]+)#([A-Za-z0-9_]+)`");
    private static final Pattern OPEN = Pattern.compile("open( \\(#\\d+\\))?");

    @Test
    void everyRequirementHasItsRowAndEveryProofExists() {
        String page = SourceTree.read(SourceTree.root().resolve("docs/coverage.md"));
        assertThat(problems(page, numbers(), testsThatExist())).isEmpty();
    }

    @Test
    void everyTestNamedOnAnyPageExists() {
        Set<String> tests = testsThatExist();
        assertThat(Documents.all().stream()
                        .flatMap(page -> namedTests(SourceTree.read(page)).stream()
                                .filter(test -> !tests.contains(test))
                                .map(test -> Documents.name(page) + ": " + test)))
                .isEmpty();
    }

    @Test
    void gapsAreFoundOut() {
        String page = """
                | # | requirement | how | proof |
                |---|---|---|---|
                | A1 | one | so | `GoodTest#works` |
                | A2 | two | so | `GoodTest#gone` |
                | A3 | three | | open |
                | A3 | three | | open (#12) |
                | A5 | five | so | trust me |
                | A6 | six | | `GoodTest#works` |
                """;
        assertThat(problems(page, List.of("A1", "A2", "A3", "A4", "A5", "A6"), Set.of("GoodTest#works")))
                .containsExactly(
                        "A2 names GoodTest#gone, which is not a test",
                        "A5 has neither a test nor 'open'",
                        "A6 does not say how it is met",
                        "A3 occurs 2 times",
                        "A4 occurs 0 times");
    }

    @Test
    void testsAreFoundByTheirShortNames() {
        assertThat(testsThatExist())
                .contains("CoverageTest#testsAreFoundByTheirShortNames", "ArchitectureTest#mainCodeKeepsTheRule")
                .doesNotContain("CoverageTest#problems");
    }

    private static List<String> problems(String page, List<String> numbers, Set<String> tests) {
        List<String> problems = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        for (MatchResult row : SourceTree.matches(ROW, page)) {
            seen.add(row.group(1));
            List<String> named = namedTests(row.group(4));
            named.stream()
                    .filter(test -> !tests.contains(test))
                    .forEach(test -> problems.add(row.group(1) + " names " + test + ", which is not a test"));
            if (named.isEmpty() && !OPEN.matcher(row.group(4)).matches()) {
                problems.add(row.group(1) + " has neither a test nor 'open'");
            }
            if (!named.isEmpty() && row.group(3).isEmpty()) {
                problems.add(row.group(1) + " does not say how it is met");
            }
        }
        Set<String> all = new TreeSet<>(numbers);
        all.addAll(seen);
        for (String number : all) {
            long times = seen.stream().filter(number::equals).count();
            if (times != 1) {
                problems.add(number + " occurs " + times + " times");
            } else if (!numbers.contains(number)) {
                problems.add(number + " is not a requirement");
            }
        }
        return problems;
    }

    private static List<String> namedTests(String text) {
        return SourceTree.matches(NAMED_TEST, text).stream()
                .map(match -> match.group(1) + "#" + match.group(2))
                .toList();
    }

    /**
     * All test methods of all modules and of the contract, as {@code SimpleName#method}, also {@code
     * Outer.Inner#method}.
     */
    private static Set<String> testsThatExist() {
        Set<String> tests = new HashSet<>();
        Stream.concat(CompiledCode.tests().stream(), CompiledCode.main().stream())
                .forEach(type -> type.getMethods().stream()
                        .filter(CoverageTest::isTest)
                        .forEach(method -> {
                            tests.add(type.getSimpleName() + "#" + method.getName());
                            tests.add(nestedName(type) + "#" + method.getName());
                        }));
        return tests;
    }

    private static boolean isTest(JavaMethod method) {
        return method.getAnnotations().stream()
                .anyMatch(annotation -> annotation.getRawType().getName().startsWith("org.junit.jupiter")
                        && annotation.getRawType().getSimpleName().matches("Test|.*Test|TestFactory"));
    }

    private static String nestedName(JavaClass type) {
        String name = type.getName().substring(type.getPackageName().length() + 1);
        return name.replace('$', '.');
    }

    private static List<String> numbers() {
        return Stream.of("P20", "F12", "E17", "W16", "C17", "X14")
                .flatMap(last -> IntStream.rangeClosed(1, Integer.parseInt(last.substring(1)))
                        .mapToObj(number -> last.substring(0, 1) + number))
                .toList();
    }
}
