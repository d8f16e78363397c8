package io.interlock.example.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code docs/spring.md} and the Java part of {@code docs/start.md} followed to the letter in empty folders, with artifacts installed into a
 * repository of their own. Only with {@code ./interlock prove}: it builds all modules that the applications need.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class EmptyFolderTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    @TempDir
    static Path folder;

    private static Path repository = Path.of("");

    @BeforeAll
    static void install() throws Exception {
        assumeTrue(Boolean.getBoolean("interlock.prove"), "takes minutes; ./interlock prove runs it");
        repository = repository();
        maven(
                ROOT,
                repository,
                "install",
                "-Dbuild.folder=target/installed",
                "-Derrorprone.args=-proc:none",
                "-Dmaven.test.skip=true",
                "-Dspotless.check.skip=true",
                "-Dknown-holes.skip=true",
                "-pl",
                "packaging/bom,edges/spring-boot-starter,stores/postgres,stores/sqlite",
                "-am");
    }

    @Test
    void theFirstLeaseOfThePageIsGranted() throws Exception {
        String page = "docs/start.md";
        Path home = Files.createDirectory(folder.resolve("ledger"));
        Path code = Files.createDirectories(home.resolve("src/main/java"));
        Files.writeString(home.resolve("pom.xml"), block(page, "<!-- run by: EmptyFolderTest -->\n```xml\n"));
        Files.writeString(code.resolve("FirstLease.java"), block(page, "<!-- snippet: FirstLease -->\n```java\n"));
        String command =
                block(page, "<!-- run by: EmptyFolderTest -->\n```sh\n").strip();
        assertThat(run(home, "bash", "-c", command + " -B -Dmaven.repo.local=" + repository))
                .containsPattern("my token is \\d+");
    }

    @Test
    void theApplicationOfThePageRunsOnOneInstanceAtATime() throws Exception {
        String page = "docs/spring.md";
        Path home = Files.createDirectory(folder.resolve("reports"));
        Path code = Files.createDirectories(home.resolve("src/main/java/com/example"));
        Path resources = Files.createDirectories(home.resolve("src/main/resources"));
        Files.writeString(home.resolve("pom.xml"), block(page, "```xml\n"));
        Files.writeString(resources.resolve("application.properties"), block(page, "```properties\n"));
        for (String name : List.of("ReportApplication", "ReportJob")) {
            Files.writeString(
                    code.resolve(name + ".java"),
                    "package com.example;\n\n" + block(page, "<!-- snippet: " + name + " -->\n```java\n"));
        }
        maven(home, repository, "package");

        try (TwoInstances two = new TwoInstances()) {
            System.out.println(two.neverBothAndNeverNoneForLongerThanALease(
                    folder,
                    List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-jar",
                            home.resolve("target/reports-1.jar").toString()),
                    60));
        }
    }

    /** The block of a page that begins so. */
    private static String block(String page, String begin) throws IOException {
        Matcher block = Pattern.compile(Pattern.quote(begin) + "(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(ROOT.resolve(page)));
        assertThat(block.find()).as(begin).isTrue();
        return block.group(1);
    }

    /** What this user has downloaded, without artifacts of this project. */
    private static Path repository() throws Exception {
        Path repository = folder.resolve("repository");
        Path own = Path.of(System.getProperty("user.home"), ".m2", "repository");
        if (Files.isDirectory(own)) {
            run(folder, "cp", "-r", own.toString(), repository.toString());
            run(folder, "rm", "-rf", repository.resolve("io/interlock").toString());
        }
        return repository;
    }

    private static void maven(Path folder, Path repository, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q", "-Dmaven.repo.local=" + repository));
        command.addAll(List.of(words));
        run(folder, command.toArray(String[]::new));
    }

    /** What a command says, which must succeed. */
    private static String run(Path folder, String... command) throws Exception {
        Path out = Files.createTempFile("interlock-empty-folder", ".log");
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        int code = process.waitFor();
        String said = Files.readString(out);
        assertThat(code).as("%s: %s", List.of(command), said).isZero();
        Files.delete(out);
        return said;
    }
}
