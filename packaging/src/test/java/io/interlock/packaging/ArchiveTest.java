package io.interlock.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.packaging.Installed.Ended;
import io.interlock.packaging.Installed.Server;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The archive, unpacked into an empty folder and used with nothing but a Java and a few programs of the system. */
class ArchiveTest {

    private static final String VERSION = System.getProperty("interlock.version", "");
    private static final Pattern EXPOSURE = Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)");
    private static final double MAX_EXPOSURE = 1.5;
    private static final Pattern ARGUMENTS = Pattern.compile("args: (\\[.*])");
    private static final Pattern SAMPLE_OPTIONS = Pattern.compile("Further options of interlock run, such as (.*)");

    @TempDir
    static Path folder = Path.of("");

    private static Path home = Path.of("");

    @BeforeAll
    static void unpack() throws Exception {
        Path place = Files.createDirectories(folder.resolve("a place"));
        said(List.of("tar", "-xzf", System.getProperty("interlock.archive", ""), "-C", place.toString()));
        home = place.resolve("interlock-" + VERSION);
    }

    private static Installed installed() throws IOException {
        return new Installed(home.resolve("bin/interlock"), Files.createTempDirectory(folder, "user"))
                .with("JAVA_HOME", System.getProperty("java.home"));
    }

    @Test
    void commandsRunBeforeAndAfterTheWarmUp() throws Exception {
        Installed interlock = installed().with("INTERLOCK_STORE", "sqlite:" + folder.resolve("cli.db"));
        assertThat(interlock.run("version").text()).startsWith("interlock " + VERSION + " (Java ");
        assertThat(interlock.run("run", "-n", "ledger", "--", "sh", "-c", "echo token $INTERLOCK_TOKEN"))
                .satisfies(ended -> assertThat(ended.text()).containsPattern("token \\d+"));
        Path cache = home.resolve("cache");
        assertThat(cache).doesNotExist();
        assertThat(interlock.run("warm-up")).isEqualTo(new Ended(0, ""));
        assertThat(names(cache)).contains("java", "native").containsAnyOf("classes.jsa", "start.aot");
        assertThat(names(cache.resolve("native"))).hasSize(1);
        assertThat(interlock.run("run", "-n", "ledger", "--", "sh", "-c", "echo token $INTERLOCK_TOKEN; exit 7"))
                .satisfies(ended -> assertThat(ended.text()).containsPattern("token \\d+"))
                .extracting(Ended::code)
                .isEqualTo(7);
        assertThat(interlock.run("runs", "ls").text()).contains("SUCCEEDED", "FAILED");
    }

    @Test
    void anOlderJavaStartsAfterTheWarmUpOfANewerOne() throws Exception {
        Path newer = DebTest.jdkWithJpackage();
        assumeTrue(Files.exists(newer) && DebTest.version(newer).feature() >= 25, "no JDK 25 is here");
        assumeTrue(Runtime.version().feature() < 25, "this JDK is no older one");
        Path copy = Files.createDirectories(folder.resolve("two javas"));
        said(List.of("tar", "-xzf", System.getProperty("interlock.archive", ""), "-C", copy.toString()));
        Path program = copy.resolve("interlock-" + VERSION).resolve("bin/interlock");
        Path user = Files.createTempDirectory(folder, "user");
        Installed interlock = new Installed(program, user).with("JAVA_HOME", newer.toString());
        assertThat(interlock.run("warm-up")).isEqualTo(new Ended(0, ""));
        assertThat(interlock.run("version").text())
                .startsWith("interlock " + VERSION + " (Java "
                        + DebTest.version(newer).feature());
        interlock.with("JAVA_HOME", System.getProperty("java.home"));
        assertThat(interlock.run("version").text())
                .startsWith(
                        "interlock " + VERSION + " (Java " + Runtime.version().feature());
    }

    @Test
    void helpAndCompletionNeedNoClassesOfAServer() throws Exception {
        Installed interlock = installed();
        assertThat(interlock.run("--help")).satisfies(ended -> {
            assertThat(ended.code()).isZero();
            assertThat(ended.text()).contains("worker", "demo", "Examples:");
        });
        assertThat(interlock.run("completion", "bash").text()).contains("--api-key-file", "bump-epoch");
        assertThat(interlock.run("worker", "--help").text()).contains("--config=FILE", "--store=URL");
    }

    @Test
    void aServerServesTheCommandLine() throws Exception {
        Installed interlock = installed().with("INTERLOCK_STORE", "sqlite:" + folder.resolve("server.db"));
        try (Server server = interlock.server()) {
            HttpRequest ready = HttpRequest.newBuilder(URI.create(server.url() + "/health/ready"))
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(ready, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            Installed client =
                    installed().with("INTERLOCK_SERVER", server.url()).with("INTERLOCK_API_KEY", server.apiKey());
            assertThat(client.run("run", "-n", "ledger", "--", "sh", "-c", "exit 3")
                            .code())
                    .isEqualTo(3);
            assertThat(client.run("runs", "ls").text()).contains("ledger", "FAILED");
            assertThat(server.stop()).isZero();
        }
    }

    @Test
    void whatTheCommandLineSharesWithTheServerIsFoundWhenItIsNeeded() throws Exception {
        for (String store : List.of("redis://127.0.0.1:1", "etcd://127.0.0.1:1?timeout=300ms")) {
            assertThat(installed().run("locks", "ls", "--store", store))
                    .satisfies(ended -> assertThat(ended.text()).contains("127.0.0.1:1"))
                    .extracting(Ended::code)
                    .isEqualTo(69);
        }
        Path jobs = Files.writeString(
                folder.resolve("jobs.yaml"), "interlock: { jobs: { hello: { run: { command: [echo, hello] } } } }\n");
        // Its health and metrics are served by Netty.
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(installed()
                            .run(
                                    "worker",
                                    "--config",
                                    jobs.toString(),
                                    "--port",
                                    Integer.toString(taken.getLocalPort())))
                    .satisfies(ended -> assertThat(ended.text()).contains("cannot listen at 127.0.0.1:"))
                    .extracting(Ended::code)
                    .isEqualTo(69);
        }
    }

    @Test
    void aMissingJavaIsNamed() throws Exception {
        Installed interlock = installed().with("JAVA_HOME", "/nowhere");
        assertThat(interlock.run("version"))
                .satisfies(ended -> assertThat(ended.text()).contains("no Java (/nowhere/bin/java) found"))
                .extracting(Ended::code)
                .isEqualTo(125);
    }

    @Test
    void theSampleConfigurationIsValid() throws Exception {
        String sample = home.resolve("conf/interlock.yaml").toString();
        assertThat(installed().run("config", "show", "--config", sample))
                .satisfies(ended -> assertThat(ended.text()).contains("sqlite:/var/lib/interlock/interlock.db"))
                .extracting(Ended::code)
                .isEqualTo(0);
    }

    @Test
    void theCommandsOfTheManifestsWork() throws Exception {
        Installed interlock = installed().with("INTERLOCK_STORE", "sqlite:" + folder.resolve("manifests.db"));
        assertThat(interlock.run(arguments("kubernetes/first-key.yaml")))
                .satisfies(ended -> assertThat(ended.text()).startsWith("ilk_"))
                .extracting(Ended::code)
                .isEqualTo(0);
        assertThat(interlock.run(arguments("kubernetes/cronjob.yaml")))
                .satisfies(ended -> assertThat(ended.text()).containsPattern("closing with token \\d+"))
                .extracting(Ended::code)
                .isEqualTo(0);
    }

    /** The arguments of the container in a manifest. */
    private static String[] arguments(String manifest) throws IOException {
        Matcher found = ARGUMENTS.matcher(Files.readString(Path.of(manifest)));
        assertThat(found.find()).isTrue();
        List<String> words = new Yaml().load(found.group(1));
        return words.toArray(String[]::new);
    }

    @Test
    void manifestsAreYamlAndNameTheProbesOfAServer() throws Exception {
        List<String> files = List.of(
                "docker/compose.yaml",
                "github-action/action.yml",
                "kubernetes/cronjob.yaml",
                "kubernetes/first-key.yaml",
                "kubernetes/server.yaml");
        for (String file : files) {
            for (Object document : new Yaml().loadAll(Files.readString(Path.of(file)))) {
                assertThat(document).isInstanceOf(Map.class);
            }
        }
        assertThat(Files.readString(Path.of("kubernetes/server.yaml")))
                .contains("/health/live", "/health/ready", "image: interlock:" + VERSION);
        assertThat(Files.readString(Path.of("docker/compose.yaml"))).contains("interlock-" + VERSION + ".tar.gz");
    }

    @Test
    void theStepOfTheActionRunsItsCommandUnderTheKey() throws Exception {
        Matcher sample = SAMPLE_OPTIONS.matcher(Files.readString(Path.of("github-action/action.yml")));
        assertThat(sample.find()).isTrue();
        Installed step = new Installed(
                        Path.of("github-action/run.sh").toAbsolutePath(), Files.createTempDirectory(folder, "step"))
                .with("JAVA_HOME", System.getProperty("java.home"))
                .with("INTERLOCK_SERVER", "")
                .with("INTERLOCK_STORE", "sqlite:" + folder.resolve("step.db"))
                .with("ACTION_KEY", "deploy/production")
                .with("ACTION_OPTIONS", sample.group(1))
                .with("ACTION_RUN", "echo deploys with $INTERLOCK_TOKEN\nfalse\necho not reached");
        assertThat(step.run().text()).contains("interlock is not on the PATH");
        step.onPath(home.resolve("bin/interlock"));
        assertThat(step.run())
                .satisfies(ended -> assertThat(ended.text())
                        .containsPattern("deploys with \\d+")
                        .doesNotContain("not reached"))
                .extracting(Ended::code)
                .isEqualTo(1);
    }

    @Test
    void everyJarIsOnTheClassPathOfAProgram() throws Exception {
        Set<String> named = new TreeSet<>();
        for (String program : List.of("interlock-cli-", "interlock-server-")) {
            try (JarFile jar = new JarFile(
                    home.resolve("lib/" + program + VERSION + ".jar").toFile())) {
                named.add(program + VERSION + ".jar");
                named.addAll(List.of(jar.getManifest()
                        .getMainAttributes()
                        .getValue("Class-Path")
                        .split(" ", -1)));
            }
        }
        List<String> jars = names(home.resolve("lib")).stream()
                .filter(name -> name.endsWith(".jar"))
                .toList();
        assertThat(named).containsAll(jars);
        // Libraries of tests bring jars into the class path of a module that no program needs.
        assertThat(named)
                .filteredOn(name -> !jars.contains(name))
                .allSatisfy(name -> assertThat(name).containsPattern("annotations|jsr305|gson"));
    }

    @Test
    void ourJarsAreModulesOfDifferentNamesAndPackages() throws Exception {
        List<Path> ours = new ArrayList<>();
        for (String name : names(home.resolve("lib"))) {
            if (name.startsWith("interlock-")) {
                ours.add(home.resolve("lib").resolve(name));
            }
        }
        Set<ModuleReference> modules =
                ModuleFinder.of(ours.toArray(Path[]::new)).findAll();
        List<String> names = modules.stream()
                .map(ModuleReference::descriptor)
                .map(ModuleDescriptor::name)
                .sorted()
                .toList();
        assertThat(names)
                .hasSameSizeAs(ours)
                .contains("io.interlock", "io.interlock.locks", "io.interlock.cli", "io.interlock.store.sqlite");
        assertThat(modules)
                .allSatisfy(module -> assertThat(module.descriptor().packages())
                        // Compiled from its sources into the jar of the command line, where it is the only one.
                        .filteredOn(name -> !name.equals("picocli"))
                        .allSatisfy(name -> assertThat(name + ".")
                                .startsWith(module.descriptor().name() + ".")));
        // Fails if a package is in two of them.
        Configuration.resolve(
                ModuleFinder.of(ours.toArray(Path[]::new)),
                List.of(ModuleLayer.boot().configuration()),
                ModuleFinder.of(),
                names);
    }

    @Test
    void everyPublishedModuleIsInTheBomAndHasAModuleName() throws Exception {
        String bom = Files.readString(Path.of("bom/pom.xml"));
        assertThat(bom).contains("<version>" + VERSION + "</version>");
        List<String> published = Pattern.compile(
                        "<module>((?:core|locks|engine|service|stores/|edges/|testing/tck)[^<]*)")
                .matcher(Files.readString(Path.of("../pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
        assertThat(published).hasSizeGreaterThan(20).allSatisfy(module -> {
            String pom = Files.readString(Path.of("..", module, "pom.xml"));
            Matcher name = Pattern.compile("<artifactId>(interlock-[a-z-]+)<").matcher(pom);
            assertThat(name.find()).isTrue();
            assertThat(bom).contains("<artifactId>" + name.group(1) + "<");
            assertThat(pom).contains("<module.name>io.interlock");
        });
    }

    @Test
    void filesHaveTheTimeOfTheReleaseAndPlainModes() throws Exception {
        Instant release = Files.getLastModifiedTime(home.resolve("LICENSE")).toInstant();
        List<Path> files;
        try (Stream<Path> all = Files.walk(home)) {
            files = all.filter(file -> !file.startsWith(home.resolve("cache")))
                    .filter(Files::isRegularFile)
                    .toList();
        }
        assertThat(files).hasSizeGreaterThan(50).allSatisfy(file -> {
            assertThat(Files.getLastModifiedTime(file).toInstant()).isEqualTo(release);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(file.startsWith(home.resolve("bin")) ? "rwxr-xr-x" : "rw-r--r--");
        });
    }

    @Test
    void everyLibraryIsInTheListOfLicencesAndInTheBillOfMaterials() throws Exception {
        String licences = Files.readString(home.resolve("licences/THIRD-PARTY.txt"));
        String materials = Files.readString(home.resolve("sbom.cdx.json"));
        Pattern artifact = Pattern.compile("(.+?)-(\\d.*)\\.jar");
        List<String> libraries = names(home.resolve("lib")).stream()
                .filter(name -> name.endsWith(".jar") && !name.startsWith("interlock-"))
                .toList();
        assertThat(libraries).hasSizeGreaterThan(50).allSatisfy(name -> {
            Matcher parts = artifact.matcher(name);
            assertThat(parts.matches()).isTrue();
            assertThat(licences).contains(":" + parts.group(1) + ":");
            assertThat(materials).contains("/" + parts.group(1) + "@");
        });
        assertThat(materials).contains("\"bomFormat\" : \"CycloneDX\"", "/interlock-server@" + VERSION);
        assertThat(home.resolve("NOTICE")).exists();
    }

    @Test
    void theUnitIsValidAndKeepsToItsSandbox() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "systemd-analyze is not here");
        // As where it is installed: the program exists.
        Path unit = Files.createDirectories(folder.resolve("unit")).resolve("interlock.service");
        String text = Files.readString(home.resolve("systemd/interlock.service"));
        assertThat(text).contains("ExecStart=/opt/interlock/bin/interlock ");
        Files.writeString(unit, text.replace("/opt/interlock/bin/interlock", "/bin/true"));
        assertThat(said(List.of("systemd-analyze", "verify", "--man=no", unit.toString())))
                .doesNotContain("interlock.service");
        Matcher exposure = EXPOSURE.matcher(
                said(List.of("systemd-analyze", "security", "--offline=true", "--no-pager", unit.toString())));
        assertThat(exposure.find()).isTrue();
        assertThat(Double.parseDouble(exposure.group(1))).isLessThanOrEqualTo(MAX_EXPOSURE);
    }

    private static String said(List<String> command) throws Exception {
        Path out = Files.createTempFile(folder, "said", "");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor()).as(() -> command + ": " + read(out)).isZero();
        return read(out);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static List<String> names(Path place) throws IOException {
        try (Stream<Path> files = Files.list(place)) {
            return files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.toList());
        }
    }
}
