package io.interlock.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.interlock.LockKey;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.engine.FaultyStore;
import io.interlock.engine.access.ApiKey;
import io.interlock.engine.access.KeyRing;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Who was refused, who signed in and out, and by which request from where something was done. */
class AccessRecordsTest {

    private static final String EVICT = "{\"key\": \"a\", \"token\": 1, \"reason\": \"stuck\"}";

    private final FaultyStore faults = new FaultyStore(new MemoryStore(Environment.system()));
    private final EngineRig rig = EngineRig.on(faults.store());

    @AfterEach
    void stop() {
        rig.close();
    }

    /** The records under a key, the newest first, once there are as many. */
    private List<AuditRecord> records(LockKey key, int count) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(
                        () -> rig.store.audit().records(new AuditQuery(null, key, null, null, null, 0, 100)).stream()
                                .filter(record -> !record.action().startsWith("key-"))
                                .toList(),
                        found -> found.size() >= count);
    }

    @Test
    void aRefusedActIsOnRecordWithKeyOperationAddressAndRequest() {
        KeyRing.IssuedKey reader = rig.issue("acme", Role.READ);
        rig.post("/locks/evict", reader.secret().text(), EVICT, "X-Request-Id", "request-403")
                .isProblem(403, "forbidden");
        AuditRecord record = records(reader.kept().logKey(), 1).get(0);
        assertThat(record.action() + " " + record.after()).isEqualTo("refused evictLease");
        assertThat(record.actor()).contains(reader.kept().id());
        assertThat(record.reason()).startsWith("forbidden: ").contains("operator", "read");
        assertThat(record.correlation()).isEqualTo("request-403");
        assertThat(record.address()).isEqualTo("127.0.0.1");
    }

    @Test
    void aRevokedKeyBelongsToItsTenantAndAnUnknownOneToTheOperator() {
        KeyRing.IssuedKey known = rig.issue("acme", Role.ADMIN);
        rig.ring
                .revoke("acme", known.kept().id(), "test", "left")
                .toCompletableFuture()
                .join();
        rig.post("/locks/evict", known.secret().text(), EVICT).isProblem(401, "unauthenticated");
        assertThat(records(known.kept().logKey(), 1)).singleElement().satisfies(record -> {
            assertThat(record.actor())
                    .startsWith("unknown")
                    .contains(known.kept().id());
            assertThat(record.reason()).startsWith("unauthenticated");
        });
        rig.get("/runs", (String) null).is(401);
        String stranger = ApiKey.draw(Environment.system().random()).text();
        rig.get("/runs", stranger).is(401);
        rig.post("/locks/evict", null, EVICT, "X-Request-Id", "keyless").is(401);
        assertThat(records(AccessKey.UNKNOWN, 2))
                .as("a look without any key is none")
                .extracting(record -> record.actor() + " " + record.after())
                .containsExactly("unknown evictLease", "unknown listRuns");
    }

    @Test
    void signInsAndSignOutsAreOnRecord() {
        KeyRing.IssuedKey key = rig.issue("acme", Role.OPERATOR);
        Answer signedIn = rig.post(
                        "/session", null, "{\"apiKey\": \"" + key.secret().text() + "\"}", "X-Request-Id", "request-in")
                .is(200);
        String cookie = signedIn.header("Set-Cookie").split(";", 2)[0];
        rig.send(rig.request("/session", null, "Cookie", cookie).DELETE().build())
                .is(204);
        assertThat(records(key.kept().logKey(), 2))
                .allSatisfy(record -> {
                    assertThat(record.actor()).contains(key.kept().id());
                    assertThat(record.address()).isEqualTo("127.0.0.1");
                })
                .extracting(AuditRecord::action)
                .containsExactly("signed-out", "signed-in");
        assertThat(records(key.kept().logKey(), 2).get(1).correlation()).isEqualTo("request-in");
        rig.post("/session", null, "{\"apiKey\": \"ilk_nonsense\"}", "X-Request-Id", "nonsense")
                .is(401);
        assertThat(records(AccessKey.UNKNOWN, 1))
                .extracting(AuditRecord::action)
                .containsExactly("sign-in-refused");
    }

    @Test
    void aFloodLeavesAFewRecordsAndTheirNumber() {
        KeyRing.IssuedKey reader = rig.issue("acme", Role.READ);
        for (int i = 0; i < 30; i++) {
            rig.post("/locks/evict", reader.secret().text(), EVICT).is(403);
        }
        assertThat(records(reader.kept().logKey(), AccessRecords.MOST_A_MINUTE)).hasSize(AccessRecords.MOST_A_MINUTE);
        assertThat(rig.meters.scrape()).contains("interlock_access_records_total{outcome=\"left_out\"} 25.0");
        assertThat(Path.of("../../docs/metrics.md")).content().contains("`interlock_access_records_total`");
        rig.pass(Duration.ofMinutes(1));
        rig.post("/locks/evict", reader.secret().text(), EVICT).is(403);
        List<AuditRecord> after = records(reader.kept().logKey(), AccessRecords.MOST_A_MINUTE + 2);
        assertThat(after.get(1).reason()).isEqualTo("25 more within a minute were left out");
        assertThat(after.get(1).address()).isEqualTo("127.0.0.1");
        assertThat(after.get(0).after()).isEqualTo("evictLease");
    }

    @Test
    void aStoreThatIsAwayKeepsNoRefusalWaiting() {
        KeyRing.IssuedKey reader = rig.issue("acme", Role.READ);
        rig.get("/runs", reader.secret().text()).is(200);
        faults.down("append");
        rig.post("/locks/evict", reader.secret().text(), EVICT).isProblem(403, "forbidden");
        Awaitility.await().until(() -> faults.calls("append") > 0);
        faults.up();
        assertThat(records(reader.kept().logKey(), 1)).hasSize(1);
    }

    @Test
    void anErrorInTheStoreEndsNoRecordingAndIsToldOnce() {
        Logger log = (Logger) LoggerFactory.getLogger("io.interlock.audit");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        try {
            KeyRing.IssuedKey reader = rig.issue("acme", Role.READ);
            faults.slowQuestions("append", () -> {
                if (faults.calls("append") == 3) {
                    faults.up();
                }
                throw new InternalError("unable to create native thread");
            });
            rig.post("/locks/evict", reader.secret().text(), EVICT).isProblem(403, "forbidden");
            assertThat(records(reader.kept().logKey(), 1)).hasSize(1);
            assertThat(lines.list)
                    .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .singleElement()
                    .asString()
                    .contains("access records", "unable to create native thread");
        } finally {
            log.detachAppender(lines);
        }
    }

    @Test
    void everyForcefulActHasItsRequestAndAddress() {
        String operator = rig.key(Role.OPERATOR);
        Answer lease = rig.post(
                        "/locks/acquire",
                        operator,
                        "{\"key\": \"forced\", \"leaseId\": \"" + EngineRig.uuid()
                                + "\", \"ttl\": \"30s\", \"holder\": \"h\"}")
                .is(200);
        String run = rig.post("/runs", operator, "{\"key\": \"stopped\", \"job\": \"remote\"}", id("submit"))
                .is(201)
                .text("id");
        rig.post(
                        "/locks/evict",
                        operator,
                        "{\"key\": \"forced\", \"token\": " + lease.number("token") + ", \"reason\": \"stuck\"}",
                        id("evict"))
                .is(200);
        rig.post("/runs/" + run + "/cancel", operator, "{\"reason\": \"over\"}", id("cancel"))
                .is(202);
        rig.post("/locks/pause", operator, "{\"key\": \"paused\", \"reason\": \"upgrade\"}", id("pause"))
                .is(200);
        rig.post("/locks/resume", operator, "{\"key\": \"paused\", \"reason\": \"done\"}", id("resume"))
                .is(200);
        JsonArray items = rig.get("/audit", operator).is(200).json().getJsonArray("items");
        assertThat(items.stream().map(JsonObject.class::cast))
                .filteredOn(item -> item.getString("actor").startsWith("key "))
                .allSatisfy(item -> assertThat(item.getString("address")).isEqualTo("127.0.0.1"))
                .extracting(item -> item.getString("action") + " " + item.getString("correlation"))
                .containsExactly(
                        "resumed for-resume",
                        "paused for-pause",
                        "run for-cancel",
                        "evicted for-evict",
                        "submitted for-submit");
    }

    private static String[] id(String act) {
        return new String[] {"X-Request-Id", "for-" + act};
    }
}
