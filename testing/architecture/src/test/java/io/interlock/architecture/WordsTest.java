package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The types in the glossary exist, so that its words are those of the code. */
class WordsTest {

    private static final Pattern ROW = Pattern.compile("(?m)^\\| \\*\\*.*?\\| ([^|]*) \\|");
    private static final Pattern NAME = Pattern.compile("`([A-Z]\\w+(?:\\.\\w+)?)`");

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
