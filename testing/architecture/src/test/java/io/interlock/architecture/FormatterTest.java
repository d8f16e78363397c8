package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Shows that the formatter, in the version of the build, changes a badly formatted file and keeps a well formatted
 * one, and that the pom runs it in the first phase. Whether Spotless then fails the build is not tested here.
 */
class FormatterTest {

    private final Formatter formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .build());

    @Test
    void uglyCodeWouldBeChanged() throws FormatterException {
        String ugly = "class  Ugly{int a ;\n  int b( ){return a;}}\n";
        assertThat(formatter.formatSource(ugly)).isNotEqualTo(ugly);
    }

    @Test
    void ourOwnCodeIsTidy() throws FormatterException {
        Path key = SourceTree.root().resolve("core/src/main/java/io/interlock/LockKey.java");
        assertThat(formatter.formatSource(SourceTree.read(key))).isEqualTo(SourceTree.read(key));
    }

    @Test
    void theBuildChecksTheFormatFirst() {
        String pom = SourceTree.read(SourceTree.root().resolve("pom.xml"));
        String execution = pom.substring(pom.lastIndexOf("<artifactId>spotless-maven-plugin</artifactId>"));
        assertThat(execution.substring(0, execution.indexOf("</plugin>")))
                .contains("<phase>validate</phase>", "<goal>check</goal>", "${palantir-java-format.version}");
        assertThat(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")))
                .contains("palantir-java-format-" + new BuildSettings().property("palantir-java-format.version"));
    }
}
