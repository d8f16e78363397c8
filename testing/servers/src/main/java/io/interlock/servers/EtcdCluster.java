package io.interlock.servers;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A cluster of etcd on loopback, with its data in memory if possible, whose members can be killed and restarted. */
public final class EtcdCluster implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final int LOOKS = 1200;
    private static final Pattern LEADER = Pattern.compile("\"leader\":\"(\\d+)\"");
    private static final Pattern MEMBER = Pattern.compile("\"member_id\":\"(\\d+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final List<Member> members = new ArrayList<>();

    private final @Nullable Tls tls;

    /**
     * Files for connections with TLS.
     *
     * @param ca the certificate that must have signed those of clients
     * @param cert the certificate of the members
     * @param key its key
     */
    public record Tls(Path ca, Path cert, Path key) {}

    private EtcdCluster(int size, @Nullable Tls tls) {
        this.tls = tls;
        for (int i = 0; i < size; i++) {
            members.add(new Member("m" + i));
        }
    }

    /** Whether etcd is installed; Debian's package is {@code etcd-server}. */
    public static boolean isAvailable() {
        return Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "etcd")));
    }

    /** Starts a cluster of {@code size} members. */
    public static EtcdCluster start(int size) {
        EtcdCluster cluster = new EtcdCluster(size, null);
        cluster.start();
        return cluster;
    }

    /** Starts a cluster of one member that asks the clients of its {@link #url()} for certificates. */
    public static EtcdCluster start(Tls tls) {
        EtcdCluster cluster = new EtcdCluster(1, tls);
        cluster.start();
        return cluster;
    }

    /** The URL of the store in this cluster. */
    public String url() {
        return tls == null
                ? "etcd://" + members.stream().map(Member::address).collect(Collectors.joining(","))
                : "etcds://127.0.0.1:" + members.get(0).tlsPort;
    }

    /** The addresses of all members, for drivers. */
    public List<String> endpoints() {
        return members.stream().map(member -> "http://" + member.address()).toList();
    }

    /** Starts all members, on the same ports and data, and waits until they have a leader. */
    public void start() {
        members.forEach(Member::start);
        for (int i = 0; leader().isEmpty(); i++) {
            if (i == LOOKS || members.get(0).endsWithin(PAUSE)) {
                throw new IllegalStateException("the cluster has no leader; see the logs in " + members.get(0).dir);
            }
        }
    }

    /** Kills all members, without warning. */
    public void kill() {
        members.forEach(Member::kill);
    }

    /** Deletes the data of all members. */
    public void deleteData() {
        members.forEach(Member::deleteData);
    }

    /** The member that leads and can write, if there is one. */
    public Optional<Member> leader() {
        return members.stream().filter(Member::leads).findFirst();
    }

    @Override
    public void close() {
        kill();
        deleteData();
    }

    /** One process of the cluster. */
    public final class Member {

        private final String name;
        private final int clientPort = LoopbackPort.free();
        private final int peerPort = LoopbackPort.free();
        private final int tlsPort = LoopbackPort.free();
        private final Path dir;
        private @Nullable Process process;

        private Member(String name) {
            this.name = name;
            try {
                this.dir = TestFolders.inMemory("interlock-etcd");
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        private String address() {
            return "127.0.0.1:" + clientPort;
        }

        /** Starts this member. */
        public synchronized void start() {
            String cluster = members.stream()
                    .map(member -> member.name + "=http://127.0.0.1:" + member.peerPort)
                    .collect(Collectors.joining(","));
            List<String> command = new ArrayList<>(List.of(
                    "etcd",
                    "--name=" + name,
                    "--data-dir=" + dir.resolve("data"),
                    "--listen-client-urls=http://" + address() + (tls == null ? "" : ",https://127.0.0.1:" + tlsPort),
                    "--advertise-client-urls=http://" + address(),
                    "--listen-peer-urls=http://127.0.0.1:" + peerPort,
                    "--initial-advertise-peer-urls=http://127.0.0.1:" + peerPort,
                    "--initial-cluster=" + cluster,
                    "--initial-cluster-state=new",
                    "--log-level=error"));
            if (tls != null) {
                command.addAll(List.of(
                        "--client-cert-auth",
                        "--trusted-ca-file=" + tls.ca(),
                        "--cert-file=" + tls.cert(),
                        "--key-file=" + tls.key()));
            }
            try {
                process = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(
                                dir.resolve("log").toFile()))
                        .start();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        /** Kills this member, without warning. */
        public synchronized void kill() {
            if (process != null) {
                process.destroyForcibly();
                process.onExit().join();
            }
        }

        private boolean endsWithin(Duration time) {
            try {
                return requireNonNull(process).waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(stop);
            }
        }

        private boolean leads() {
            String status = post("/v3/maintenance/status", "{}");
            Matcher leader = LEADER.matcher(status);
            Matcher member = MEMBER.matcher(status);
            return leader.find()
                    && member.find()
                    && leader.group(1).equals(member.group(1))
                    // A linearizable read needs a majority.
                    && post("/v3/kv/range", "{\"key\":\"AA==\"}").contains("header");
        }

        private String post(String path, String body) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address() + path))
                    .timeout(Duration.ofSeconds(3))
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
            try {
                return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
            } catch (IOException away) {
                return "";
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(stop);
            }
        }

        private void deleteData() {
            try (Stream<Path> files = Files.walk(dir)) {
                files.sorted(Comparator.reverseOrder())
                        .filter(file -> !file.equals(dir))
                        .forEach(file -> file.toFile().delete());
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }
}
