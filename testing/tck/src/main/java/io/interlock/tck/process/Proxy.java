package io.interlock.tck.process;

import io.interlock.time.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A network proxy between a store and its server that can lose a request or an answer, delay an answer, or go silent.
 * It recognises requests by a regular expression over their content, so they must not be encrypted. Thread-safe.
 */
public final class Proxy implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 30;

    private static final Pattern STEP = Pattern.compile("_(lease|run|open_run|audit|pause) ");

    private final int target;
    private final ServerSocket door;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Plan> plan = new AtomicReference<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger roundTrips = new AtomicInteger();
    private volatile boolean silent;

    /** What happens to the next request that contains {@code marker}, or to its answer; returns whether it passes. */
    private record Plan(Pattern marker, boolean ofRequest, AtomicInteger skips, BooleanSupplier passes) {

        Plan(String marker, boolean ofRequest, BooleanSupplier passes) {
            this(Pattern.compile(marker), ofRequest, new AtomicInteger(), passes);
        }

        boolean isFor(String request) {
            return marker.matcher(request).find() && skips.getAndDecrement() <= 0;
        }
    }

    /** A delayed answer. */
    public static final class HeldAnswer {

        private final CountDownLatch come = new CountDownLatch(1);
        private final CountDownLatch mayGo = new CountDownLatch(1);

        /** Waits until the server has sent it. */
        public void await() throws InterruptedException {
            if (!come.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the server sent no such answer");
            }
        }

        /** Forwards it. */
        public void letGo() {
            mayGo.countDown();
        }

        private boolean pass() {
            come.countDown();
            try {
                return mayGo.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException closed) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
    }

    /** A proxy to the server on port {@code target} of this machine. */
    public Proxy(int target) {
        this.target = target;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        spawn(this::accept);
    }

    /** Its port. */
    public int port() {
        return door.getLocalPort();
    }

    /** The next request that contains {@code marker} reaches the server; its answer is lost with the connection. */
    public void cutAnswerTo(String marker, Runnable whenCut) {
        cutAnswerTo(marker, 0, whenCut);
    }

    /** The same, but the first {@code skips} of these requests pass. */
    public void cutAnswerTo(String marker, int skips, Runnable whenCut) {
        plan.set(new Plan(Pattern.compile(marker), false, new AtomicInteger(skips), () -> cut(whenCut)));
    }

    /** The next request that contains {@code marker} is lost with its connection. */
    public void cutRequestWith(String marker, Runnable whenCut) {
        plan.set(new Plan(marker, true, () -> cut(whenCut)));
    }

    private boolean cut(Runnable whenCut) {
        whenCut.run();
        cuts.incrementAndGet();
        return false;
    }

    /** The answer to the next request that contains {@code marker} is delayed. */
    public HeldAnswer holdAnswerTo(String marker) {
        HeldAnswer held = new HeldAnswer();
        plan.set(new Plan(marker, false, held::pass));
        return held;
    }

    /** How many requests and answers were lost. */
    public int cuts() {
        return cuts.get();
    }

    /** The number of round trips on connections used by steps; pools open others. */
    public int roundTrips() {
        return roundTrips.get();
    }

    /** Stops all traffic in both directions without closing connections, or resumes it. */
    public void silence(boolean on) {
        silent = on;
    }

    /** Connections that carried {@code marker} so far become silent for ever. */
    public void silenceConnectionsThatSaid(String marker) {
        links.forEach(link -> link.silenceIfSaid(marker));
    }

    @Override
    public void close() {
        closeQuietly(door);
        open.forEach(Proxy::closeQuietly);
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target));
                links.add(link);
                open.add(link.client);
                open.add(link.server);
                spawn(link::requests);
                spawn(link::answers);
            } catch (IOException closed) {
                // The proxy is closed, or the server is down: the client sees a closed connection.
            }
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        private final StringBuilder said = new StringBuilder();
        private final AtomicReference<@Nullable Plan> begun = new AtomicReference<>();
        private volatile boolean answered = true;
        private volatile boolean mute;
        private boolean stepping;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void requests() {
            pump(client, server, text -> {
                synchronized (said) {
                    said.append(text);
                    stepping = stepping || STEP.matcher(said).find();
                }
                if (answered) {
                    answered = false;
                    roundTrips.addAndGet(stepping ? 1 : 0);
                }
                Plan next = plan.get();
                if (next == null || !next.isFor(text) || !plan.compareAndSet(next, null)) {
                    return true;
                }
                if (next.ofRequest()) {
                    return next.passes().getAsBoolean();
                }
                begun.set(next);
                return true;
            });
        }

        void answers() {
            pump(server, client, text -> {
                answered = true;
                Plan now = begun.getAndSet(null);
                return now == null || now.passes().getAsBoolean();
            });
        }

        void silenceIfSaid(String marker) {
            synchronized (said) {
                mute |= said.indexOf(marker) >= 0;
            }
        }

        private void pump(Socket from, Socket to, Passing passing) {
            byte[] buffer = new byte[65536];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    if (!passing.mayPass(new String(buffer, 0, n, StandardCharsets.ISO_8859_1))) {
                        return;
                    }
                    if (!silent && !mute) {
                        out.write(buffer, 0, n);
                        out.flush();
                    }
                }
            } catch (IOException ended) {
                // One side is gone; closing both notifies the other.
            }
        }
    }

    private interface Passing {
        boolean mayPass(String text);
    }

    private static void spawn(Runnable work) {
        Environment.system().threads("test-proxy").newThread(work).start();
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception ended) {
            // Already closed.
        }
    }
}
