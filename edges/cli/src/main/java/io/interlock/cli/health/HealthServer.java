package io.interlock.cli.health;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import io.interlock.engine.EngineListener;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerEngine;
import io.interlock.metrics.InterlockMeters;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the health and metrics of a worker: {@code /health/live}, {@code /health/ready}, {@code /metrics}. They need no key and change
 * nothing. Safe for use by many threads.
 */
public final class HealthServer implements AutoCloseable {

    private static final int READY = 200;
    private static final int NOT_READY = 503;

    private final HealthPort port;
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final InterlockMeters meters = InterlockMeters.on(registry);
    private final Environment environment;
    private final Readiness readiness;

    private HealthServer(InetSocketAddress address, Environment environment) throws IOException {
        this.environment = environment;
        this.readiness = new Readiness(environment);
        this.port = HealthPort.open(
                address,
                environment,
                Map.of("/health/live", health(Optional.empty())),
                Map.of(
                        "/health/ready", () -> health(readiness.obstacle()),
                        "/metrics",
                                () -> new HealthPort.Answer(
                                        READY, "text/plain; version=0.0.4; charset=utf-8", registry.scrape())));
    }

    /** Opens one; port 0 takes any free one. */
    public static HealthServer open(String host, int port, Environment environment) {
        try {
            return new HealthServer(new InetSocketAddress(InetAddress.getByName(host), port), environment);
        } catch (IOException | IllegalArgumentException cannot) {
            throw new Failure(
                    ExitCode.UNAVAILABLE,
                    "port-unavailable",
                    "a worker cannot listen at " + host + ":" + port + ": " + cannot.getMessage(),
                    "choose another --port (0 takes any free one) or --host");
        }
    }

    /** {@code store}, with its steps timed. */
    public OpenStore onto(OpenStore store) {
        return store.through(meters::around);
    }

    /** Counts what happens in the engine that is shown. */
    public EngineListener listener() {
        return meters.listener();
    }

    /** Shows an engine on a store, and what waits and runs there; it is ready while {@code question} is answered. */
    public void show(RunEngine engine, Runnable question) {
        meters.watch(engine, environment);
        readiness.by(question);
    }

    /** Shows an engine that does a server's work, and knows nothing of what else waits and runs there. */
    public void showWork(WorkerEngine engine, Runnable question) {
        meters.know(engine);
        readiness.by(question);
    }

    /** From now on it is not ready. */
    public void stopping() {
        readiness.by(null);
    }

    @Override
    public void close() {
        meters.close();
        port.close();
    }

    @Override
    public String toString() {
        InetSocketAddress address = port.address();
        String host = address.getAddress().getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private static HealthPort.Answer health(Optional<String> obstacle) {
        Facts told = Facts.with("status", obstacle.isEmpty() ? "UP" : "DOWN").and("reason", obstacle.orElse(null));
        return new HealthPort.Answer(obstacle.isEmpty() ? READY : NOT_READY, "application/json", Json.line(told));
    }

    /**
     * Answers GET and HEAD for a few paths over HTTP/1.1, one request a connection. A connection takes no thread, may last {@link #LONGEST} and
     * no longer, and beyond {@link #MOST} of them the oldest is closed: half a request, or many of them, keep no other from being answered.
     * The JDK's own server has a thread wait for each request that has begun. Safe for use by many threads.
     */
    static final class HealthPort implements AutoCloseable {

        /** How many connections there are at the most. */
        static final int MOST = 256;

        /** How long a connection may last. */
        static final Duration LONGEST = Duration.ofSeconds(10);

        private static final Logger log = LoggerFactory.getLogger(HealthPort.class);
        private static final int REQUEST_BYTES = 8 * 1024;
        private static final int ANSWERING_THREADS = 4;
        private static final String HEAD_END = "\r\n\r\n";

        /** What is said. */
        record Answer(int status, String type, String text) {}

        private static final Answer NOTHING = new Answer(404, "text/plain", "there is nothing at this path\n");
        private static final Answer NOT_ALLOWED =
                new Answer(405, "text/plain", "only GET and HEAD are answered here\n");

        private final ServerSocketChannel port;
        private final Selector selector;
        private final Environment environment;
        private final Map<String, Answer> known;
        private final Map<String, Supplier<Answer>> asked;
        private final ExecutorService answering;
        private final Thread loop;
        private final Queue<Connection> answered = new ConcurrentLinkedQueue<>();
        // The oldest first. Used by the loop only.
        private final Deque<Connection> open = new ArrayDeque<>();

        private HealthPort(
                ServerSocketChannel port,
                Selector selector,
                Environment environment,
                Map<String, Answer> known,
                Map<String, Supplier<Answer>> asked) {
            this.port = port;
            this.selector = selector;
            this.environment = environment;
            this.known = Map.copyOf(known);
            this.asked = Map.copyOf(asked);
            this.answering = Executors.newFixedThreadPool(ANSWERING_THREADS, environment.threads("interlock-window"));
            this.loop = environment.threads("interlock-port").newThread(this::serve);
        }

        /**
         * Listens at {@code address}, and answers by path.
         *
         * @param known answers that are always the same, and wait for nothing
         * @param asked answers that may take their time
         */
        static HealthPort open(
                InetSocketAddress address,
                Environment environment,
                Map<String, Answer> known,
                Map<String, Supplier<Answer>> asked)
                throws IOException {
            ServerSocketChannel port = ServerSocketChannel.open();
            try {
                port.bind(address);
                port.configureBlocking(false);
                Selector selector = Selector.open();
                port.register(selector, SelectionKey.OP_ACCEPT);
                HealthPort opened = new HealthPort(port, selector, environment, known, asked);
                opened.loop.start();
                return opened;
            } catch (IOException | RuntimeException cannot) {
                port.close();
                throw cannot;
            }
        }

        InetSocketAddress address() {
            try {
                return (InetSocketAddress) port.getLocalAddress();
            } catch (IOException closed) {
                throw new IllegalStateException("closed", closed);
            }
        }

        @Override
        public void close() {
            answering.shutdownNow();
            loop.interrupt();
            quietly(selector);
            quietly(port);
        }

        private void serve() {
            while (selector.isOpen() && !Thread.currentThread().isInterrupted()) {
                try {
                    selector.select(Math.max(1, untilNextEnd().toMillis()));
                    selector.selectedKeys().forEach(this::step);
                    selector.selectedKeys().clear();
                    for (Connection each = answered.poll(); each != null; each = answered.poll()) {
                        each.beginToWrite();
                    }
                    endOldOnes();
                } catch (IOException | RuntimeException failure) {
                    if (selector.isOpen()) {
                        log.warn("the port for health failed: {}", failure.toString());
                    }
                }
            }
            open.forEach(Connection::end);
        }

        private void step(SelectionKey key) {
            if (key.isValid() && key.attachment() instanceof Connection connection) {
                connection.step();
            } else if (key.isValid()) {
                accept();
            }
        }

        private void accept() {
            try {
                SocketChannel client = port.accept();
                if (client != null) {
                    if (open.size() >= MOST) {
                        open.getFirst().end();
                    }
                    client.configureBlocking(false);
                    open.add(new Connection(client));
                }
            } catch (IOException failure) {
                log.debug("a connection could not be taken", failure);
            }
        }

        private Duration untilNextEnd() {
            Connection oldest = open.peekFirst();
            return oldest == null ? LONGEST : LONGEST.minus(oldest.age());
        }

        private void endOldOnes() {
            while (!open.isEmpty() && open.getFirst().age().compareTo(LONGEST) >= 0) {
                open.getFirst().end();
            }
        }

        private static void quietly(Closeable closing) {
            try {
                closing.close();
            } catch (IOException gone) {
                log.debug("did not close", gone);
            }
        }

        /** One connection, with one request. All but {@link #prepare} is called by the loop. */
        private final class Connection {

            private final SocketChannel client;
            private final SelectionKey key;
            private final long since = environment.ticker().nanos();
            private final ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES);
            private volatile ByteBuffer answer = ByteBuffer.allocate(0);

            Connection(SocketChannel client) throws IOException {
                this.client = client;
                this.key = client.register(selector, SelectionKey.OP_READ, this);
            }

            Duration age() {
                return Duration.ofNanos(environment.ticker().nanos() - since);
            }

            void step() {
                try {
                    if (key.isReadable()) {
                        read();
                    } else if (key.isWritable()) {
                        write();
                    }
                } catch (IOException gone) {
                    end();
                }
            }

            private void read() throws IOException {
                int read = client.read(request);
                String head = new String(request.array(), 0, request.position(), StandardCharsets.ISO_8859_1);
                if (head.contains(HEAD_END)) {
                    key.interestOps(0);
                    begin(head.substring(0, head.indexOf('\r')).split(" ", -1));
                } else if (read < 0 || !request.hasRemaining()) {
                    end();
                }
            }

            private void begin(String... line) {
                if (line.length != 3 || !line[2].startsWith("HTTP/1.")) {
                    end();
                    return;
                }
                String method = line[0];
                String path = line[1].replaceFirst("\\?.*", "");
                Supplier<Answer> slow = asked.get(path);
                if (!method.equals("GET") && !method.equals("HEAD")) {
                    prepare(method, NOT_ALLOWED);
                    return;
                }
                if (slow == null) {
                    prepare(method, known.getOrDefault(path, NOTHING));
                    return;
                }
                try {
                    answering.execute(() -> prepare(method, slow.get()));
                } catch (RejectedExecutionException closing) {
                    end();
                }
            }

            private void prepare(String method, Answer said) {
                byte[] body = said.text().getBytes(StandardCharsets.UTF_8);
                byte[] head = ("HTTP/1.1 " + said.status() + " \r\nContent-Type: " + said.type()
                                + "\r\nContent-Length: " + body.length + "\r\nConnection: close" + HEAD_END)
                        .getBytes(StandardCharsets.ISO_8859_1);
                boolean whole = !method.equals("HEAD");
                ByteBuffer bytes = ByteBuffer.allocate(head.length + (whole ? body.length : 0))
                        .put(head);
                answer = (whole ? bytes.put(body) : bytes).flip();
                answered.add(this);
                selector.wakeup();
            }

            void beginToWrite() {
                if (key.isValid()) {
                    key.interestOps(SelectionKey.OP_WRITE);
                }
            }

            private void write() throws IOException {
                client.write(answer);
                if (!answer.hasRemaining()) {
                    client.shutdownOutput();
                    end();
                }
            }

            void end() {
                open.remove(this);
                key.cancel();
                quietly(client);
            }
        }
    }

    /**
     * Whether a worker can take work: it is not stopping, and its store or server answers. A store that hangs is asked once, however many
     * requests wait. Safe for use by many threads.
     */
    static final class Readiness {

        private static final Duration PATIENCE = Duration.ofSeconds(2);

        private final Environment environment;
        private @Nullable Runnable question;
        private @Nullable CompletableFuture<Optional<String>> asked;

        Readiness(Environment environment) {
            this.environment = environment;
        }

        /** From now on it is ready if this question is answered without an exception; never with {@code null}. */
        synchronized void by(@Nullable Runnable question) {
            this.question = question;
        }

        /** Why it is not ready; empty if it is. */
        Optional<String> obstacle() {
            CompletableFuture<Optional<String>> answer;
            synchronized (this) {
                if (question == null) {
                    return Optional.of("it takes no work now");
                }
                if (asked == null || asked.isDone()) {
                    asked = ask(question);
                }
                answer = asked;
            }
            try {
                return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException unanswered) {
                return Optional.of("there was no answer within " + PATIENCE.toSeconds() + "s");
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                return Optional.of("it ends");
            }
        }

        private CompletableFuture<Optional<String>> ask(Runnable question) {
            CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
            environment
                    .threads("interlock-ready")
                    .newThread(() -> {
                        try {
                            question.run();
                            answer.complete(Optional.empty());
                        } catch (RuntimeException unanswered) {
                            answer.complete(Optional.of(String.valueOf(unanswered.getMessage())));
                        }
                    })
                    .start();
            return answer;
        }
    }
}
