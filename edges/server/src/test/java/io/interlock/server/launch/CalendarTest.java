package io.interlock.server.launch;

import static io.interlock.server.launch.RealServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Schedules with a time zone and maintenance windows of a real server, as REST shows them. */
class CalendarTest {

    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");

    private static final ZoneId TOKYO = ZoneId.of("Asia/Tokyo");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it.
    Path folder;

    @Test
    void aServerShowsTheNextStartAndTheWindowThatARunWaitsFor() {
        ZonedDateTime now = ZonedDateTime.ofInstant(now(), TOKYO);
        String window = LOCAL.format(now.minusHours(1)) + " - " + LOCAL.format(now.plusHours(2)) + " Asia/Tokyo";
        try (RealServer server = RealServer.configured(folder, """
                jobs:
                  nightly: { run: { command: ["true"] }, schedule: "30 2 * * *", schedule-zone: Asia/Tokyo, no-start: ["%s"] }
                """.formatted(window))) {
            String key = server.key().orElseThrow();
            JsonObject job =
                    json(server.get("/api/v1/jobs", key)).getJsonArray("items").getJsonObject(0);
            JsonObject schedule = job.getJsonArray("schedules").getJsonObject(0);
            assertThat(schedule.getString("zone")).isEqualTo("Asia/Tokyo");
            assertThat(ZonedDateTime.ofInstant(Instant.parse(schedule.getString("nextStart")), TOKYO))
                    .satisfies(next ->
                            assertThat(next.getHour() * 60 + next.getMinute()).isEqualTo(150));

            JsonObject body = new JsonObject().put("key", "nightly").put("job", "nightly");
            JsonObject waiting =
                    json(server.post("/api/v1/runs", key, body.copy().put("onConflict", "QUEUE")));
            assertThat(waiting.getString("state")).isEqualTo("QUEUED");
            JsonObject shown = json(server.get("/api/v1/runs/" + waiting.getString("id"), key));
            assertThat(shown.getString("explanation")).contains("is in a maintenance window until ", window);
            JsonObject pause = json(server.get("/api/v1/locks?key=nightly", key))
                    .getJsonArray("items")
                    .getJsonObject(0)
                    .getJsonObject("pause");
            assertThat(pause.getString("pausedBy")).isEqualTo("maintenance window");
            assertThat(Duration.between(now(), Instant.parse(pause.getString("until"))))
                    .isBetween(Duration.ofMinutes(110), Duration.ofHours(2));
            JsonObject refused = json(server.post("/api/v1/runs", key, body));
            assertThat(refused.getString("code")).isEqualTo("key-paused");
        }
    }

    private static Instant now() {
        return Environment.system().clock().instant();
    }
}
