package io.interlock.engine.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A server that sends bytes no honest one would. Takes one connection. */
public final class RawServer implements AutoCloseable {

    public interface Script {
        void run(OutputStream out) throws IOException;
    }

    private final ServerSocket socket;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);

    /** Whether the other side has hung up, or the script has ended. */
    public final CountDownLatch hungUp = new CountDownLatch(1);

    public final CountDownLatch connected = new CountDownLatch(1);

    /** Whether a whole request has come. */
    public final CountDownLatch asked = new CountDownLatch(1);

    private RawServer(Script script) throws IOException {
        socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        threads.execute(() -> serve(script));
    }

    /** Sends this text, and hangs up. */
    public static RawServer sending(String text) throws IOException {
        return new RawServer(out -> out.write(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    public static RawServer doing(Script script) throws IOException {
        return new RawServer(script);
    }

    /** Sends {@code text}, and then one byte every now and then, for ever. */
    public static RawServer dripping(String text) throws IOException {
        return new RawServer(out -> {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            ScheduledExecutorService drops = Executors.newScheduledThreadPool(1);
            try {
                drops.scheduleAtFixedRate(() -> drip(out), 0, 20, TimeUnit.MILLISECONDS)
                        .get();
            } catch (InterruptedException | ExecutionException over) {
                throw new IOException(over);
            } finally {
                drops.shutdownNow();
            }
        });
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/");
    }

    @Override
    public void close() throws IOException {
        socket.close();
        threads.shutdownNow();
    }

    private void serve(Script script) {
        try (Socket connection = socket.accept()) {
            connected.countDown();
            readHead(connection.getInputStream());
            asked.countDown();
            script.run(connection.getOutputStream());
        } catch (IOException over) {
            // The client has hung up.
        } finally {
            hungUp.countDown();
        }
    }

    private static void readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("hung up before the request was complete");
            }
            head.append((char) next);
        }
        String text = head.toString();
        int length = Integer.parseInt(text.replaceAll("(?s).*Content-Length: (\\d+).*", "$1"));
        in.readNBytes(length);
    }

    private static void drip(OutputStream out) {
        try {
            out.write('x');
        } catch (IOException hungUp) {
            throw new IllegalStateException(hungUp);
        }
    }
}
