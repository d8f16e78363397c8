package io.interlock.client;

import static org.awaitility.Awaitility.await;

import io.interlock.server.Main;
import io.interlock.servers.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real server in a process of its own, with its first API key. */
final class TestServer implements AutoCloseable {

    private static final Pattern ADDRESS = Pattern.compile("API\\s+(http://[^/]+)/api/v1/");
    private static final Pattern KEY = Pattern.compile("API key\\s+(ilk_\\S+)");
    private static final List<String> JAVA = ChildJvm.forServers();

    private final Path folder;
    private final String store;
    private final List<String> more;
    private Process process;
    private final String url;
    private final String apiKey;

    private TestServer(Path folder, String store, List<String> more) {
        this.folder = folder;
        this.store = store;
        this.more = more;
        Path out = folder.resolve("server-" + System.identityHashCode(this) + ".out");
        this.process = begin(out, "0");
        await().atMost(Duration.ofMinutes(2)).until(() -> found(KEY, out) != null || !process.isAlive());
        String address = found(ADDRESS, out);
        String key = found(KEY, out);
        if (address == null || key == null) {
            process.destroyForcibly();
            throw new AssertionError("the server did not start: " + read(out));
        }
        this.url = address;
        this.apiKey = key;
    }

    static TestServer start(Path folder, String store, String... more) {
        return new TestServer(folder, store, List.of(more));
    }

    private Process begin(Path out, String port) {
        List<String> command = new ArrayList<>(JAVA);
        command.addAll(List.of("-Xmx128m", Main.class.getName(), "server", "--port", port, "--store", store));
        command.addAll(more);
        try {
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("INTERLOCK_"));
            builder.environment().put("XDG_DATA_HOME", folder.resolve("data").toString());
            return builder.start();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    String url() {
        return url;
    }

    String apiKey() {
        return apiKey;
    }

    InterlockClient client() {
        return InterlockClient.builder(url)
                .apiKey(apiKey)
                .drainTime(Duration.ofMillis(100))
                .build();
    }

    /** Kills the process and starts another one in its place, on the same store, address and keys. */
    void restart() {
        close();
        Path out = folder.resolve("server-again-" + System.identityHashCode(this) + ".out");
        process = begin(out, url.substring(url.lastIndexOf(':') + 1));
        await().atMost(Duration.ofMinutes(2)).until(() -> found(ADDRESS, out) != null || !process.isAlive());
    }

    /** Sends a signal, such as STOP. */
    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(30, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static @org.jspecify.annotations.Nullable String found(Pattern pattern, Path out) {
        Matcher matcher = pattern.matcher(read(out));
        return matcher.find() ? matcher.group(1) : null;
    }

    private static String read(Path out) {
        try {
            return Files.exists(out) ? Files.readString(out) : "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
