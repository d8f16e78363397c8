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

    private ServerProcess(Running running) {
        this.running = running;
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> KEY.matcher(running.out()).find()
                            || !running.process().isAlive());
            url = found(ADDRESS);
            apiKey = found(KEY);
        } catch (RuntimeException | AssertionError notReady) {
            running.process().destroyForcibly();
            throw notReady;
        }
    }

    static ServerProcess start(Path folder, String name) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.interlock.server.Main",
                "server",
                "--port",
                "0",
                "--store",
                "sqlite:" + folder.resolve(name + ".db"));
        return new ServerProcess(new Cli(folder).running(command, "INTERLOCK_LOG_LEVEL", "ERROR"));
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
