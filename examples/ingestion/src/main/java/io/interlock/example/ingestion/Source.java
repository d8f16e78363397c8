package io.interlock.example.ingestion;

import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.TransientFailureException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The site of the events. It sends each request once; the caller decides about retries and what to release meanwhile.
 * Thread-safe.
 */
final class Source {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final URI address;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    Source(URI address) {
        this.address = address;
    }

    /** The current page at {@code path}; {@code known} itself if it has not changed (304). */
    Page current(String path, @Nullable Page known) throws InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(address.resolve(path)).timeout(PATIENCE);
        if (known != null) {
            request.header("If-None-Match", known.version());
        }
        HttpResponse<String> answer = answer(path, request.build());
        if (answer.statusCode() == 304 && known != null) {
            return known;
        }
        if (answer.statusCode() == 404) {
            throw new PermanentFailureException("PAGE_MISSING", path + " was not found (404); is the id right?");
        }
        if (answer.statusCode() != 200) {
            throw new TransientFailureException("SOURCE_FAILED", path + " answered " + answer.statusCode());
        }
        return new Page(path, answer.headers().firstValue("ETag").orElse(""), answer.body());
    }

    private HttpResponse<String> answer(String path, HttpRequest request) throws InterruptedException {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException broken) {
            throw new TransientFailureException("SOURCE_FAILED", path + ": " + broken.getMessage(), null, broken);
        }
    }
}
