package io.interlock.engine.http;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.time.Environment.Timers;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer. {@link #send()} is called once; {@link #cancel()} by any thread, at any time. An interrupt cancels
 * too.
 */
public final class HttpExchange {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e\\t]*");
    private static final Set<String> HTTPS_OWN =
            Set.of("host", "content-length", "transfer-encoding", "connection", "expect", "upgrade", "te", "trailer");

    private static final Map<String, String> USUAL =
            Map.of("Content-Type", "application/json", "Accept", "application/json", "User-Agent", "interlock");

    private final PinnedHttp http;
    private final URI url;
    private final String host;
    private final byte[] head;
    private final byte[] body;
    private final Duration timeout;

    // Guarded by this.
    private @Nullable SocketChannel channel;
    private boolean cancelled;
    private boolean late;

    private volatile boolean sent;

    HttpExchange(PinnedHttp http, URI url, byte[] head, byte[] body, Duration timeout) {
        this.http = http;
        this.url = url;
        this.host = HttpRules.normal(url.getHost()).replaceAll("[\\[\\]]", "");
        this.head = head;
        this.body = body;
        this.timeout = timeout;
    }

    /**
     * Sends the request, and waits for the answer.
     *
     * @throws PinnedHttp.ForbiddenAddressException if its host is somewhere requests may not go
     * @throws SocketTimeoutException if it took too long
     * @throws IOException if there was no answer, or none that can be understood
     * @throws CancellationException if it was cancelled
     */
    public HttpAnswer send() throws IOException {
        http.begin(this);
        Timers.Scheduled end = http.timers().after(timeout, () -> abandon(true));
        try {
            return exchange(http.addresses(host));
        } catch (IOException failed) {
            throw reason(failed);
        } finally {
            end.cancel();
            abandon(false);
            http.end(this);
        }
    }

    /** Whether the other side may have got the request, or a part of it. */
    public boolean isSent() {
        return sent;
    }

    /** Gives it up: the connection is closed, and {@link #send()} ends. */
    public synchronized void cancel() {
        cancelled = true;
        close();
    }

    private HttpAnswer exchange(List<InetAddress> addresses) throws IOException {
        try (SocketChannel connected = connect(addresses)) {
            Socket socket = isTls() ? secure(connected.socket()) : connected.socket();
            OutputStream out = socket.getOutputStream();
            byte[] request = new byte[head.length + body.length];
            System.arraycopy(head, 0, request, 0, head.length);
            System.arraycopy(body, 0, request, head.length, body.length);
            sent = true;
            out.write(request);
            out.flush();
            return new HttpAnswer.Reader(new BufferedInputStream(socket.getInputStream())).read();
        }
    }

    private SocketChannel connect(List<InetAddress> addresses) throws IOException {
        IOException failure = new IOException("host '" + host + "' has no address");
        for (InetAddress address : addresses) {
            SocketChannel opened = open();
            try {
                opened.connect(new InetSocketAddress(address, port()));
                return opened;
            } catch (IOException unreachable) {
                opened.close();
                failure = unreachable;
            }
        }
        throw failure;
    }

    private synchronized SocketChannel open() throws IOException {
        if (cancelled || late) {
            throw new IOException("given up before it was connected");
        }
        SocketChannel opened = SocketChannel.open();
        channel = opened;
        return opened;
    }

    private Socket secure(Socket plain) throws IOException {
        SSLSocket socket = (SSLSocket) http.tls().createSocket(plain, host, port(), true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
        if (!host.contains(":") && !host.matches("[0-9.]+")) {
            parameters.setServerNames(List.of(new SNIHostName(host)));
        }
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private boolean isTls() {
        return url.getScheme().toLowerCase(Locale.ROOT).equals("https");
    }

    private int port() {
        return url.getPort() >= 0 ? url.getPort() : isTls() ? 443 : 80;
    }

    private synchronized void abandon(boolean becauseLate) {
        late |= becauseLate;
        close();
    }

    /** Closes the channel below TLS, whose own closing may wait for the other side. */
    private void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException closed) {
                // It was to be closed, and it is.
                channel = null;
            }
        }
    }

    private synchronized IOException reason(IOException failed) {
        if (cancelled || Thread.currentThread().isInterrupted()) {
            CancellationException cancellation = new CancellationException("the request was cancelled");
            cancellation.initCause(failed);
            throw cancellation;
        }
        if (late) {
            SocketTimeoutException timedOut =
                    new SocketTimeoutException("there was no complete answer within " + DurationText.format(timeout));
            timedOut.initCause(failed);
            return timedOut;
        }
        return failed;
    }

    static byte[] head(URI url, Map<String, String> headers, int length) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(USUAL);
        all.putAll(headers);
        StringBuilder head = new StringBuilder("POST ")
                .append(target(url))
                .append(" HTTP/1.1\r\nHost: ")
                .append(url.getHost())
                .append(url.getPort() < 0 ? "" : ":" + url.getPort())
                .append("\r\nConnection: close\r\nContent-Length: ")
                .append(length)
                .append("\r\n");
        all.forEach((name, value) -> {
            requireHeader(name, value);
            head.append(name).append(": ").append(value).append("\r\n");
        });
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Refuses a header that could break out of its line, or that says how the request is sent. */
    static void requireHeader(String name, String value) {
        if (!NAME.matcher(name).matches() || HTTPS_OWN.contains(name.toLowerCase(Locale.ROOT))) {
            throw new InvalidSettingException(
                    "header",
                    name,
                    "is no name, or one that belongs to HTTP itself",
                    "choose another, or leave it out");
        }
        if (!VALUE.matcher(value).matches()) {
            // The value may be a secret, so it is not named.
            throw new InvalidSettingException(
                    "header", name, "has other characters in its value than visible ASCII", "encode them");
        }
    }

    private static String target(URI url) {
        String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
        String target = url.getRawQuery() == null ? path : path + "?" + url.getRawQuery();
        // A URI may hold letters that are not ASCII; a request may not.
        return URI.create(target).toASCIIString();
    }
}
