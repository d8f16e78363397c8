package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Throughput.Step;
import io.interlock.benchmark.peer.HttpConnection;
import io.interlock.benchmark.peer.HttpConnection.Answer;
import io.interlock.benchmark.server.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections to a server, each of which asks again as soon as it has its answer. Few threads serve them all: a thread for each would
 * cost the cores, which the server shares, as much as a third of what the server does.
 */
final class RestClient implements AutoCloseable {

    /** How many threads repeat a step of this. */
    static final int THREADS = 2;

    private static final String RUNS = "/api/v1/runs";
    private static final int CREATED = 201;
    private static final int OK = 200;
    private static final int CONFLICT = 409;

    private final ServerProcess server;
    private final int count;
    private final List<Connections> opened = new ArrayList<>();

    RestClient(ServerProcess server, int count) {
        this.server = server;
        this.count = count;
    }

    /** Starts a run under {@code key} that does not end meanwhile. */
    void hold(String key) throws IOException {
        try (HttpConnection connection = new HttpConnection(server.port(), server.key())) {
            require(CREATED, connection.post(RUNS, start(key)));
        }
    }

    /** Starts under a key that is held. */
    Step refused(String key) throws IOException {
        return repeat(number -> new Conversation() {
            @Override
            public void begin(HttpConnection connection) throws IOException {
                connection.send("POST", RUNS, start(key));
            }

            @Override
            public boolean goesOn(HttpConnection connection, Answer answer) {
                require(CONFLICT, answer);
                return false;
            }
        });
    }

    /** Starts under a free key, and says that the work is done. */
    Step startAndFinish() throws IOException {
        return repeat(number -> new Conversation() {
            private boolean started;

            @Override
            public void begin(HttpConnection connection) throws IOException {
                started = false;
                connection.send("POST", RUNS, start("key/" + number));
            }

            @Override
            public boolean goesOn(HttpConnection connection, Answer answer) throws IOException {
                if (started) {
                    require(OK, answer);
                    return false;
                }
                require(CREATED, answer);
                started = true;
                connection.send(
                        "POST",
                        RUNS + "/" + answer.field("id") + "/finish",
                        "{\"leaseId\":\"" + answer.field("leaseId") + "\",\"token\":" + answer.field("token")
                                + ",\"outcome\":\"SUCCEEDED\"}");
                return true;
            }
        });
    }

    @Override
    public void close() throws IOException {
        for (Connections each : opened) {
            each.close();
        }
    }

    /** A step is one conversation that is over, on any of the connections of its thread. */
    private Step repeat(Conversations conversations) throws IOException {
        List<Connections> ofThreads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            ofThreads.add(new Connections());
        }
        opened.addAll(ofThreads);
        for (int i = 0; i < count; i++) {
            ofThreads.get(i % THREADS).add(new HttpConnection(server.port(), server.key()), conversations.of(i));
        }
        return thread -> ofThreads.get(thread).next();
    }

    private static String start(String key) {
        return "{\"key\":\"" + key
                + "\",\"job\":\"bench\",\"execution\":\"caller\",\"onConflict\":\"REJECT\",\"lease\":\"5m\"}";
    }

    private static void require(int status, Answer answer) {
        if (answer.status() != status) {
            throw new IllegalStateException(
                    "answered " + answer.status() + " instead of " + status + ": " + answer.body());
        }
    }

    /** One request after the other, until a step is done. */
    private interface Conversation {

        void begin(HttpConnection connection) throws IOException;

        /** Whether there is a further request, sent now. */
        boolean goesOn(HttpConnection connection, Answer answer) throws IOException;
    }

    private interface Conversations {

        Conversation of(int number);
    }

    /** The connections of one thread. Requests under way at the end of a measurement are answered in the next one. */
    private static final class Connections implements AutoCloseable {

        private record Busy(HttpConnection connection, Conversation conversation) {}

        private final Selector selector = Selector.open();
        private final List<Busy> all = new ArrayList<>();
        private boolean begun;
        private int over;

        Connections() throws IOException {}

        void add(HttpConnection connection, Conversation conversation) throws IOException {
            Busy busy = new Busy(connection, conversation);
            connection.register(selector, busy);
            all.add(busy);
        }

        /** Waits until one more conversation is over. */
        void next() throws IOException {
            if (!begun) {
                begun = true;
                for (Busy busy : all) {
                    busy.conversation().begin(busy.connection());
                }
            }
            while (over == 0) {
                selector.select(this::read);
            }
            over--;
        }

        private void read(SelectionKey ready) {
            Busy busy = (Busy) ready.attachment();
            try {
                Answer answer = busy.connection().read();
                if (answer != null && !busy.conversation().goesOn(busy.connection(), answer)) {
                    over++;
                    busy.conversation().begin(busy.connection());
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        @Override
        public void close() throws IOException {
            for (Busy busy : all) {
                busy.connection().close();
            }
            selector.close();
        }
    }
}
