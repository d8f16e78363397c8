package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.interlock.run.Run;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The picture of a busy key: holds of last night, a long gap, one that failed, one that lost its lease, a pause, the holder, and 49 runs
 * in line. {@code -Dinterlock.pictures=FOLDER} writes it there.
 */
class SwimLaneTest extends BrowserTest {

    private static final String KEY = "acme/nightly-close";
    private static final List<String> ENTITIES =
            List.of("DE01", "DE02", "FR01", "FR02", "AT01", "PL01", "PL02", "CZ01");
    private static final int WAITERS = 49;

    /** All that passes below, so that the holder has had the key for ten minutes: less than usual, which gives estimates. */
    private static final Duration PAST = Duration.ofMinutes(911);

    private final Site busy = new Site(PAST);

    @Override
    boolean hasHistory() {
        return false;
    }

    @BeforeAll
    void fill() {
        Run first = submit("DE01");
        holds(first, 12, "end");
        Run second = submit("DE02");
        holds(second, 13, "end");
        pass(13 * 60);
        Run third = submit("FR01");
        Run fourth = submit("FR02");
        holds(third, 12, "end");
        Run lost = busy.submit(KEY, "remote", "from the old scheduler");
        holds(fourth, 11, "fail line 88112: unexpected ';'");
        busy.post(
                Role.WORKER,
                "claims",
                new JsonObject()
                        .put("claimId", UUID.randomUUID().toString())
                        .put("worker", "worker-4")
                        .put("jobs", new JsonArray().add("remote"))
                        .put("max", 1)
                        .put("wait", "5s"));
        await(lost, RunState.RUNNING);
        pass(6);
        busy.engine.pause(Site.TENANT, KEY, "ops", "audit freeze", null);
        Run fifth = submit("AT01");
        await(lost, RunState.FAILED);
        pass(10);
        Run sixth = submit("PL01");
        pass(11);
        busy.engine.resume(Site.TENANT, KEY, "ops", "done");
        holds(fifth, 13, "end");
        Run seventh = submit("PL02");
        holds(sixth, 13, "end");
        Run holder = submit("CZ01");
        holds(seventh, 20, "end");
        await(holder, RunState.RUNNING);
        busy.tell(KEY, "extract", "transform", "progress 62", "load");
        for (int i = 0; i < WAITERS; i++) {
            submit(ENTITIES.get(i % ENTITIES.size()));
            if (i % 5 == 0) {
                pass(1);
            }
        }
        busy.time.arrive();
    }

    @AfterAll
    void end() {
        busy.close();
    }

    private Run submit(String entity) {
        return busy.engine
                .submit(RunRequest.of(Site.key(KEY), "nightly-close")
                        .submitter("cron@ops")
                        .reason("month end")
                        .labels(Map.of("entity", entity)))
                .orElseThrow();
    }

    /** Lets {@code run} have the key for so long. */
    private void holds(Run run, int minutes, String end) {
        await(run, RunState.RUNNING);
        pass(minutes);
        busy.tell(KEY, end);
        await(run, end.equals("end") ? RunState.SUCCEEDED : RunState.FAILED);
    }

    private void await(Run run, RunState state) {
        Patience.until(() -> busy.engine.find(run.id()).orElseThrow().state() == state);
    }

    private void pass(int minutes) {
        busy.time.pass(Duration.ofMinutes(minutes));
    }

    @Test
    void allHoldsTheHolderAndTheNextInLineAreDrawn() {
        JsonObject holds = busy.get(Role.READ, "locks/holds?key=" + KEY);
        assertThat(holds.getJsonArray("items")).hasSize(9);
        try (Visitor ada = new Visitor(browser(), busy, Role.READ, 1440, 900, ColorScheme.LIGHT)) {
            Page page = ada.open("lock?key=" + KEY);
            Locator picture = page.getByLabel("One at a time").first();
            Locator lanes = picture.locator("svg.lanes");
            assertThat(lanes)
                    .hasAttribute("aria-label", Pattern.compile("9 holds .* no two overlap, 1 lost, 49 waiting.*"));
            assertThat(lanes.locator("a")).hasCount(8 + 1 + 5);
            assertThat(lanes).containsText("+44 more");
            assertThat(lanes).containsText("free, folded");
            assertThat(lanes).containsText("lost its lease after");
            assertThat(lanes).containsText("paused");
            assertThat(lanes.locator(".fold")).hasCount(1);
            assertThat(lanes.locator(".pause")).hasCount(1);
            assertThat(lanes.locator(".now")).hasCount(1);
            assertThat(lanes.locator(".est")).hasCount(2 + 2 * 5);
            assertThat(picture.locator(".legend")).not().containsText("not known");
            assertThat((Integer) page.evaluate("document.documentElement.scrollHeight"))
                    .as("the page fits a screen")
                    .isLessThanOrEqualTo(900);
            picture(picture, "one-at-a-time-light");
            lanes.locator("a").first().click();
            assertThat(page.locator("main h1"))
                    .containsText(shortId(holds.getJsonArray("items").getJsonObject(0)));
            ada.isContent();
        }
    }

    @Test
    void theSameInTheDark() {
        try (Visitor ada = new Visitor(browser(), busy, Role.ADMIN, 1440, 900, ColorScheme.DARK)) {
            Page page = ada.open("lock?key=" + KEY);
            assertThat(Layout.unseenText(page)).isEmpty();
            assertThat(page.locator("svg.lanes a")).hasCount(14);
            picture(page.locator("body"), "lock-dark");
            ada.isContent();
        }
    }

    private static String shortId(JsonObject hold) {
        String id = hold.getString("run");
        return id.substring(id.length() - 8);
    }

    private static void picture(Locator what, String name) {
        String folder = System.getProperty("interlock.pictures", "");
        if (!folder.isEmpty()) {
            what.screenshot(
                    new Locator.ScreenshotOptions().setPath(Path.of(folder).resolve(name + ".png")));
        }
    }
}
