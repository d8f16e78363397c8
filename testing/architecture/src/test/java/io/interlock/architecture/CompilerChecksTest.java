package io.interlock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compiles small mistakes with the arguments of the build, which must be refused. */
class CompilerChecksTest {

    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    private final BuildSettings build = new BuildSettings();

    @TempDir
    Path output;

    @Test
    void cleanCodeCompiles() {
        assertThat(compile("@org.jspecify.annotations.NullMarked class Sample { String text() { return \"x\"; } }"))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    [NullAway]                 | @org.jspecify.annotations.NullMarked class Sample { String text() { return null; } }
                    [NullAway]                 | @org.jspecify.annotations.NullMarked class Sample { int size(@org.jspecify.annotations.Nullable String text) { return text.length(); } }
                    [UnusedVariable]           | class Sample { private int leftover = 1; }
                    [UnusedMethod]             | class Sample { private void leftover() {} }
                    [MissingOverride]          | class Sample implements Runnable { public void run() {} }
                    [FutureReturnValueIgnored] | class Sample { void go(java.util.concurrent.ExecutorService pool) { pool.submit(() -> 1); } }
                    [ReferenceEquality]        | class Sample { boolean same(java.time.Instant a, java.time.Instant b) { return a == b; } }
                    [rawtypes]                 | class Sample { java.util.List list; }
                    [removal]                  | class Sample { Integer one() { return new Integer(1); } }
                    """)
    void mistakesAreRefused(String check, String source) {
        assertThat(compile(source)).anyMatch(problem -> problem.contains(check));
    }

    @Test
    void theCheckersAreThoseOfTheBuild() {
        assertThat(build.checkerJars())
                .hasSize(2)
                .allSatisfy(jar -> assertThat(CLASS_PATH).contains(jar));
        assertThat(build.compilerArguments())
                .contains("-Werror")
                .anyMatch(arg -> arg.startsWith("-Xplugin:ErrorProne"));
    }

    @Test
    void testsAreCheckedByProve() {
        assertThat(build.propertyOfProfile("prove", "errorprone.test.args"))
                .isEqualTo(build.property("errorprone.args"));
    }

    /** The compiler's errors about {@code source}; empty if it accepts it. */
    private List<String> compile(String source) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<String> arguments = new ArrayList<>(build.compilerArguments());
        arguments.addAll(List.of("--release", build.property("maven.compiler.release")));
        arguments.addAll(List.of("-processorpath", CLASS_PATH, "-classpath", CLASS_PATH, "-d", output.toString()));
        try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null)) {
            StringWriter words = new StringWriter();
            boolean accepted = compiler.getTask(words, files, problems, arguments, null, List.of(file(source)))
                    .call();
            List<String> found = new ArrayList<>(
                    problems.getDiagnostics().stream().map(Object::toString).toList());
            found.addAll(words.toString().lines().toList());
            assertThat(accepted).isEqualTo(found.isEmpty());
            return found;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static JavaFileObject file(String source) {
        return new SimpleJavaFileObject(URI.create("string:///sample/Sample.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return "package sample; " + source;
            }
        };
    }
}
