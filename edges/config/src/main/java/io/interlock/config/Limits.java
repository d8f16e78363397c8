package io.interlock.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one client may ask of the server.
 *
 * @param body the most bytes of a body
 * @param depth the most JSON levels of a body
 * @param requestsPerSecond the most requests of an API key in a second
 * @param arrival how long a request may take to arrive
 * @param idle how long a connection may be silent; longer than the longest poll
 * @param streams the most event streams of an API key at once
 * @param tenant what one tenant may have
 * @param connections the most connections
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
     * What one tenant may have, so that it leaves the others theirs.
     *
     * @param openRuns about how many runs may be open
     * @param openPayload about how many MiB of parameters they may have together
     * @param requests how many requests may be under way at a node, apart from those that wait and those that keep leases
     * @param waits how many requests may wait at a node
     * @param apiKeys how many API keys may count
     */
    public record Tenant(int openRuns, int openPayload, int requests, int waits, int apiKeys) {

        /** 100,000 runs with 1 GiB, 1,000 requests, 5,000 that wait, 1,000 keys. */
        public static final Tenant DEFAULT = new Tenant(100_000, 1_024, 1_000, 5_000, 1_000);
    }

    /**
     * How many connections there may be at once.
     *
     * @param most of all clients, or {@code null} for as many as the open files of the process allow
     * @param mostOfAnAddress of one address, or {@code null} for half of all
     */
    public record Connections(
            @Nullable Integer most, @Nullable Integer mostOfAnAddress) {

        /** As many as the process allows. */
        public static final Connections AUTOMATIC = new Connections(null, null);
    }

    /** With the usual limits of a tenant, and as many connections as the process allows. */
    public Limits(int body, int depth, int requestsPerSecond, Duration arrival, Duration idle, int streams) {
        this(body, depth, requestsPerSecond, arrival, idle, streams, Tenant.DEFAULT, Connections.AUTOMATIC);
    }

    /** 256 KiB, 20 levels, 1,000 requests a second, 30 s, 75 s, 20 streams. */
    public static final Limits DEFAULT =
            new Limits(256 * 1024, 20, 1_000, Duration.ofSeconds(30), Duration.ofSeconds(75), 20);
}
