package io.interlock.cli.health;

import io.interlock.time.Environment;
import java.io.IOException;
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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET and HEAD for a few paths over HTTP/1.1, one request a connection. A connection takes no thread, may last {@link #LONGEST} and
 * no longer, and beyond {@link #MOST} of them the oldest is closed: half a request, or many of them, keep no other from being answered.
 * The JDK's own server has a thread wait for each request that has begun. Safe for use by many threads.
 */
final class HealthPort implements AutoCloseable {

    /** How many connections there are at the most. */
    static final int MOST = 256;

    /** How long a connection may last. */
    static final Duration LONGEST = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(HealthPort.class);
    private static final int REQUEST_BYTES = 8 * 1024;
    private static final int ANSWERING_THREADS = 4;
    private static final String HEAD_END = "\r\n\r\n";

    /**
     * What is said.
     *
     * @param status of HTTP
     * @param type the media type
     * @param text the body
     */
    record Answer(int status, String type, String text) {}

    private static final Answer NOTHING = new Answer(404, "text/plain", "there is nothing at this path\n");
    private static final Answer NOT_ALLOWED = new Answer(405, "text/plain", "only GET and HEAD are answered here\n");

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

    /** Where it listens. */
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
        quietly(selector::close);
        quietly(port::close);
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

    private static void quietly(Closing closing) {
        try {
            closing.close();
        } catch (IOException gone) {
            log.debug("did not close", gone);
        }
    }

    /** Something that is closed. */
    @FunctionalInterface
    private interface Closing {
        void close() throws IOException;
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
            byte[] head = ("HTTP/1.1 " + said.status() + " \r\nContent-Type: " + said.type() + "\r\nContent-Length: "
                            + body.length + "\r\nConnection: close" + HEAD_END)
                    .getBytes(StandardCharsets.ISO_8859_1);
            boolean whole = !method.equals("HEAD");
            ByteBuffer bytes =
                    ByteBuffer.allocate(head.length + (whole ? body.length : 0)).put(head);
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
            quietly(client::close);
        }
    }
}
