package io.interlock.engine.notify;

import io.interlock.engine.http.PinnedHttp;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;

/** Sends a POST, only to where that is allowed. */
@FunctionalInterface
public interface PostSender {

    /** How long a receiver may take to answer. */
    Duration WITHIN = Duration.ofSeconds(10);

    /**
     * Sends a POST and waits for its answer.
     *
     * @return the status
     * @throws IOException if there was no answer in time
     */
    int post(URI url, Map<String, String> headers, byte[] body) throws IOException;

    /** By HTTP, under the rules of {@code http} about where requests may go. */
    static PostSender over(PinnedHttp http) {
        return (url, headers, body) ->
                http.post(url, headers, body, WITHIN).send().status();
    }
}
