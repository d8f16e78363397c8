package io.interlock.config;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the server listens.
 *
 * @param host the address or name to bind to
 * @param port the port; 0 for any free one
 * @param managementPort the port of health and metrics without a key, or {@code null} for {@code port}
 * @param behindProxy whether a proxy terminates TLS, so that plain HTTP is allowed on addresses other than loopback
 * @param tls certificate and key, or {@code null} for plain HTTP
 * @param trustedProxies networks of proxies whose {@code X-Forwarded-For} is trusted
 */
public record Listen(
        String host,
        int port,
        @Nullable Integer managementPort,
        boolean behindProxy,
        @Nullable Tls tls,
        List<String> trustedProxies) {

    public Listen {
        trustedProxies = List.copyOf(trustedProxies);
    }

    /** Without trusted proxies. */
    public Listen(String host, int port, @Nullable Integer managementPort, boolean behindProxy, @Nullable Tls tls) {
        this(host, port, managementPort, behindProxy, tls, List.of());
    }

    /**
     * The files of certificate and key.
     *
     * @param certificate a PEM file with the chain
     * @param key a PEM file
     */
    public record Tls(String certificate, String key) {}

    /** Certificate and key, if TLS is used. */
    public Optional<Tls> encryption() {
        return Optional.ofNullable(tls);
    }
}
