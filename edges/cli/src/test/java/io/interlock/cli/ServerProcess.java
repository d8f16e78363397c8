package io.interlock.cli;

import static org.awaitility.Awaitility.await;

import io.interlock.cli.Cli.Running;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real server in a process of its own, on a SQLite file, with its first API key. */
final class ServerProcess implements AutoCloseable {

    private static final Pattern ADDRESS = Pattern.compile("API\\s+(http://[^/]+)/api/v1/");
    private static final Pattern KEY = Pattern.compile("API key\\s+(ilk_\\S+)");

    private final Running running;
    private final String url;
    private final String apiKey;

    private ServerProcess(Running running, String apiKey) {
        this.running = running;
        Pattern ready = apiKey.isEmpty() ? KEY : ADDRESS;
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> ready.matcher(running.out()).find()
                            || !running.process().isAlive());
            url = found(ADDRESS);
            this.apiKey = apiKey.isEmpty() ? found(KEY) : apiKey;
        } catch (RuntimeException | AssertionError notReady) {
            running.process().destroyForcibly();
            throw notReady;
        }
    }

    static ServerProcess start(Path folder, String name, String... more) {
        return on(sqlite(folder, name), folder, more);
    }

    /** One on any store. */
    static ServerProcess on(String store, Path folder, String... more) {
        return new ServerProcess(begin(folder, store, "0", more), "");
    }

    /** Another process in the place of this one, which is killed: the same store, address and keys. */
    ServerProcess restart(Path folder, String name, String... more) {
        close();
        return new ServerProcess(
                begin(folder, sqlite(folder, name), url.substring(url.lastIndexOf(':') + 1), more), apiKey);
    }

    private static String sqlite(Path folder, String name) {
        return "sqlite:" + folder.resolve(name + ".db");
    }

    private static Running begin(Path folder, String store, String port, String... more) {
        List<String> command = Product.java();
        command.addAll(List.of("-Xmx128m", "io.interlock.server.Main", "server", "--port", port, "--store", store));
        command.addAll(List.of(more));
        return new Cli(folder).running(command, "INTERLOCK_LOG_LEVEL", "ERROR");
    }

    String url() {
        return url;
    }

    String apiKey() {
        return apiKey;
    }

    Running running() {
        return running;
    }

    @Override
    public void close() {
        running.process().destroyForcibly();
        running.await();
    }

    private String found(Pattern pattern) {
        Matcher matcher = pattern.matcher(running.out());
        if (!matcher.find()) {
            throw new AssertionError("the server did not start: " + running.out() + running.err());
        }
        return matcher.group(1);
    }
}
