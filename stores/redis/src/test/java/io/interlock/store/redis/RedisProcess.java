package io.interlock.store.redis;

import io.interlock.store.redis.RedisSettings.Namespace;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisExecProvider;

/** A real Redis on its own port that can be killed, paused and restarted. */
final class RedisProcess implements AutoCloseable {

    static final List<String> DURABLE = List.of("--appendonly", "yes", "--appendfsync", "always");
    static final List<String> FORGETFUL = List.of("--appendonly", "no");

    private final Path dir;
    private final int port;
    private List<String> settings;
    private @Nullable Process process;
    private @Nullable RedisClient client;

    private RedisProcess(List<String> settings) {
        try {
            this.dir = Files.createTempDirectory("interlock-redis");
            this.port = freePort();
            this.settings = settings;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
    }

    static RedisProcess start(List<String> settings) {
        RedisProcess redis = new RedisProcess(settings);
        redis.start();
        return redis;
    }

    int port() {
        return port;
    }

    String url() {
        return "redis://127.0.0.1:" + port + "/0";
    }

    void start() {
        try {
            List<String> command = new ArrayList<>(List.of(
                    RedisExecProvider.defaultProvider().get().getAbsolutePath(),
                    "--port",
                    Integer.toString(port),
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--repl-diskless-sync-delay",
                    "0",
                    "--dir",
                    dir.toString()));
            command.addAll(settings);
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(dir.resolve("log").toFile())
                    .start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .atMost(Duration.ofSeconds(20))
                .until(this::answers);
    }

    /** On the same port and data, but with other settings. */
    void startWith(List<String> otherSettings) {
        settings = otherSettings;
        start();
    }

    /** Without warning, as {@code kill -9}. */
    void kill() {
        if (process != null) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    void deleteData() {
        try (Stream<Path> files = Files.walk(dir)) {
            files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("log"))
                    .forEach(file -> file.toFile().delete());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A copy of the data, as a backup has it. */
    Path backUp() throws IOException {
        Path backup = Files.createTempDirectory("interlock-redis-backup");
        copy(dir, backup);
        return backup;
    }

    /** Puts a backup in place of the data. */
    void restore(Path backup) throws IOException {
        deleteData();
        copy(backup, dir);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    long uptimeSeconds() {
        return Long.parseLong(
                admin(commands -> commands.info("server")).replaceAll("(?s).*uptime_in_seconds:(\\d+).*", "$1"));
    }

    void signal(String name) {
        try {
            long pid = Objects.requireNonNull(process).pid();
            int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IllegalStateException("kill -" + name + " answered " + code);
            }
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Executes administrator commands. */
    <T> T admin(Function<RedisCommands<String, String>, T> work) {
        // A new client would take longer than its commands; a new connection is quick.
        if (client == null) {
            client = RedisClient.create(RedisURI.create("127.0.0.1", port));
        }
        try (StatefulRedisConnection<String, String> connection = client.connect()) {
            return work.apply(connection.sync());
        }
    }

    void run(String script, Namespace namespace, String argument) {
        admin(redis -> redis.eval(load(script), ScriptOutputType.MULTI, namespace.keys(), namespace.space(), argument));
    }

    @Override
    public void close() {
        if (client != null) {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
        kill();
        try (Stream<Path> files = Files.walk(dir)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(2000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII);
            return answer.equals("+PONG") || answer.equals("-NOAU");
        } catch (IOException notYet) {
            return false;
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static String load(String resource) {
        try (InputStream in = Objects.requireNonNull(RedisProcess.class.getResourceAsStream(resource), resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
