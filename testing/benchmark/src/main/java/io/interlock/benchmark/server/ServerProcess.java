package io.interlock.benchmark.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code ./interlock server} as a process of its own, as its users start it. */
public final class ServerProcess implements AutoCloseable {

    // The launcher may have to build the server first.
    private static final Duration TO_START = Duration.ofMinutes(5);
    private static final Pattern API = Pattern.compile("(?m)^ *API +http://[^:/]+:(\\d+)/api/v1/");
    private static final Pattern KEY = Pattern.compile("ilk_[A-Za-z0-9_-]+");

    private final Process process;
    private final int port;
    private final String key;

    private ServerProcess(Process process, int port, String key) {
        this.process = process;
        this.port = port;
        this.key = key;
    }

    /** Starts one on the store at {@code store}, without a worker and without a limit of requests that would be measured instead. */
    public static ServerProcess start(Path home, Path folder, String store) throws IOException, InterruptedException {
        return start(home, folder, store, Map.of("INTERLOCK_LIMITS_REQUESTS_PER_SECOND", "1000000"));
    }

    /** Starts one on the store at {@code store}, without a worker, with these variables. */
    public static ServerProcess start(Path home, Path folder, String store, Map<String, String> variables)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "server", ".out");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        home.resolve("interlock").toString(), "server", "--port", "0", "--store", store, "--no-worker"))
                .redirectOutput(output.toFile())
                .redirectError(folder.resolve("server.err").toFile());
        Map<String, String> environment = builder.environment();
        environment.putAll(variables);
        environment.put("INTERLOCK_LOG_LEVEL", "WARN");
        Process process = builder.start();
        long until = System.nanoTime() + TO_START.toNanos();
        while (process.isAlive() && System.nanoTime() < until) {
            String said = Files.readString(output);
            Matcher api = API.matcher(said);
            Matcher key = KEY.matcher(said);
            if (api.find() && key.find()) {
                return new ServerProcess(process, Integer.parseInt(api.group(1)), key.group());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        process.destroyForcibly();
        throw new IllegalStateException("the server did not start: " + Files.readString(output)
                + Files.readString(folder.resolve("server.err")));
    }

    /** Where it listens. */
    public int port() {
        return port;
    }

    /** The API key of its administrator. */
    public String key() {
        return key;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
