package io.interlock.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The class files of all modules, read once. */
final class CompiledCode {

    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(place -> !isSecondDescription(place))
            // A library whose sources the command line compiles.
            .withImportOption(place -> !place.contains("/target/classes/picocli/"))
            .importPaths(Stream.concat(
                            folders(SourceTree.mainModules(), "classes"), folders(SourceTree.modules(), "test-classes"))
                    .toList());
    private static final JavaClasses MAIN = in(folders(SourceTree.mainModules(), "classes"));
    private static final JavaClasses TESTS = in(folders(SourceTree.modules(), "test-classes"))
            .that(DescribedPredicate.not(JavaClass.Predicates.resideInAPackage("samples..")));

    private static final Map<String, JavaClasses> SAMPLES = new ConcurrentHashMap<>();

    private CompiledCode() {}

    /** Main code of all modules, including the contract tests. */
    static JavaClasses main() {
        return MAIN;
    }

    /** Main code of one module. */
    static JavaClasses mainOf(String module) {
        return in(folders(List.of(module), "classes"));
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
        return TESTS;
    }

    /** Main and test code of all modules: a test's package may be marked by the main code beside it. */
    static JavaClasses all() {
        return ALL;
    }

    /** A sample and everything below it. */
    static JavaClasses sample(String root) {
        return SAMPLES.computeIfAbsent(root, sample -> new ClassFileImporter().importPackages(sample));
    }

    /** Of two descriptions of one package, that of the main code counts. */
    private static boolean isSecondDescription(Location place) {
        String file = place.asURI().toString();
        return file.contains("/target/test-classes/")
                && file.endsWith("/package-info.class")
                && Files.exists(Path.of(URI.create(file.replace("/target/test-classes/", "/target/classes/"))));
    }

    private static JavaClasses in(Stream<Path> folders) {
        List<String> places = folders.map(folder -> folder.toUri().toString()).toList();
        return ALL.that(DescribedPredicate.describe("are in " + places, type -> {
            String file = type.getSource().orElseThrow().getUri().toString();
            return places.stream().anyMatch(file::startsWith);
        }));
    }

    private static Stream<Path> folders(Collection<String> modules, String kind) {
        return modules.stream()
                .map(module ->
                        SourceTree.root().resolve(module).resolve("target").resolve(kind))
                .filter(Files::isDirectory);
    }
}
