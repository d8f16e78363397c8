package io.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The recipes of {@code docs/recipes}, the page of the first minutes, and those of the compatible APIs and the clients, followed to the letter
 * at a real server. A comment before each block says what it is: a {@code file}, {@code commands} for bash, a {@code crontab}, parts of the
 * {@code output} of the last commands, with … for what differs, the start of the {@code server}, a {@code snippet} that
 * {@code SnippetsTest} compares, the name of a test that it is {@code run by}, or {@code not run} and why.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class RecipesTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern BLOCK = Pattern.compile(
            "(?ms)(?:^<!-- (file|commands|crontab|output|server|snippet|run by|not run)(?:: ([^\\n]+?))? -->\\n)?^```\\w*\\n(.*?)^```$");
    private static final List<String> FOLDERS =
            List.of("docs/recipes", "docs/compat", "clients/python", "clients/typescript");

    @TempDir
    static Path home = Path.of(".");

    /** Of the pages that configure none. */
    private static ServerProcess unconfigured = unset();

    private record Block(String kind, String name, String text) {}

    @BeforeAll
    static void start() {
        unconfigured = ServerProcess.start(home, "recipes");
    }

    @AfterAll
    static void stop() {
        unconfigured.close();
    }

    static Stream<String> recipes() throws IOException {
        List<String> pages = new ArrayList<>(List.of("docs/start.md"));
        for (String folder : FOLDERS) {
            try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
                files.filter(file ->
                                file.toString().endsWith(".md") && read(file).contains("```"))
                        .map(file -> folder + "/" + file.getFileName())
                        .sorted()
                        .forEach(pages::add);
            }
        }
        return pages.stream();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void recipeWorks(String recipe, @TempDir Path folder) throws Exception {
        List<Block> blocks = blocks(Files.readString(ROOT.resolve(recipe)));
        requireInstalled(blocks);
        boolean installs = blocks.stream().anyMatch(block -> block.text().contains(" install \"$PROJECT/clients"));
        if (!installs) {
            Files.createDirectories(folder.resolve("node_modules"));
            Files.createSymbolicLink(
                    folder.resolve("node_modules/interlock-client"), ROOT.resolve("clients/typescript"));
        }
        Path launcher = folder.resolve("interlock");
        Files.writeString(launcher, "#!/bin/sh\nexec " + new Cli(folder).shellCommand() + " \"$@\"\n");
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        for (Block file : blocks) {
            if (file.kind().equals("file")) {
                Path written = Files.writeString(folder.resolve(file.name()), file.text());
                assertThat(written.toFile().setExecutable(file.text().startsWith("#!")))
                        .isTrue();
            }
        }
        Map<String, String> variables = new HashMap<>(Map.of(
                "PYTHONDONTWRITEBYTECODE",
                "1",
                "XDG_DATA_HOME",
                folder.resolve("data").toString(),
                "PATH",
                folder + ":" + System.getenv("PATH"),
                "PROJECT",
                ROOT.toString(),
                // Clients are installed from the project alone.
                "PIP_NO_INDEX",
                "1",
                "npm_config_offline",
                "true",
                "npm_config_audit",
                "false"));
        if (!installs) {
            variables.put("PYTHONPATH", ROOT.resolve("clients/python/src").toString());
        }
        if (Files.exists(folder.resolve("interlock.yaml"))) {
            try (ServerProcess server = ServerProcess.start(folder, "recipe", "--config", "interlock.yaml")) {
                follow(recipe, blocks, folder, variables, server);
            }
        } else {
            follow(recipe, blocks, folder, variables, unconfigured);
        }
    }

    private static void follow(
            String recipe, List<Block> blocks, Path folder, Map<String, String> variables, ServerProcess server)
            throws Exception {
        variables.put("INTERLOCK_SERVER", server.url());
        variables.put("INTERLOCK_API_KEY", server.apiKey());
        String said = "";
        for (Block block : blocks) {
            switch (block.kind()) {
                case "commands" -> said = run(folder, block.text(), variables);
                case "crontab" -> said = run(folder, commands(block.text()), variables);
                case "output" -> assertThat(said).as(recipe).satisfies(text -> shows(text, block.text()));
                default -> {}
            }
        }
    }

    @Test
    void aPageThatIsNotRunIsFoundOut() {
        assertThat(blocks("<!-- commands -->\n```sh\ntrue\n```\n").get(0))
                .isEqualTo(new Block("commands", "", "true\n"));
        assertThatThrownBy(() -> blocks("```sh\ntrue\n```\n")).hasMessageContaining("true");
        assertThatThrownBy(() -> blocks("```\ntrue\n```\n")).hasMessageContaining("true");
        assertThatThrownBy(() -> blocks("<!-- not run -->\n```sh\ntrue\n```\n")).hasMessageContaining("true");
        assertThatThrownBy(() -> shows("one\n", "two\n")).isInstanceOf(AssertionError.class);
        shows("one 17 two\n", "one … two\n");
    }

    private static List<Block> blocks(String page) {
        List<Block> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(page);
        while (block.find()) {
            // What is not run has a reason.
            if (block.group(1) == null || (block.group(1).equals("not run") && block.group(2) == null)) {
                throw new IllegalArgumentException("a block without a mark: " + block.group(3));
            }
            blocks.add(new Block(block.group(1), block.group(2) == null ? "" : block.group(2), block.group(3)));
        }
        assertThat(blocks).isNotEmpty();
        return blocks;
    }

    /** What cron would run. */
    private static String commands(String crontab) {
        return crontab.lines()
                .map(line -> line.replaceFirst("^(\\S+ +){5}", ""))
                .collect(Collectors.joining("\n"));
    }

    private static void shows(String said, String wanted) {
        wanted.lines()
                .forEach(line -> assertThat(said)
                        .containsPattern(Stream.of(line.split("…", -1))
                                .map(Pattern::quote)
                                .collect(Collectors.joining(".*"))));
    }

    private static String run(Path folder, String script, Map<String, String> variables) throws Exception {
        Path out = Files.createTempFile(folder, "commands", ".out");
        ProcessBuilder shell = new ProcessBuilder("bash", "-euo", "pipefail", "-c", script)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        shell.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
        shell.environment().putAll(variables);
        Process running = shell.start();
        running.getOutputStream().close();
        boolean ended = running.waitFor(2, TimeUnit.MINUTES);
        if (!ended) {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly().waitFor();
        }
        String said = Files.readString(out);
        assertThat(ended && running.exitValue() == 0).as("%s%n%s", script, said).isTrue();
        return said;
    }

    private static void requireInstalled(List<Block> blocks) {
        for (String program : List.of("python3", "node", "npm", "curl")) {
            boolean needed = blocks.stream()
                    .anyMatch(block ->
                            block.kind().equals("commands") && block.text().contains(program + " "));
            boolean there = Stream.of(System.getenv("PATH").split(":", -1))
                    .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
            assumeTrue(!needed || there, program + " is not installed, so this recipe is not tried");
        }
    }

    @SuppressWarnings("NullAway") // Set before the first test.
    private static ServerProcess unset() {
        return null;
    }
}
