package io.interlock.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.live.StreamReader.Event;
import io.interlock.server.session.Sessions;
import io.interlock.server.session.Sessions.Session;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events as they happen, over a real connection. */
class StreamTest {

    private EngineRig rig;

    @BeforeEach
    void open() {
        rig = EngineRig.on("memory:");
    }

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void aRunIsToldFromItsBeginningToItsEnd() throws Exception {
        try (StreamReader reader = new StreamReader(rig, "", rig.key(Role.READ))) {
            String id = quick("told");
            Event submitted = reader.next("run.submitted");
            assertThat(submitted.data().getString("runId")).isEqualTo(id);
            assertThat(submitted.data().getString("key")).isEqualTo("told");
            assertThat(submitted.data().containsKey("actor"))
                    .as("who did it is for the audit log")
                    .isFalse();
            reader.next("run.running");
            Event ended = reader.next("run.succeeded");
            assertThat(Long.parseLong(ended.id())).isGreaterThan(Long.parseLong(submitted.id()));
        }
    }

    @Test
    void whoeverComesBackIsToldWhatItMissed() throws Exception {
        String place;
        try (StreamReader reader = new StreamReader(rig, "?topic=runs", rig.key(Role.READ))) {
            quick("before");
            place = reader.next("run.succeeded").id();
        }
        String missed = quick("missed");
        rig.get("/runs/" + missed, rig.key(Role.READ), "Prefer", "wait=20").is(200);
        try (StreamReader reader = new StreamReader(rig, "?topic=runs", rig.key(Role.READ), "Last-Event-ID", place)) {
            List<String> told = new ArrayList<>();
            Event event = reader.next(any -> !any.data().isEmpty());
            while (!event.type().equals("run.succeeded")) {
                told.add(event.data().getString("key"));
                event = reader.next(any -> !any.data().isEmpty());
            }
            assertThat(event.data().getString("runId")).isEqualTo(missed);
            assertThat(told).containsOnly("missed");
        }
    }

    @Test
    void manyReadersFromOldPlacesDoNotSilenceOthers() throws Exception {
        for (int i = 0; i < 300; i++) {
            rig.post("/runs", Role.TRIGGER, "{\"key\": \"old/" + i + "\", \"job\": \"remote\"}")
                    .is(201);
        }
        List<StreamReader> behind = new ArrayList<>();
        try (StreamReader live = new StreamReader(rig, "", rig.key("other", Role.READ))) {
            for (int i = 0; i < 40; i++) {
                KeyRing.IssuedKey key = rig.issue(EngineRig.TENANT, Role.READ);
                behind.add(new StreamReader(rig, "", key.secret().text(), "Last-Event-ID", Integer.toString(i)));
            }
            rig.post("/runs", rig.key("other", Role.TRIGGER), "{\"key\": \"own\", \"job\": \"quick\"}")
                    .is(201);
            live.next("run.succeeded");
            for (StreamReader each : behind) {
                each.next(event -> "old/299".equals(event.data().getString("key")));
            }
        } finally {
            for (StreamReader each : behind) {
                each.close();
            }
        }
    }

    @Test
    void aKeyBeyondThoseThatAreComparedIsNotToldToBeFree() throws Exception {
        for (int i = 0; i < 200; i++) {
            hold("many/" + i);
        }
        try (StreamReader reader = new StreamReader(rig, "?topic=locks", rig.key(Role.READ))) {
            hold("before");
            reader.next(event -> "before".equals(event.data().getString("key")));
            // Of one look, keys that are free are told last.
            hold("also");
            List<String> states = new ArrayList<>();
            Event event = reader.next("lock.changed");
            while (!event.data().getString("key").equals("also")) {
                states.add(event.data().getString("state"));
                event = reader.next("lock.changed");
            }
            assertThat(states).doesNotContain("FREE");
        }
    }

    private void hold(String key) {
        rig.post("/locks/acquire", Role.WORKER, """
                        {"key": "%s", "leaseId": "%s", "ttl": "1m", "holder": "h"}
                        """.formatted(key, EngineRig.uuid()))
                .is(200);
    }

    @Test
    void aPlaceThatIsLostIsSaid() throws Exception {
        for (String place : List.of("nonsense", "999999999", "-4")) {
            try (StreamReader reader = new StreamReader(rig, "", rig.key(Role.READ), "Last-Event-ID", place)) {
                reader.next("reset");
                quick("after-reset");
                reader.next("run.succeeded");
            }
        }
    }

    @Test
    void nobodyIsToldOfAnotherTenant() throws Exception {
        try (StreamReader mine = new StreamReader(rig, "", rig.key(Role.READ));
                StreamReader other = new StreamReader(rig, "", rig.key("other", Role.ADMIN))) {
            quick("secret");
            mine.next("run.succeeded");
            rig.post("/runs", rig.key("other", Role.TRIGGER), "{\"key\": \"own\", \"job\": \"quick\"}")
                    .is(201);
            Event first = other.next(event -> !event.data().isEmpty());
            assertThat(first.data().getString("key")).isEqualTo("own");
            assertThat(mine.rest()).noneMatch(event -> "own".equals(event.data().getString("key")));
        }
    }

    @Test
    void stageProgressAndBareLeasesAreShownThoughNoAuditLogTellsThem() throws Exception {
        try (StreamReader reader = new StreamReader(rig, "?topic=locks", rig.key(Role.READ))) {
            reader.next(event -> true);
            Answer run = rig.post("/runs", Role.WORKER, "{\"key\": \"work\", \"execution\": \"caller\"}")
                    .is(201);
            reader.next(event -> event.type().equals("lock.changed")
                    && event.data().getString("state").equals("HELD"));
            rig.post("/runs/" + run.text("id") + "/heartbeat", Role.WORKER, """
                    {"leaseId": "%s", "token": %d, "stage": "load", "progress": {"done": 1, "total": 2}}
                    """.formatted(
                                    run.text("leaseId"), run.number("token")))
                    .is(200);
            Event stage = reader.next("lock.changed");
            assertThat(stage.data().getString("stage")).isEqualTo("load");
            rig.post("/runs/" + run.text("id") + "/finish", Role.WORKER, """
                    {"leaseId": "%s", "token": %d, "outcome": "SUCCEEDED"}
                    """.formatted(
                                    run.text("leaseId"), run.number("token")))
                    .is(200);
            reader.next(event -> event.type().equals("lock.changed")
                    && event.data().getString("state").equals("FREE"));
        }
    }

    @Test
    void whatChangesRightAfterAStreamOpensIsTold() throws Exception {
        // Another client reads already, so the next look is not at once.
        try (StreamReader other = new StreamReader(rig, "", rig.key("other", Role.READ))) {
            rig.post("/locks/acquire", rig.key("other", Role.WORKER), lease("of/another"))
                    .is(200);
            other.next("lock.changed");
            try (StreamReader reader = new StreamReader(rig, "?topic=locks", rig.key(Role.READ))) {
                rig.post("/locks/acquire", Role.WORKER, lease("at/once")).is(200);
                Event told = reader.next("lock.changed");
                assertThat(told.data().getString("key")).isEqualTo("at/once");
                assertThat(told.data().getString("state")).isEqualTo("HELD");
            }
        }
    }

    @Test
    void aNodeShowsWhatOtherNodesDo(@TempDir Path folder) throws Exception {
        String url = "sqlite:" + folder.resolve("nodes.db");
        EngineRig one = EngineRig.on((RunStore) Stores.open(url));
        EngineRig two = EngineRig.on((RunStore) Stores.open(url));
        try (StreamReader reader = new StreamReader(one, "?topic=runs", one.key(Role.READ))) {
            String id = two.post("/runs", Role.WORKER, "{\"key\": \"elsewhere\", \"execution\": \"caller\"}")
                    .is(201)
                    .text("id");
            assertThat(reader.next("run.running").data().getString("runId")).isEqualTo(id);
        } finally {
            one.closeAll();
            two.closeAll();
        }
    }

    @Test
    void anApiKeyHasSoManyStreamsAndNoMore() throws Exception {
        List<StreamReader> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            open.add(new StreamReader(rig, "", rig.key(Role.READ)));
        }
        try (StreamReader refused = new StreamReader(rig, "", rig.key(Role.READ))) {
            assertThat(refused.status).isEqualTo(429);
            assertThat(refused.body).contains("too-many-streams");
        }
        try (StreamReader other = new StreamReader(rig, "", rig.key(Role.ADMIN))) {
            assertThat(other.status).isEqualTo(200);
        }
        open.forEach(StreamReader::close);
        await().until(() -> {
            try (StreamReader again = new StreamReader(rig, "", rig.key(Role.READ))) {
                return again.status == 200;
            }
        });
    }

    @Test
    void aQuietStreamIsKeptAliveAndItsPlaceMovesOn() throws Exception {
        try (StreamReader reader = new StreamReader(rig, "?topic=runs", rig.key(Role.READ))) {
            String place = reader.next(event -> true).id();
            rig.post("/runs", rig.key("other", Role.TRIGGER), "{\"key\": \"elsewhere\", \"job\": \"quick\"}")
                    .is(201);
            rig.pass(Duration.ofSeconds(16));
            Event alive = reader.next(event -> !event.id().equals(place));
            assertThat(alive.data().isEmpty())
                    .as("nothing of another tenant, not even that there was something")
                    .isTrue();
        }
    }

    @Test
    void aReaderThatDoesNotReadHoldsUpNobodyIsToldThatItMissedSomethingAndIsCutOff() throws Exception {
        try (Socket silent = silentReader();
                Socket slow = silentReader();
                StreamReader locks = new StreamReader(rig, "?topic=locks", rig.key(Role.READ));
                StreamReader reader = new StreamReader(rig, "?topic=runs", rig.key(Role.READ))) {
            await().until(() -> rig.activeRequests() >= 4);
            LockKey key = LockKey.of(EngineRig.TENANT, "large");
            for (int i = 0; i < 10_000; i++) {
                rig.engine.setResource(key, "kind", i + "x".repeat(450), i, "test", "many");
            }
            reader.next(event -> event.data().getString("after", "").startsWith("9999x"));
            rig.get("/jobs", Role.READ).is(200);
            rig.post("/locks/acquire", Role.WORKER, lease("unseen")).is(200);
            locks.next("lock.changed");
            rig.engine.setResource(key, "kind", "the-last", 10_000, "test", "many");
            Scanner late = new Scanner(slow.getInputStream(), StandardCharsets.UTF_8);
            assertThat(late.findWithinHorizon("event: reset|the-last", 0))
                    .as("a client that reads again learns that something is missing")
                    .isEqualTo("event: reset");
            assertThat(silent.isConnected()).isTrue();
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                rig.pass(Duration.ofSeconds(5));
                return rig.activeRequests() < 4;
            });
        }
    }

    /** A client that asks for a stream and does not read it. */
    private Socket silentReader() throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(1024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), rig.server.port()));
        socket.getOutputStream()
                .write(("GET /api/v1/stream HTTP/1.1\r\nHost: x\r\nx-api-key: " + rig.key(Role.READ) + "\r\n\r\n")
                        .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    @Test
    void aStreamEndsWithItsSessionAndWithItsKey() throws Exception {
        KeyRing.IssuedKey key = rig.issue(EngineRig.TENANT, Role.READ);
        Session session = rig.sessions
                .open(rig.issue(EngineRig.TENANT, Role.READ).kept().id(), null)
                .toCompletableFuture()
                .join();
        try (StreamReader ofSession =
                        new StreamReader(rig, "", null, "Cookie", Sessions.cookie(false) + "=" + session.id());
                StreamReader ofKey = new StreamReader(rig, "", key.secret().text());
                StreamReader other = new StreamReader(rig, "", rig.key(Role.READ))) {
            rig.sessions.close(session.id()).toCompletableFuture().join();
            rig.ring
                    .revoke(EngineRig.TENANT, key.secret().id(), "test", "lost")
                    .toCompletableFuture()
                    .join();
            rig.pass(Duration.ofSeconds(5));
            await().until(() -> ofSession.hasEnded() && ofKey.hasEnded());
            quick("goes/on");
            other.next("run.succeeded");
        }
    }

    @Test
    void aServerThatStopsEndsItsStreams() throws Exception {
        EngineRig other = EngineRig.on("memory:");
        try (StreamReader reader = new StreamReader(other, "", other.key(Role.READ))) {
            reader.next(event -> true);
            other.closeAll();
            await().until(reader::hasEnded);
        }
    }

    private static String lease(String key) {
        return "{\"key\": \"" + key + "\", \"leaseId\": \"" + UUID.randomUUID()
                + "\", \"ttl\": \"5m\", \"holder\": \"ci\"}";
    }

    private String quick(String key) {
        return rig.post("/runs", Role.TRIGGER, "{\"key\": \"" + key + "\", \"job\": \"quick\"}")
                .is(201)
                .text("id");
    }
}
