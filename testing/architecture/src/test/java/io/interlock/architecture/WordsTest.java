package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words of the project: the types in the glossary exist, retired names do not, and texts name roles. */
class WordsTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| \\*\\*.*?\\| ([^|]*) \\|");
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+(?:\\.\\w+)?)`");

    /** Names of classes that engineers of this field would not understand. They were replaced, and do not come back. */
    private static final Set<String> RETIRED = Set.of(
            "Aftercare",
            "Agenda",
            "Ask",
            "Asker",
            "Asking",
            "BeatAnswer",
            "BeatRequest",
            "Bookkeeping",
            "Books",
            "Contents",
            "Door",
            "Doorbell",
            "Doors",
            "Farewell",
            "House",
            "HouseBook",
            "Inside",
            "LeaseDesk",
            "LeaseKeeper",
            "Lookout",
            "ManyRooms",
            "NodeStops",
            "Post",
            "Room",
            "RunBooks",
            "Shelf",
            "Stock",
            "Telling",
            "Tenure",
            "Turns",
            "Verdict",
            "WaitLine",
            "WaitLines",
            "Waits",
            "Why",
            "Working",
            "Works",
            "Workshop");

    /** Texts name the caller, holder, worker or user instead of these. Comment marks may stand between two words. */
    private static final Pattern VAGUE =
            Pattern.compile("\\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever|[Tt]hose\\s+(?:[*/#-]+\\s+)?who)\\b");

    private static final List<String> TEXTS =
            List.of(".java", ".js", ".html", ".lua", ".sql", ".md", ".yml", ".yaml", ".json", ".sh", ".py", ".xml");

    @Test
    void theTypesOfTheGlossaryExist() {
        String page = SourceTree.read(SourceTree.root().resolve("docs/concepts.md"));
        List<String> named = namesIn(page);
        assertThat(named).hasSizeGreaterThan(20).contains("LockKey", "StoreCapabilities.Reach");
        assertThat(namesInCode()).containsAll(named);
    }

    @Test
    void aWordWithoutATypeIsFoundOut() {
        assertThat(namesIn("| **key** | `LockKey`, `Gone.away` | what is `Exclusive` |\n"))
                .containsExactly("LockKey", "Gone.away");
        assertThat(namesInCode()).contains("LockKey", "LeaseStore.sweep").doesNotContain("Gone.away");
    }

    @Test
    void retiredNamesStayOut() {
        assertThat(retired(Stream.concat(CompiledCode.main().stream(), CompiledCode.tests().stream())
                        .map(JavaClass::getSimpleName)))
                .isEmpty();
        assertThat(retired(Stream.of("LockKey", "House", "Coalescer"))).containsExactly("House");
    }

    @Test
    void textsNameRoles() {
        List<Path> texts = texts();
        assertThat(texts)
                .extracting(Documents::name)
                .contains("README.md", "docs/cli.md", "ops/prometheus/alerts.yml", "examples/polyglot/worker.py")
                .anyMatch(name -> name.startsWith("core/src/main/"));
        assertThat(texts.stream().flatMap(file -> vague(Documents.name(file), SourceTree.read(file)).stream()))
                .isEmpty();
    }

    @Test
    void vagueWordsAreFoundOut() {
        assertThat(vague("A.java", "/** The key\n * of those\n * who wait. */\nint nobodyWaits; // Whoever asks\n"))
                .containsExactly("A.java:2: those who", "A.java:4: Whoever");
        assertThat(vague("p.md", "Nobody has it; somebody's run waits.\n"))
                .containsExactly("p.md:1: Nobody", "p.md:1: somebody");
        assertThat(vague("p.md", "The key is free. Those runs, who waits, everybody, noBody().\n"))
                .isEmpty();
    }

    /** The texts of the modules, pages, rules and scripts, without this test. */
    private static List<Path> texts() {
        Path root = SourceTree.root();
        List<Path> modules = SourceTree.modules().stream().map(root::resolve).toList();
        List<Path> trees = Stream.concat(
                        modules.stream().map(module -> module.resolve("src")),
                        Stream.of("docs", "ops", "examples/polyglot").map(root::resolve))
                .toList();
        List<Path> folders = Stream.concat(modules.stream(), Stream.of(root, root.resolve("testing")))
                .toList();
        return TEXTS.stream()
                .flatMap(ending -> Stream.concat(
                        trees.stream().flatMap(tree -> SourceTree.files(tree, ending).stream()),
                        folders.stream().flatMap(folder -> SourceTree.topLevel(folder, ending).stream())))
                .filter(file -> !file.endsWith(Path.of("architecture", "WordsTest.java")))
                .toList();
    }

    private static List<String> vague(String name, String text) {
        return SourceTree.matches(VAGUE, text).stream()
                .map(match -> name + ":"
                        + text.substring(0, match.start()).split("\n", -1).length
                        + ": "
                        + match.group().replaceAll("\\W+", " "))
                .toList();
    }

    private static List<String> retired(Stream<String> names) {
        return names.filter(RETIRED::contains).distinct().toList();
    }

    private static List<String> namesIn(String page) {
        return SourceTree.matches(ROW, page).stream()
                .flatMap(row -> SourceTree.matches(NAME, row.group(1)).stream())
                .map(name -> name.group(1))
                .toList();
    }

    private static Set<String> namesInCode() {
        Set<String> names = new HashSet<>();
        for (JavaClass type : CompiledCode.main()) {
            String name =
                    type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
            names.add(name);
            for (JavaMember member : type.getMembers()) {
                names.add(name + "." + member.getName());
            }
        }
        return names;
    }
}
