package io.interlock.benchmark.peer;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One HTTP/1.1 connection that is kept, with as little work for the client as can be, because client and server share the
 * cores. Used by one thread.
 */
public final class HttpConnection implements AutoCloseable {

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;
    private final String headers;

    /** Connects to a server on this machine. */
    public HttpConnection(int port, String apiKey) throws IOException {
        this(port, apiKey, "");
    }

    /** Connects to a server on this machine; every request has these further headers, each with its end of line. */
    public HttpConnection(int port, String apiKey, String more) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(30_000);
        out = socket.getOutputStream();
        in = new BufferedInputStream(socket.getInputStream());
        headers = " HTTP/1.1\r\nhost: localhost\r\nx-api-key: " + apiKey + "\r\n" + more
                + "content-type: application/json\r\ncontent-length: ";
    }

    /** Posts, and waits for the answer. */
    public Answer post(String path, String body) throws IOException {
        return send("POST", path, body);
    }

    /** Gets. */
    public Answer get(String path) throws IOException {
        return send("GET", path, "");
    }

    private Answer send(String method, String path, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        byte[] head = (method + " " + path + headers + bytes.length + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] request = new byte[head.length + bytes.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(bytes, 0, request, head.length, bytes.length);
        out.write(request);
        return read();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private Answer read() throws IOException {
        int status = Integer.parseInt(line().split(" ", 3)[1]);
        int length = 0;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring("content-length:".length()).strip());
            } else if (lower.startsWith("transfer-encoding:")) {
                chunked = lower.contains("chunked");
            }
        }
        return new Answer(status, chunked ? chunks() : exactly(length));
    }

    private String chunks() throws IOException {
        StringBuilder body = new StringBuilder();
        int length = Integer.parseInt(line().strip(), 16);
        while (length > 0) {
            body.append(exactly(length));
            line();
            length = Integer.parseInt(line().strip(), 16);
        }
        line();
        return body.toString();
    }

    private String exactly(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the server closed the connection");
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    /**
     * An answer.
     *
     * @param status its status
     * @param body its body
     */
    public record Answer(int status, String body) {

        /** The value of a field of text or number at any place of the body. */
        public String field(String name) {
            int at = body.indexOf("\"" + name + "\":");
            if (at < 0) {
                throw new IllegalStateException("no " + name + " in answer " + status + ": " + body);
            }
            String rest = body.substring(at + name.length() + 3).strip();
            return rest.startsWith("\"")
                    ? rest.substring(1, rest.indexOf('"', 1))
                    : rest.replaceAll("(?s)[,}\\s].*$", "");
        }
    }
}
