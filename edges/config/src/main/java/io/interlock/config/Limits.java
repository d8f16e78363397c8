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
 * @param openRuns about how many runs of a tenant may be open before new ones are refused
 * @param connections the most connections
 */
public record Limits(
        int body,
        int depth,
        int requestsPerSecond,
        Duration arrival,
        Duration idle,
        int streams,
        int openRuns,
        Connections connections) {

    private static final int OPEN_RUNS = 100_000;

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

    /** With 100,000 open runs, and as many connections as the process allows. */
    public Limits(int body, int depth, int requestsPerSecond, Duration arrival, Duration idle, int streams) {
        this(body, depth, requestsPerSecond, arrival, idle, streams, OPEN_RUNS, Connections.AUTOMATIC);
    }

    /** 256 KiB, 20 levels, 1,000 requests a second, 30 s, 75 s, 20 streams, 100,000 open runs. */
    public static final Limits DEFAULT =
            new Limits(256 * 1024, 20, 1_000, Duration.ofSeconds(30), Duration.ofSeconds(75), 20);
}
