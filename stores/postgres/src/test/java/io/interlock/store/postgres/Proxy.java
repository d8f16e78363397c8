package io.interlock.store.postgres;

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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/** A network between a store and its server that can lose an answer, or go silent. */
final class Proxy implements AutoCloseable {

    /** The last message of a transaction that a step has begun itself. */
    static final String COMMIT = "COMMIT\0";

    private static final Pattern STEP = Pattern.compile("_(lease|run|open_run|audit|pause) ");

    private final int target;
    private final ServerSocket door;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<String> cutMarker = new AtomicReference<>("");
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger roundTrips = new AtomicInteger();
    private volatile Runnable whenCut = () -> {};
    private volatile boolean silent;

    Proxy(int target) {
        this.target = target;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        spawn(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** The next request that contains {@code marker} reaches the server; its answer is lost with the connection. */
    void cutAnswerTo(String marker, Runnable whenCut) {
        this.whenCut = whenCut;
        cutMarker.set(marker);
    }

    int cuts() {
        return cuts.get();
    }

    /** How often a client spoke after the server had, on connections that have asked for a step; pools open others. */
    int roundTrips() {
        return roundTrips.get();
    }

    /** Nothing passes any more in either direction, and nobody is told; or all passes again. */
    void silence(boolean on) {
        silent = on;
    }

    /** The connections on which {@code marker} was said so far are silent for ever. */
    void silenceConnectionsThatSaid(String marker) {
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
                // The door is closed, or the server is down: the client sees a connection that ends.
            }
        }
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        private final StringBuilder said = new StringBuilder();
        private volatile boolean cutting;
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
                String marker = cutMarker.get();
                if (marker != null
                        && !marker.isEmpty()
                        && text.contains(marker)
                        && cutMarker.compareAndSet(marker, "")) {
                    cutting = true;
                }
                return true;
            });
        }

        void answers() {
            pump(server, client, text -> {
                answered = true;
                if (cutting) {
                    cuts.incrementAndGet();
                    whenCut.run();
                    return false;
                }
                return true;
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
                // Either side is gone; closing both tells the other.
            }
        }
    }

    private interface Passing {
        boolean mayPass(String text);
    }

    private static void spawn(Runnable work) {
        Thread thread = new Thread(work, "test-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception ended) {
            // It is gone, which is what was wanted.
        }
    }
}
