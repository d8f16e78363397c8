package io.interlock.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The class files of all modules, read once. */
final class CompiledCode {

    private static final JavaClasses MAIN = load(SourceTree.mainModules(), "classes");
    private static final JavaClasses TESTS = load(SourceTree.modules(), "test-classes");

    private static final Map<String, JavaClasses> SAMPLES = new ConcurrentHashMap<>();

    private CompiledCode() {}

    /** Main code of all modules, including the contract tests. */
    static JavaClasses main() {
        return MAIN;
    }

    /** Main code of one module. */
    static JavaClasses mainOf(String module) {
        return load(List.of(module), "classes");
    }

    /** The names of the classes of one module's main code, by their files. */
    static List<String> namesOf(String module) {
        Path folder = SourceTree.root().resolve(module).resolve("target/classes");
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(file -> folder.relativize(file).toString())
                    .filter(file -> file.endsWith(".class"))
                    .map(file -> file.replaceFirst("\\.class$", "").replace('/', '.'))
                    .filter(name -> !name.equals("module-info") && !name.startsWith("picocli."))
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Test code of all modules, without the samples of this one. */
    static JavaClasses tests() {
        return TESTS.that(DescribedPredicate.not(JavaClass.Predicates.resideInAPackage("samples..")));
    }

    /** Main and test code of all modules: a test's package may be marked by the main code beside it. */
    static JavaClasses all() {
        List<Path> paths = SourceTree.modules().stream()
                .map(module -> SourceTree.root().resolve(module).resolve("target"))
                .flatMap(target -> Stream.of(target.resolve("classes"), target.resolve("test-classes")))
                .filter(Files::isDirectory)
                .toList();
        return ours(paths);
    }

    /** A sample and everything below it. */
    static JavaClasses sample(String root) {
        return SAMPLES.computeIfAbsent(root, sample -> new ClassFileImporter().importPackages(sample));
    }

    private static JavaClasses load(Collection<String> modules, String folder) {
        List<Path> paths = modules.stream()
                .map(module ->
                        SourceTree.root().resolve(module).resolve("target").resolve(folder))
                .filter(Files::isDirectory)
                .toList();
        return ours(paths);
    }

    /** Without a library whose sources the command line compiles. */
    private static JavaClasses ours(List<Path> paths) {
        return new ClassFileImporter()
                .importPaths(paths)
                .that(DescribedPredicate.not(JavaClass.Predicates.resideInAPackage("picocli..")));
    }
}
