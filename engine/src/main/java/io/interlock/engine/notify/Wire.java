package io.interlock.engine.notify;

import java.io.IOException;
import java.net.URI;
import java.util.Map;

/** Sends a POST. The implementation decides which addresses may be reached, follows no redirects, and takes its time only so long. */
@FunctionalInterface
public interface Wire {

    /**
     * Sends a POST and waits for its answer, whose body is thrown away.
     *
     * @return the status
     * @throws IOException if there was no answer in time, or the address may not be reached
     */
    int post(URI url, Map<String, String> headers, byte[] body) throws IOException, InterruptedException;
}
