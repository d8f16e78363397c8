package io.interlock.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands before a server, and loses the first answer, or the end of it: what was asked for has been done by then. */
final class LosingRelay implements AutoCloseable {

    private final ServerSocket listening;
    private final URI server;
    private final int lostBytes;
    private final AtomicBoolean lost = new AtomicBoolean();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Hands on all but the last {@code lostBytes} of the first answer of {@code server}. */
    LosingRelay(String server, int lostBytes) {
        this.server = URI.create(server);
        this.lostBytes = lostBytes;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        threads.execute(this::listen);
    }

    String url() {
        return "http://localhost:" + listening.getLocalPort();
    }

    private void listen() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                threads.execute(() -> relay(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void relay(Socket client) {
        try (client;
                Socket behind = new Socket(InetAddress.getLoopbackAddress(), server.getPort())) {
            threads.execute(() -> copy(client, behind));
            InputStream answers = behind.getInputStream();
            OutputStream out = client.getOutputStream();
            byte[] some = new byte[64 * 1024];
            for (int n = answers.read(some); n >= 0; n = answers.read(some)) {
                if (lost.compareAndSet(false, true)) {
                    out.write(some, 0, Math.max(0, n - lostBytes));
                    return;
                }
                out.write(some, 0, n);
            }
        } catch (IOException hungUp) {
            // Then there is no reader to hand anything on to.
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException hungUp) {
            // Then there is no reader to hand anything on to.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        threads.shutdownNow();
    }
}
