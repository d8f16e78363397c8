package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import io.interlock.access.Role;
import io.interlock.engine.access.ApiKey;
import io.interlock.server.EngineRig.Answer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Secrets go in at every place there is, and must come out at none: log, answers, metrics, database. */
class CanaryTest {

    private static final String FORGED = "canaryforgedsecret";

    private final Queue<String> log = new ConcurrentLinkedQueue<>();
    private final List<String> answers = new ArrayList<>();

    @Test
    void noSecretComesOutAnywhere(@TempDir Path folder) throws IOException {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        Level before = root.getLevel();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                log.add(event.getFormattedMessage() + " " + event.getKeyValuePairs() + " "
                        + (event.getThrowableProxy() == null
                                ? ""
                                : ThrowableProxyUtil.asString(event.getThrowableProxy())));
            }
        };
        appender.start();
        root.setLevel(Level.DEBUG);
        root.addAppender(appender);
        Path file = folder.resolve("canary.db");
        AwayStore store = new AwayStore((RunStore) Stores.open("sqlite:" + file));
        EngineRig rig = EngineRig.on(store.store());
        List<String> secrets = new ArrayList<>();
        String metrics;
        try {
            secrets.addAll(use(rig, store));
            metrics = rig.meters.scrape();
        } finally {
            store.away(false);
            rig.closeAll();
            root.detachAppender(appender);
            root.setLevel(before);
        }
        assertThat(log).as("the log was watched").anyMatch(line -> line.contains("answered"));
        StringBuilder kept = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : files.toList()) {
                kept.append(new String(Files.readAllBytes(each), StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(kept.toString()).as("the database was looked at").contains("canary/run");
        for (String secret : secrets) {
            assertThat(log).as("log").noneMatch(line -> line.contains(secret));
            assertThat(answers).as("answers").noneMatch(answer -> answer.contains(secret));
            assertThat(metrics).as("metrics").doesNotContain(secret);
            assertThat(kept.toString().contains(secret)).as("database").isFalse();
        }
    }

    /** Uses secrets well and badly; returns them. */
    private List<String> use(EngineRig rig, AwayStore store) {
        String admin = rig.key(Role.ADMIN);
        String secret = admin.split("_", -1)[2];
        note(rig.post("/runs", admin, "{\"key\": \"canary/run\", \"job\": \"quick\"}"));
        note(rig.get("/runs", admin));
        note(rig.get("/runs", "ilk_" + FORGED));
        note(rig.get("/runs", admin + "x"));
        note(rig.get("/runs", ApiKey.draw(rig.environment.random()).text()));
        note(rig.get("/runs?token=" + FORGED, admin));
        note(rig.get("/" + FORGED, (String) null, "Authorization", "Bearer " + admin));
        note(rig.post("/runs", admin, "{\"apiKey\": \"" + admin + "\""));
        note(rig.post("/session", (String) null, "{\"apiKey\": \"ilk_" + FORGED + "\"}"));
        note(rig.post("/session", (String) null, "{\"apiKey\": 7, \"code\": \"" + admin + "\"}"));
        Answer signedIn = rig.post("/session", (String) null, "{\"apiKey\": \"" + admin + "\"}")
                .is(200);
        String cookie = signedIn.header("Set-Cookie").split(";", 2)[0];
        note(rig.get("/runs", null, "Cookie", cookie));
        note(rig.post("/runs", null, "{}", "Cookie", cookie, "X-CSRF-Token", signedIn.text("csrfToken")));
        String code = rig.sessions.oneTimeCode(admin);
        rig.post("/session", (String) null, "{\"code\": \"" + code + "\"}").is(200);
        store.away(true);
        note(rig.get("/runs", admin));
        note(rig.post("/runs", admin, "{\"key\": \"canary/away\", \"job\": \"quick\"}"));
        store.away(false);
        return List.of(secret, cookie.substring(cookie.indexOf('=') + 1), signedIn.text("csrfToken"), code);
    }

    private void note(Answer answer) {
        answers.add(answer.response().headers() + answer.response().body());
    }
}
