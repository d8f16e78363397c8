package io.interlock.engine.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpServer;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.engine.notify.NotifyRule.NotifyTarget;
import io.interlock.run.JobName;
import io.interlock.run.RunError;
import io.interlock.time.Environment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class DeliveryTest {

    private static final String SECRET = NotifyFixture.SECRET;
    private static final String OLD_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

    private final Notification notification = new Notification(
            "dead-letter_1",
            Notification.Kind.DEAD_LETTER,
            Instant.parse("2026-01-01T00:00:00Z"),
            LockKey.of("acme", "ledger/\"4711\""),
            new Notification.Subject(
                    new RunId(new UUID(7, 7)), new JobName("close"), 2, new FencingToken(42), "lo\nad"),
            new RunError("BROKEN", "it \u0000 broke"),
            "it broke");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it.
    Path directory;

    @Test
    void receiversOfTheStandardsOwnLibraryAccept() throws Exception {
        Map<String, List<String>> headers = new HashMap<>();
        StringBuilder body = new StringBuilder();
        NotifyTarget.Webhook target =
                new NotifyTarget.Webhook(URI.create("https://ops/hook"), signer(SECRET, OLD_SECRET));
        Delivery.Result result = deliver(target, (url, sent, bytes) -> {
            sent.forEach((name, value) -> headers.put(name, List.of(value)));
            body.append(new String(bytes, StandardCharsets.UTF_8));
            return 200;
        });
        assertThat(result).isEqualTo(new Delivery.Result.Delivered());
        HttpHeaders received = HttpHeaders.of(headers, (name, value) -> true);
        new Webhook(SECRET).verify(body.toString(), received);
        new Webhook(OLD_SECRET).verify(body.toString(), received);
        assertThatThrownBy(() -> new Webhook(SECRET).verify(body + " ", received))
                .isInstanceOf(WebhookVerificationException.class);
        assertThat(body.toString())
                .isEqualTo(
                        "{\"type\":\"dead-letter\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"data\":{\"tenant\":\"acme\","
                                + "\"key\":\"ledger/\\\"4711\\\"\",\"runId\":\"00000000-0000-0007-0000-000000000007\",\"job\":\"close\","
                                + "\"attempt\":2,\"token\":42,\"stage\":\"lo\\nad\",\"error\":{\"code\":\"BROKEN\","
                                + "\"message\":\"it \\u0000 broke\"},\"explanation\":\"it broke\"}}");
    }

    @ParameterizedTest
    @CsvSource({"301,false", "400,true", "401,true", "404,true", "408,false", "410,true", "429,false", "500,false"})
    void answersOtherThanSuccessAreFailures(int status, boolean refused) {
        assertThat(deliver(NotifyFixture.webhook("ops"), (url, headers, body) -> status))
                .isEqualTo(new Delivery.Result.Failed("it answered " + status, refused));
    }

    @Test
    void noSecretIsTold() {
        NotifyTarget.Webhook target = NotifyFixture.webhook("ops");
        Delivery.Result away = deliver(target, (url, headers, body) -> {
            throw new IOException("cannot connect to " + url);
        });
        Delivery.Result odd = deliver(target, (url, headers, body) -> {
            throw new IOException("bad path /hooks/T0pS3cret");
        });
        Delivery.Result plain = deliver(target, (url, headers, body) -> {
            throw new IOException("connection refused");
        });
        assertThat(plain).isEqualTo(new Delivery.Result.Failed("IOException: connection refused", false));
        NotifyRule rule = NotifyRule.of(Set.of(Notification.Kind.OVERDUE), target, null);
        assertThat(away + " " + odd + " " + target + " " + rule + " " + target.signer())
                .doesNotContain("T0pS3cret")
                .doesNotContain("hidden")
                .doesNotContain(SECRET.substring(6, 14));
        assertThat(new NotifyTarget.Command(List.of("notify", "--password", "T0pS3cret"), Duration.ofSeconds(1))
                        .toString())
                .isEqualTo("notify");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ftp://ops/x",
                "https://user:T0pS3cret@ops/x",
                "mailto:ops",
                "https:///x",
                "https://ops/x#T0pS3cret"
            })
    void aWrongAddressIsRefused(String url) {
        assertThatThrownBy(() -> new NotifyTarget.Webhook(URI.create(url), signer(SECRET)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("notify url")
                .satisfies(failure ->
                        assertThat(String.valueOf(failure.getMessage())).doesNotContain("T0pS3cret"));
    }

    @Test
    void rulesAreNamedAfterWhatTheySay() {
        NotifyTarget.Webhook target = NotifyFixture.webhook("ops");
        NotifyRule rule = NotifyRule.of(Set.of(Notification.Kind.OVERDUE), target, null);
        assertThat(rule.name()).startsWith("https-ops-").hasSizeLessThan(60);
        assertThat(NotifyRule.of(Set.of(Notification.Kind.OVERDUE), NotifyFixture.webhook("ops"), null)
                        .name())
                .isEqualTo(rule.name());
        assertThat(NotifyRule.of(Set.of(Notification.Kind.EVICTED), target, null)
                        .name())
                .isNotEqualTo(rule.name());
        assertThat(NotifyRule.of(Set.of(Notification.Kind.OVERDUE), target, "acme")
                        .name())
                .isNotEqualTo(rule.name());
        assertThatThrownBy(() -> NotifyRule.of(Set.of(), target, null)).isInstanceOf(InvalidSettingException.class);
        assertThat(Notification.Kind.parse("lock-state-lost")).isEqualTo(Notification.Kind.LOCK_STATE_LOST);
        assertThatThrownBy(() -> Notification.Kind.parse("fire")).hasMessageContaining("choose from dead-letter, ");
    }

    @Test
    void aCommandGetsTheNotificationOnItsInput() throws Exception {
        Path file = directory.resolve("told");
        assertThat(run("cat > '" + file + "'; echo \"$INTERLOCK_NOTIFICATION_ID $INTERLOCK_NOTIFICATION_TYPE\" >> '"
                        + file + "'"))
                .isEqualTo(new Delivery.Result.Delivered());
        assertThat(Files.readString(file))
                .startsWith("{\"type\":\"dead-letter\"")
                .endsWith("dead-letter_1 dead-letter\n");
    }

    @Test
    void aCommandDoesNotSeeSecretsOfTheServer() {
        Map<String, String> server = Map.of(
                "INTERLOCK_API_KEY", "secret",
                "INTERLOCK_STORE", "secret",
                "PGPASSWORD", "secret",
                "AWS_SECRET_ACCESS_KEY", "secret",
                "PATH", "/bin");
        assertThat(Delivery.ByCommand.variables(notification, server))
                .containsEntry("PATH", "/bin")
                .containsEntry("INTERLOCK_NOTIFICATION_TYPE", "dead-letter")
                .doesNotContainValue("secret");
    }

    @Test
    void aCommandThatFailsIsAFailure() {
        assertThat(run("exit 3")).isEqualTo(new Delivery.Result.Failed("it ended with exit code 3", false));
        assertThat(run("head -c 1000000 /dev/zero")).as("much output").isEqualTo(new Delivery.Result.Delivered());
        assertThat(new Delivery.ByCommand(
                                new NotifyTarget.Command(List.of("/does/not/exist"), Duration.ofSeconds(5)),
                                Environment.system())
                        .deliver(notification))
                .isInstanceOfSatisfying(
                        Delivery.Result.Failed.class,
                        failed -> assertThat(failed.why()).contains("could not be started"));
    }

    @Test
    void aCommandThatTakesTooLongIsKilledWithItsChildren() throws Exception {
        Path pid = directory.resolve("pid");
        Delivery.Result result = new Delivery.ByCommand(
                        new NotifyTarget.Command(
                                List.of("sh", "-c", "sleep 600 & echo $! > '" + pid + "'; wait"),
                                Duration.ofSeconds(2)),
                        Environment.system())
                .deliver(notification);
        assertThat(result).isEqualTo(new Delivery.Result.Failed("it took longer than 2s and was killed", false));
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
                .ifPresent(child -> child.onExit().join());
    }

    @Test
    void goesOverTheNetworkOnlyWhereItMay() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        List<String> bodies = new CopyOnWriteArrayList<>();
        Webhook standard = new Webhook(SECRET);
        server.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            try {
                standard.verify(body, HttpHeaders.of(lowerCased(exchange.getRequestHeaders()), (name, value) -> true));
                bodies.add(body);
                exchange.sendResponseHeaders(204, -1);
            } catch (WebhookVerificationException forged) {
                exchange.sendResponseHeaders(401, -1);
            }
            exchange.close();
        });
        server.start();
        String host = server.getAddress().getAddress().getHostAddress();
        NotifyTarget.Webhook target = new NotifyTarget.Webhook(
                URI.create("http://" + host + ":" + server.getAddress().getPort() + "/hook"), signer(SECRET));
        HttpRules nowhereNear = HttpRules.hosts(List.of(host));
        try (PinnedHttp open = new PinnedHttp(nowhereNear.networks(List.of(host + "/32")), Environment.system());
                PinnedHttp closed = new PinnedHttp(nowhereNear, Environment.system())) {
            assertThat(deliver(target, Notifier.PostSender.over(open))).isEqualTo(new Delivery.Result.Delivered());
            assertThat(deliver(
                            new NotifyTarget.Webhook(target.url(), signer(OLD_SECRET)), Notifier.PostSender.over(open)))
                    .isEqualTo(new Delivery.Result.Failed("it answered 401", true));
            assertThat(deliver(target, Notifier.PostSender.over(closed)))
                    .isInstanceOfSatisfying(
                            Delivery.Result.Failed.class,
                            failed -> assertThat(failed.why())
                                    .contains("ForbiddenAddressException")
                                    .contains("add its network to private-networks"));
        } finally {
            server.stop(0);
        }
        assertThat(bodies).hasSize(1);
    }

    @Test
    void slackGetsAMessageWithTextAndBlocks() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        List<String> bodies = new CopyOnWriteArrayList<>();
        server.createContext("/", exchange -> {
            bodies.add(exchange.getRequestMethod() + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        String host = server.getAddress().getAddress().getHostAddress();
        NotifyTarget.Slack target = new NotifyTarget.Slack(
                URI.create("http://" + host + ":" + server.getAddress().getPort() + "/services/T0pS3cret"));
        Notification hostile = new Notification(
                notification.id(),
                notification.kind(),
                notification.at(),
                LockKey.of("acme", "ledger/<4711>"),
                notification.subject(),
                notification.error(),
                "run <!channel> & <https://evil|here>\nfailed" + "<".repeat(5000));
        try (PinnedHttp http =
                new PinnedHttp(HttpRules.hosts(List.of(host)).networks(List.of(host + "/32")), Environment.system())) {
            assertThat(new Delivery.ByWebhook(target, Notifier.PostSender.over(http)).deliver(hostile))
                    .isEqualTo(new Delivery.Result.Delivered());
        } finally {
            server.stop(0);
        }
        String escaped = "run &lt;!channel&gt; &amp; &lt;https://evil|here&gt; failed";
        assertThat(bodies).singleElement().asString().satisfies(post -> {
            assertThat(post)
                    .startsWith("POST application/json {\"text\":\"dead letter: " + escaped + "&lt;")
                    .contains("\"blocks\":[{\"type\":\"section\",\"text\":{\"type\":\"mrkdwn\",\"text\":"
                            + "\"*dead letter*\\n" + escaped + "&lt;")
                    .endsWith("&lt;…\",\"verbatim\":true}},{\"type\":\"context\",\"elements\":[{\"type\":\"mrkdwn\","
                            + "\"text\":\"acme:ledger/&lt;4711&gt; · close · run 00000000-0000-0007-0000-000000000007,"
                            + " attempt 2 · 2026-01-01T00:00:00.000Z\",\"verbatim\":true}]}]}")
                    .doesNotContain("<");
            String section = post.substring(post.indexOf("*dead letter*"), post.indexOf("\",\"verbatim\""));
            assertThat(section).as("Slack's limit").hasSizeBetween(2800, 3000);
        });
        assertThat(target.toString()).doesNotContain("T0pS3cret");
    }

    private static Map<String, List<String>> lowerCased(Map<String, List<String>> headers) {
        Map<String, List<String>> lower = new HashMap<>();
        headers.forEach((name, values) -> lower.put(name.toLowerCase(Locale.ROOT), values));
        return lower;
    }

    private static WebhookSigner signer(String... secrets) {
        return new WebhookSigner(List.of(secrets), Environment.system().clock());
    }

    private Delivery.Result deliver(NotifyTarget.Webhook target, Notifier.PostSender poster) {
        return new Delivery.ByWebhook(target, poster).deliver(notification);
    }

    private Delivery.Result run(String script) {
        return new Delivery.ByCommand(
                        new NotifyTarget.Command(List.of("sh", "-c", script), Duration.ofSeconds(20)),
                        Environment.system())
                .deliver(notification);
    }
}
