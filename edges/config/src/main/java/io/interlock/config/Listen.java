package io.interlock.config;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the server listens.
 *
 * @param host the address or name to bind to
 * @param port the port; 0 for any free one
 * @param managementPort where health and metrics are served without a key, or {@code null} for on {@code port}
 * @param behindProxy whether somebody in front ends TLS, so that plain HTTP may leave the host
 * @param tls certificate and key, or {@code null} for plain HTTP
 * @param trustedProxies networks of proxies whose word about clients is believed
 */
public record Listen(
        String host,
        int port,
        @Nullable Integer managementPort,
        boolean behindProxy,
        @Nullable Tls tls,
        List<String> trustedProxies) {

    /** Copies the list. */
    public Listen {
        trustedProxies = List.copyOf(trustedProxies);
    }

    /** Where no proxy is trusted. */
    public Listen(String host, int port, @Nullable Integer managementPort, boolean behindProxy, @Nullable Tls tls) {
        this(host, port, managementPort, behindProxy, tls, List.of());
    }

    /**
     * Where certificate and key are.
     *
     * @param certificate a PEM file, the chain included
     * @param key a PEM file
     */
    public record Tls(String certificate, String key) {}

    /** Certificate and key, if TLS is spoken. */
    public Optional<Tls> encryption() {
        return Optional.ofNullable(tls);
    }

    /** Where health and metrics are, if on a port of their own. */
    public Optional<Integer> management() {
        return Optional.ofNullable(managementPort);
    }
}
