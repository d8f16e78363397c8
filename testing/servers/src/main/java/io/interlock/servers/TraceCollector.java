package io.interlock.servers;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Receives traces by OTLP over HTTP, as a collector of OpenTelemetry does. Safe for use by many threads. */
public final class TraceCollector implements AutoCloseable {

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    private TraceCollector(HttpServer server) {
        this.server = server;
        server.createContext("/v1/traces", exchange -> {
            received.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    /** Listens at a free port of this host. */
    public static TraceCollector start() throws IOException {
        return new TraceCollector(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    }

    /** What {@code OTEL_EXPORTER_OTLP_ENDPOINT} names. */
    public String url() {
        InetSocketAddress address = server.getAddress();
        return "http://" + address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** All that came, every byte as one character: so names can be read among the numbers of protobuf. */
    public String received() {
        return String.join("", received);
    }

    /** The id of a trace as it is in {@link #received}. */
    public static String bytesOf(String trace) {
        return new String(HexFormat.of().parseHex(trace), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
