package io.interlock.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of clients and tenants.
 *
 * @param body the maximum size of a body, in bytes
 * @param depth the maximum nesting depth of a JSON body
 * @param requestsPerSecond the maximum number of requests per second of an API key
 * @param arrival how long a request may take to arrive
 * @param idle how long a connection may be idle; longer than the longest poll
 * @param streams the maximum number of open event streams of an API key
 */
public record Limits(
        int body,
        int depth,
        int requestsPerSecond,
        Duration arrival,
        Duration idle,
        int streams,
        Tenant tenant,
        Connections connections) {

    /**
     * The limits of one tenant, which protect the other tenants.
     *
     * @param openRuns about how many runs may be open
     * @param openPayload about how many MiB of parameters they may have in total
     * @param requests how many requests may be in progress at a node, except waiting ones and those that keep leases
     * @param waits how many requests may wait at a node
     * @param apiKeys how many valid API keys it may have
     */
    public record Tenant(int openRuns, int openPayload, int requests, int waits, int apiKeys) {

        /** 100,000 runs with 1 GiB, 1,000 requests, 5,000 waiting requests, 1,000 keys. */
        public static final Tenant DEFAULT = new Tenant(100_000, 1_024, 1_000, 5_000, 1_000);
    }

    /**
     * The limits of connections.
     *
     * @param most in total, or {@code null} for a limit derived from the file limit of the process
     * @param mostOfAnAddress of one address, or {@code null} for half of all
     */
    public record Connections(
            @Nullable Integer most, @Nullable Integer mostOfAnAddress) {

        /** A limit derived from the file limit of the process. */
        public static final Connections AUTOMATIC = new Connections(null, null);
    }

    /** With the default limits of tenants and connections. */
    public Limits(int body, int depth, int requestsPerSecond, Duration arrival, Duration idle, int streams) {
        this(body, depth, requestsPerSecond, arrival, idle, streams, Tenant.DEFAULT, Connections.AUTOMATIC);
    }

    /** 256 KiB, 20 levels, 1,000 requests a second, 30 s, 75 s, 20 streams. */
    public static final Limits DEFAULT =
            new Limits(256 * 1024, 20, 1_000, Duration.ofSeconds(30), Duration.ofSeconds(75), 20);
}
