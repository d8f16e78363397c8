package io.interlock.example.ingestion;

import static org.awaitility.Awaitility.await;

import io.interlock.example.ingestion.site.SourceSite;
import io.interlock.time.Environment;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.awaitility.Awaitility;

/** A source, a database, and servers that ingest from the one into the other. */
final class Rig implements AutoCloseable {

    static final List<String> TABLES =
            List.of("event", "entry", "race", "result", "lap", "driver", "driver_match", "page");

    final SourceSite site;
    final Database database;
    final EventReader reader;
    final Fetch fetch;
    private final Place place;
    private final Path folder;
    private final Map<String, String> variables = new HashMap<>();
    private final List<RealServer> servers = new ArrayList<>();
    private String apiKey = "";

    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(30));
    }

    Rig(Place place, Path folder, Map<String, String> more) throws IOException, SQLException {
        this.place = place;
        this.folder = folder;
        site = SourceSite.start(0, Environment.system());
        database = Database.open(place.database());
        reader = new EventReader(database);
        fetch = new Fetch(new Source(site.address()), new StagedPages(database), Environment.system());
        variables.put("INGESTION_SOURCE", site.address().toString());
        variables.put("INGESTION_DATABASE", place.database());
        variables.put("INTERLOCK_STORE", place.store());
        variables.put("INTERLOCK_JOBS_INGEST_RETRY_BACKOFF", "200ms");
        variables.putAll(more);
    }

    Settings settings(int racesAtOnce) {
        return new Settings(site.address(), place.database(), racesAtOnce, place.store());
    }

    String store() {
        return place.store();
    }

    String database() {
        return place.database();
    }

    /** Starts one more server. */
    RealServer server() throws IOException {
        RealServer server = RealServer.start(folder, variables);
        if (apiKey.isEmpty()) {
            apiKey = server.apiKey();
        }
        servers.add(server);
        return server;
    }

    IngestionClient client(RealServer server) {
        return new IngestionClient(server.url(), apiKey);
    }

    /** Ingests an event through {@code compatible API}, to its end; the event. */
    String ingested(IngestionClient client, String source) throws Exception {
        String event = new Ingest(fetch, client).start(source, "17", "0s");
        ended(client, event);
        return event;
    }

    /** Waits until no ingestion of an event is running, and returns its state. */
    Map<String, String> ended(IngestionClient client, String event) {
        await().until(() -> "false".equals(client.state(event).get("running")));
        return state(client, event);
    }

    /** Waits until the last ingestion of an event has failed with {@code code}, and returns its state. */
    Map<String, String> failed(IngestionClient client, String event, String code) {
        await().until(() -> code.equals(state(client, event).get("error.code"))
                && "false".equals(state(client, event).get("running")));
        return state(client, event);
    }

    Map<String, String> state(IngestionClient client, String event) {
        try {
            return client.state(event);
        } catch (IOException | InterruptedException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A run as the REST interface has it, which the pages of the UI are made from. */
    Map<String, String> run(String id) throws IOException, InterruptedException {
        return rest(request("/api/v1/runs/" + id));
    }

    /** Starts a run by the REST interface. */
    Map<String, String> submit(String body) throws IOException, InterruptedException {
        return rest(request("/api/v1/runs")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(latest().url().resolve(path)).header("x-api-key", apiKey);
    }

    private static Map<String, String> rest(HttpRequest.Builder request) throws IOException, InterruptedException {
        return FlatJson.read(HttpClient.newHttpClient()
                .send(request.build(), BodyHandlers.ofString())
                .body());
    }

    /** The output and exit code of a program. */
    record Said(String text, int exitCode) {}

    /** Runs a program against the server. */
    Said program(String main, String... words) throws IOException, InterruptedException {
        ProcessBuilder builder = RealServer.java(main, words).redirectErrorStream(true);
        builder.environment().putAll(variables);
        builder.environment().put("INTERLOCK_SERVER", latest().url().toString());
        builder.environment().put("INTERLOCK_API_KEY", apiKey);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(said, process.waitFor());
    }

    private RealServer latest() {
        return servers.get(servers.size() - 1);
    }

    /** All rows of all tables without ingestion times; in PostgreSQL also the transaction that wrote each row. */
    Map<String, List<String>> dump() throws SQLException {
        Map<String, List<String>> dump = new TreeMap<>();
        boolean postgres = place.database().contains("postgresql");
        for (String table : TABLES) {
            String columns = table.equals("event") ? "id, source_event_id, track_id, name, ingest_depth" : "*";
            String writer = postgres && !table.equals("event") ? ", xmin" : "";
            dump.put(table, rows("SELECT " + columns + writer + " FROM " + table));
        }
        return dump;
    }

    /** The rows of a query, sorted. */
    List<String> rows(String sql) throws SQLException {
        return database.read(connection -> {
            try (PreparedStatement query = connection.prepareStatement(sql);
                    ResultSet rows = query.executeQuery()) {
                List<String> found = new ArrayList<>();
                while (rows.next()) {
                    StringBuilder row = new StringBuilder();
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        row.append(Objects.toString(rows.getString(i))).append('|');
                    }
                    found.add(row.toString());
                }
                return found.stream().sorted().toList();
            }
        });
    }

    @Override
    public void close() {
        servers.forEach(RealServer::close);
        site.close();
    }
}
