package io.interlock.benchmark.peer;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/1.1 connection that is kept, with as little work for the client as can be, because client and server share the
 * cores: a request is one write, and its answer usually one read. It has one request under way at a time. Used by one thread; an interrupt
 * closes it.
 */
public final class HttpConnection implements AutoCloseable {

    private static final String LENGTH = "content-length:";
    private static final int STATUS = "HTTP/1.1 ".length();
    private static final int STATUS_DIGITS = 3;

    // A blocking channel: a socket with a timeout would ask the kernel three times for each answer.
    private final SocketChannel channel;
    private final String headers;
    private byte[] buffer = new byte[16 * 1024];
    private int filled;
    private int bodyAt = -1;
    private int length;
    private int status;

    /** Connects to a server on this machine. */
    public HttpConnection(int port, String apiKey) throws IOException {
        this(port, apiKey, "");
    }

    /** Connects to a server on this machine; every request has these further headers, each with its end of line. */
    public HttpConnection(int port, String apiKey, String more) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        headers = " HTTP/1.1\r\nhost: localhost\r\nx-api-key: " + apiKey + "\r\n" + more
                + "content-type: application/json\r\ncontent-length: ";
    }

    /** Posts, and waits for the answer. */
    public Answer post(String path, String body) throws IOException {
        send("POST", path, body);
        return answer();
    }

    /** Gets, and waits for the answer. */
    public Answer get(String path) throws IOException {
        send("GET", path, "");
        return answer();
    }

    /** Has {@code selector} say, of {@code owner}, when a part of an answer is there. From then on the connection does not wait any more. */
    public void register(Selector selector, Object owner) throws IOException {
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ, owner);
    }

    /** Sends a request. */
    public void send(String method, String path, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        byte[] head = (method + " " + path + headers + bytes.length + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
        byte[] request = Arrays.copyOf(head, head.length + bytes.length);
        System.arraycopy(bytes, 0, request, head.length, bytes.length);
        ByteBuffer out = ByteBuffer.wrap(request);
        while (out.hasRemaining()) {
            channel.write(out);
        }
        filled = 0;
        bodyAt = -1;
    }

    /** Reads what has come of the answer; {@code null} if that is not all. */
    public @Nullable Answer read() throws IOException {
        int before = filled;
        fill();
        if (bodyAt < 0) {
            bodyAt = headLength(before);
            if (bodyAt < 0) {
                return null;
            }
            String head = new String(buffer, 0, bodyAt, StandardCharsets.ISO_8859_1);
            status = Integer.parseInt(head, STATUS, STATUS + STATUS_DIGITS, 10);
            length = bodyLength(head);
        }
        return filled < bodyAt + length
                ? null
                : new Answer(status, new String(buffer, bodyAt, length, StandardCharsets.UTF_8));
    }

    private Answer answer() throws IOException {
        Answer answer = read();
        while (answer == null) {
            answer = read();
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void fill() throws IOException {
        if (filled == buffer.length) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        }
        int read = channel.read(ByteBuffer.wrap(buffer, filled, buffer.length - filled));
        if (read < 0) {
            throw new EOFException("the server closed the connection");
        }
        filled += read;
    }

    /** Where the body begins; -1 if the head is not there yet, which before {@code known} bytes it was not. */
    private int headLength(int known) {
        for (int i = Math.max(3, known); i < filled; i++) {
            if (buffer[i] == '\n' && buffer[i - 1] == '\r' && buffer[i - 2] == '\n') {
                return i + 1;
            }
        }
        return -1;
    }

    /** What the head says; our server says it of every answer that is no stream. */
    private static int bodyLength(String head) {
        for (int line = head.indexOf('\n') + 1; line < head.length() - 2; line = head.indexOf('\n', line) + 1) {
            if (head.regionMatches(true, line, LENGTH, 0, LENGTH.length())) {
                return Integer.parseInt(head.substring(line + LENGTH.length(), head.indexOf('\r', line))
                        .strip());
            }
        }
        return 0;
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
            int value = at + name.length() + 3;
            if (body.charAt(value) == '"') {
                return body.substring(value + 1, body.indexOf('"', value + 1));
            }
            int end = value;
            while (body.charAt(end) != ',' && body.charAt(end) != '}') {
                end++;
            }
            return body.substring(value, end);
        }
    }
}
