package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Throughput.Step;
import io.interlock.benchmark.peer.HttpConnection;
import io.interlock.benchmark.server.ServerProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Connections to a server, one for each thread. */
final class RestClient implements AutoCloseable {

    private static final String RUNS = "/api/v1/runs";
    private static final int CREATED = 201;
    private static final int OK = 200;
    private static final int CONFLICT = 409;

    private final List<HttpConnection> connections = new ArrayList<>();

    RestClient(ServerProcess server, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            connections.add(new HttpConnection(server.port(), server.key()));
        }
    }

    /** Starts a run under {@code key} that does not end meanwhile. */
    void hold(String key) throws IOException {
        require(CREATED, connections.get(0).post(RUNS, start(key)));
    }

    /** Starts under a key that is held. */
    Step refused(String key) {
        return thread -> require(CONFLICT, connections.get(thread).post(RUNS, start(key)));
    }

    /** Starts under a free key, and says that the work is done. */
    Step startAndFinish() {
        return thread -> {
            HttpConnection connection = connections.get(thread);
            HttpConnection.Answer started = require(CREATED, connection.post(RUNS, start("key/" + thread)));
            require(
                    OK,
                    connection.post(
                            RUNS + "/" + started.field("id") + "/finish",
                            "{\"leaseId\":\"" + started.field("leaseId") + "\",\"token\":" + started.field("token")
                                    + ",\"outcome\":\"SUCCEEDED\"}"));
        };
    }

    @Override
    public void close() throws IOException {
        for (HttpConnection connection : connections) {
            connection.close();
        }
    }

    private static String start(String key) {
        return "{\"key\":\"" + key
                + "\",\"job\":\"bench\",\"execution\":\"caller\",\"onConflict\":\"REJECT\",\"lease\":\"5m\"}";
    }

    private static HttpConnection.Answer require(int status, HttpConnection.Answer answer) {
        if (answer.status() != status) {
            throw new IllegalStateException(
                    "answered " + answer.status() + " instead of " + status + ": " + answer.body());
        }
        return answer;
    }
}
