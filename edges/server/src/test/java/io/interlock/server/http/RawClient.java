package io.interlock.server.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends bytes as they are: what a well-behaved client would never send. */
final class RawClient {

    private RawClient() {}

    /** Sends {@code text} and reads until the server hangs up or is silent for a while. */
    static String exchange(int port, String text, int patienceMillis) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(patienceMillis);
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            byte[] chunk = new byte[8192];
            try {
                int read = socket.getInputStream().read(chunk);
                while (read >= 0) {
                    answer.write(chunk, 0, read);
                    read = socket.getInputStream().read(chunk);
                }
            } catch (IOException silentOrGone) {
                // What came before is the answer.
                return answer.toString(StandardCharsets.ISO_8859_1);
            }
            return answer.toString(StandardCharsets.ISO_8859_1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
