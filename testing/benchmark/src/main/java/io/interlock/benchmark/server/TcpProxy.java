package io.interlock.benchmark.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Stands between clients and a PostgreSQL: counts round trips, and can delay each direction. */
public final class TcpProxy implements AutoCloseable {

    private static final int BUFFER = 16 * 1024;

    private final int target;
    private final long delayNanos;
    private final ServerSocket listening;
    private final LongAdder roundTrips = new LongAdder();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private TcpProxy(int target, Duration delay) throws IOException {
        this.target = target;
        this.delayNanos = delay.toNanos();
        this.listening = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    /** Counts. */
    public static TcpProxy counting(int target) throws IOException {
        return new TcpProxy(target, Duration.ZERO);
    }

    /** Adds {@code roundTrip} to each round trip, half of it on each way. */
    public static TcpProxy delaying(int target, Duration roundTrip) throws IOException {
        return new TcpProxy(target, roundTrip.dividedBy(2));
    }

    /** Where it listens. */
    public int port() {
        return listening.getLocalPort();
    }

    /** How many round trips clients have asked for so far. */
    public long roundTrips() {
        return roundTrips.sum();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            FrontendMessages messages = new FrontendMessages();
            AtomicBoolean answered = new AtomicBoolean(true);
            start(
                    "up",
                    () -> pump(client, server, (bytes, count) -> {
                        // What is sent before the server has answered, such as a BEGIN before a statement, is the same
                        // round trip.
                        if (messages.accept(bytes, count) && answered.getAndSet(false)) {
                            roundTrips.increment();
                        }
                    }));
            start("down", () -> pump(server, client, (bytes, count) -> answered.set(true)));
        }
    }

    private void pump(Socket from, Socket to, Listener listener) throws IOException {
        try (from;
                to;
                Delay delay = new Delay(to.getOutputStream())) {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[BUFFER];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                listener.retryOn(buffer, count);
                delay.write(buffer, count);
            }
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private static void start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        // One side has gone; the other was closed with it.
                    }
                },
                "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private interface Listener {
        void retryOn(byte[] bytes, int count);
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Writes what it is given, after a while, in the same order. */
    private final class Delay implements AutoCloseable {

        private final OutputStream out;
        private final LinkedBlockingQueue<Chunk> waiting = new LinkedBlockingQueue<>();

        Delay(OutputStream out) {
            this.out = out;
            if (delayNanos > 0) {
                start("delay", this::writeLate);
            }
        }

        void write(byte[] buffer, int count) throws IOException {
            if (delayNanos == 0) {
                out.write(buffer, 0, count);
                return;
            }
            byte[] copy = new byte[count];
            System.arraycopy(buffer, 0, copy, 0, count);
            waiting.add(new Chunk(System.nanoTime() + delayNanos, copy));
        }

        private void writeLate() throws IOException {
            try {
                for (Chunk next = waiting.take(); next.bytes.length > 0; next = waiting.take()) {
                    for (long left = next.due - System.nanoTime(); left > 0; left = next.due - System.nanoTime()) {
                        LockSupport.parkNanos(left);
                    }
                    out.write(next.bytes);
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            waiting.add(new Chunk(0, new byte[0]));
        }
    }

    /** Bytes on their way. */
    private static final class Chunk {
        private final long due;
        private final byte[] bytes;

        Chunk(long due, byte[] bytes) {
            this.due = due;
            this.bytes = bytes;
        }
    }
}
