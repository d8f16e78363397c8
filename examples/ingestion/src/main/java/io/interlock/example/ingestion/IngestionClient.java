package io.interlock.example.ingestion;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

/** A client of the ingestion API of an Interlock server. Error codes are passed on unchanged. Thread-safe. */
final class IngestionClient {

    private final URI server;
    private final String apiKey;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    IngestionClient(URI server, String apiKey) {
        this.server = server;
        this.apiKey = apiKey;
    }

    /**
     * Requests the ingestion of an event.
     *
     * @param wait how long to wait for its lock, such as {@code 30s}; {@code 0s} to not wait
     * @return the event
     * @throws IngestionException with the code {@code INGESTION_IN_PROGRESS} if it is being ingested
     */
    String start(String source, String track, String wait) throws IOException, InterruptedException {
        String body = "{\"source_event_id\": \"" + source + "\", \"track_id\": \"" + track + "\"}";
        Map<String, String> answer = send(request("/api/v1/events/ingest?wait=" + wait)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
        return answer.getOrDefault("event_id", "");
    }

    /**
     * The state of an ingestion, with the field names of the API: {@code stage}, {@code progress.done}, {@code
     * error.code}.
     */
    Map<String, String> state(String event) throws IOException, InterruptedException {
        return send(request("/api/v1/events/" + event + "/ingestion").GET());
    }

    /** Whether a run has ended; a run between two attempts has not. */
    boolean hasEnded(String run) throws IOException, InterruptedException {
        return send(request("/api/v1/runs/" + run).GET()).containsKey("endedAt");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path))
                .timeout(Duration.ofSeconds(40))
                .header("x-api-key", apiKey);
    }

    private Map<String, String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
        Map<String, String> values = FlatJson.read(answer.body());
        if (answer.statusCode() >= 400) {
            throw new IngestionException(
                    values.getOrDefault("error.code", "HTTP_" + answer.statusCode()),
                    values.getOrDefault("error.message", answer.body()));
        }
        return values;
    }
}
