package io.interlock.engine.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * What came back.
 *
 * @param status the status code, 200 to 599
 * @param headers by their names in small letters; of several with one name the first
 * @param body its beginning
 * @param cut whether there was more than the beginning
 */
public record HttpAnswer(int status, Map<String, String> headers, String body, boolean cut) {

    /** How much of a body is read, in bytes. */
    public static final int MOST = 64 * 1024;

    /** Copies the headers. */
    public HttpAnswer {
        headers = Map.copyOf(headers);
    }

    static HttpAnswer of(int status, Map<String, String> headers, byte[] body) {
        int length = Math.min(MOST, body.length);
        return new HttpAnswer(status, headers, new String(body, 0, length, StandardCharsets.UTF_8), body.length > MOST);
    }

    /** Whether it is a good one. */
    public boolean isSuccess() {
        return status < 300;
    }

    /** A header, by its name in small letters. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }
}
