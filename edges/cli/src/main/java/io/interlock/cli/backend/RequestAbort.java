package io.interlock.cli.backend;

import java.io.IOException;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/** Ends a request that waits at a server. Safe for use by many threads. */
public final class RequestAbort {

    private @Nullable HttpURLConnection connection;
    private boolean over;

    /**
     * This connection, which is open, is the one to end.
     *
     * @throws IOException if it is too late for another request
     */
    synchronized void reaches(HttpURLConnection connection) throws IOException {
        if (over) {
            connection.disconnect();
            throw new IOException("hung up");
        }
        this.connection = connection;
    }

    /** Whoever waits for an answer gets a failure instead, and so does whoever asks later. */
    public synchronized void now() {
        over = true;
        if (connection != null) {
            connection.disconnect();
        }
    }
}
