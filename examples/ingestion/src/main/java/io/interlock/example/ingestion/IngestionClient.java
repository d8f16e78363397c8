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

/** Knocks at the ingestion compatible API of an Interlock server. Codes of errors arrive as they were sent. Safe for use by many threads. */
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
     * Asks for the lock of an event, for its ingestion.
     *
     * @param wait how long to wait for it, as {@code 30s}; {@code 0s} for not at all
     * @return which event it is
     * @throws IngestionException saying who has it, with the code {@code INGESTION_IN_PROGRESS}
     */
    String start(String source, String track, String wait) throws IOException, InterruptedException {
        String body = "{\"source_event_id\": \"" + source + "\", \"track_id\": \"" + track + "\"}";
        Map<String, String> answer = send(request("/api/v1/events/ingest?wait=" + wait)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
        return answer.getOrDefault("event_id", "");
    }

    /** How the ingestion of an event stands, by the names of the compatible API: {@code stage}, {@code progress.done}, {@code error.code}. */
    Map<String, String> state(String event) throws IOException, InterruptedException {
        return send(request("/api/v1/events/" + event + "/ingestion").GET());
    }

    /** Whether a run has ended; one that rests between two attempts has not. */
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
