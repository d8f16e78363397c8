package io.interlock.store.redis;

import io.interlock.time.Environment;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy between client and Redis. On demand it forwards a request and closes the connection instead of returning the
 * answer, so that the client does not know the outcome.
 */
final class CuttingProxy implements AutoCloseable {

    private final ServerSocket server;
    private final int target;
    private final AtomicInteger answersToLose = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final List<Closeable> open = new ArrayList<>();

    CuttingProxy(int target) {
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        this.target = target;
        run(this::accept);
    }

    String url() {
        return "redis://127.0.0.1:" + server.getLocalPort() + "/0";
    }

    /** The next {@code count} answers are lost with their connections. */
    void loseAnswers(int count) {
        answersToLose.set(count);
    }

    int lost() {
        return lost.get();
    }

    @Override
    public synchronized void close() {
        closeQuietly(server);
        open.forEach(CuttingProxy::closeQuietly);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = server.accept();
                Socket redis = new Socket(InetAddress.getLoopbackAddress(), target);
                synchronized (this) {
                    open.add(client);
                    open.add(redis);
                }
                run(() -> pump(client, redis, false));
                run(() -> pump(redis, client, true));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[65536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                if (answers && answersToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    lost.incrementAndGet();
                    return;
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException closed) {
            // The other side is gone.
        }
    }

    private static void run(Runnable work) {
        Environment.system().threads("proxy").newThread(work).start();
    }

    private static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException ignored) {
            // It is closed.
        }
    }
}
