package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The words of the code: the types in the glossary exist, and retired names do not. */
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
