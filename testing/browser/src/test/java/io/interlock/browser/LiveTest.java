package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.interlock.access.Role;
import io.interlock.run.Run;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Pages update live, and show when they cannot. */
class LiveTest extends BrowserTest {

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void whoWhatSinceWhenWhyAndWhatNextAreSeenAtOneGlance() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("");
            assertThat(page.locator("main")).containsText("No active locks");
            assertThat(page.locator("main")).not().containsText("false");
            site().submit("glance/1", "nightly-close", "month is over");
            site().submit("glance/1", "nightly-close", "once more");
            site().tell("glance/1", "load", "progress 62");
            var row = page.getByLabel("Active locks").last().locator("tbody tr").first();
            assertThat(row).containsText("load · 62 %");
            assertThat(row.locator("td").last()).hasText("1");
            assertThat(row.innerText()).contains("glance/1", "Held", "pid", "month is over");
            site().tell("glance/1", "end", "end");
            assertThat(page.locator("main")).containsText("No active locks");
            ada.isContent();
        }
    }

    /** Compares the figure of all locks with the rows below it after every change of the page. */
    private static final String WATCH_FIGURES = """
            () => {
              window.checks = 0;
              window.wrong = [];
              const check = () => {
                const all = +document.querySelector('main .chip').textContent.replace('All', '');
                const rows = document.querySelectorAll('main tbody tr').length;
                window.checks++;
                if (all !== rows) window.wrong.push(all + ' over ' + rows + ' rows');
              };
              check();
              new MutationObserver(check).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
            }""";

    @Test
    void figuresAndRowsOfLocksAreOfOneMoment() {
        site().submit("moment/0", "nightly-close", "there from the beginning");
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("locks");
            assertThat(page.locator("main tbody")).containsText("moment/0");
            page.evaluate(WATCH_FIGURES);
            for (int i = 1; i <= 6; i++) {
                site().submit("moment/" + i, "nightly-close", "one more");
                assertThat(page.locator("main tbody")).containsText("moment/" + i);
            }
            page.locator("main .chip:has-text('Held')").click();
            assertThat(page.locator("main .chip[aria-pressed=true]"))
                    .hasText("Held " + page.locator("main tbody tr").count());
            page.locator("main .chip:has-text('All')").click();
            for (int i = 0; i <= 6; i++) {
                site().tell("moment/" + i, "end");
                assertThat(page.locator("main")).not().containsText("moment/" + i);
            }
            assertThat((Integer) page.evaluate("window.checks")).isGreaterThan(12);
            assertThat(page.evaluate("window.wrong")).isEqualTo(List.of());
            ada.isContent();
        }
    }

    @Test
    void aKeyThatIsPausedAndIdleCountsAsALockOnEveryPage() {
        site().engine.pause(Site.TENANT, "idle/key", "ops", "audit freeze", null);
        site().submit("idle/other", "nightly-close", "is held");
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("locks");
            assertThat(page.locator("main tbody")).containsText("idle/key");
            int rows = page.locator("main tbody tr").count();
            assertThat(page.locator("main .chip").first()).hasText("All " + rows);
            assertThat(page.locator("nav.side")).containsText("Locks " + rows);
            ada.isContent();
        }
        site().engine.resume(Site.TENANT, "idle/key", "ops", "done");
        site().tell("idle/other", "end");
    }

    /** Compares the busy slots with the keys beside them after every change of the page. */
    private static final String WATCH_SLOTS = """
            () => {
              window.checks = 0;
              window.wrong = [];
              const check = () => document.querySelectorAll('main tbody tr').forEach(row => {
                const slots = row.querySelector('td:nth-child(3)').textContent.trim();
                const keys = row.querySelectorAll('.hold').length;
                window.checks++;
                if (!slots.startsWith(keys + ' of ')) window.wrong.push(slots + ' with ' + keys + ' keys');
              });
              check();
              new MutationObserver(check).observe(document.querySelector('main'), { subtree: true, childList: true, characterData: true });
            }""";

    @Test
    void slotsAndKeysOfAWorkerAreOfOneMoment() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("workers");
            assertThat(page.locator("main tbody")).containsText("nightly-close");
            page.evaluate(WATCH_SLOTS);
            for (int i = 1; i <= 4; i++) {
                site().submit("slots/" + i, "nightly-close", "one more");
                assertThat(page.locator("main tbody")).containsText("slots/" + i);
            }
            for (int i = 1; i <= 4; i++) {
                site().tell("slots/" + i, "end");
                assertThat(page.locator("main tbody")).not().containsText("slots/" + i);
            }
            assertThat((Integer) page.evaluate("window.checks")).isGreaterThan(8);
            assertThat(page.evaluate("window.wrong")).isEqualTo(List.of());
            ada.isContent();
        }
    }

    @Test
    void whoWaitsReadsWhyAndAtWhichPlaceUntilItsTurnComes() {
        site().submit("why/1", "nightly-close", "first");
        site().submit("why/1", "nightly-close", "second");
        Run third = site().submit("why/1", "nightly-close", "third");
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("runs/" + third.id());
            assertThat(page.locator(".lead")).containsText("is number 2 in line for why/1");
            site().tell("why/1", "end");
            assertThat(page.locator(".lead")).containsText("is number 1 in line for why/1");
            site().tell("why/1", "end");
            assertThat(page.locator("main .head")).containsText("Running");
            // A time is shown in relative form, and exactly in its tooltip.
            assertThat(page.locator(".lead").first()).containsText(Pattern.compile("has why/1 for \\d+ s"));
            assertThat(page.locator(".lead time").first()).hasAttribute("title", Pattern.compile("20.* UTC"));
            site().tell("why/1", "end");
            assertThat(page.locator(".lead").first()).containsText(Pattern.compile("ended SUCCEEDED (now|\\d+ s ago)"));
            assertThat(page.locator(".lead").first()).not().containsText(Pattern.compile("\\d{4}-\\d\\d-\\d\\dT"));
            ada.isContent();
        }
    }

    @Test
    void aRunAndItsLockAreWatchedToTheEndInTwoTabsOverOneStream() {
        site().submit("tabs/1", "nightly-close", "two tabs");
        try (Visitor ada = visitor(Role.READ)) {
            List<String> streams = new CopyOnWriteArrayList<>();
            ada.context.onRequest(request -> {
                if (request.url().endsWith("/stream")) {
                    streams.add(request.url());
                }
            });
            Page lock = ada.open("lock?key=tabs/1");
            Page second = ada.tab();
            // This page never polls: its updates come from the other tab.
            second.navigate(site().root() + "ui/runs?key=tabs/1");
            assertThat(second.locator("main tbody")).containsText("Running");
            assertThat(second.locator(".live")).hasText("Live");
            site().tell("tabs/1", "transform", "progress 40");
            assertThat(lock.locator(".lead")).containsText("is at transform 40 %");
            site().tell("tabs/1", "end");
            assertThat(second.locator("main tbody")).containsText("Succeeded");
            assertThat(lock.locator("main .head")).containsText("Free");
            assertThat(streams).hasSize(1);
            ada.isContent();
        }
    }

    @Test
    void howLongRunsHadTheKeyIsSeenAtOneGlance() {
        for (String end : List.of("end", "end", "fail no such table")) {
            site().submit("spark/1", "nightly-close", "comes and goes");
            site().tell("spark/1", "extract", end);
        }
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("lock?key=spark/1&tab=history");
            Locator bars = page.locator("section[aria-label=Holds] rect");
            assertThat(bars).hasCount(3);
            assertThat(bars.last()).hasClass(Pattern.compile(".*c-fail"));
            assertThat(page.locator("section[aria-label=Holds] svg[role=img]"))
                    .hasAttribute("aria-label", Pattern.compile("Hold times, .*median .*95 % within .*"));
            site().submit("spark/1", "nightly-close", "stays");
            assertThat(bars).hasCount(4);
            assertThat(bars.last()).hasClass(Pattern.compile(".*c-held"));
            site().tell("spark/1", "end");
            ada.isContent();
        }
    }

    @Test
    void whoPausesSeesNothingNewAndMissesNothing() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("locks");
            assertThat(page.locator(".live")).hasText("Live");
            page.locator("header button:has-text('Freeze')").click();
            site().submit("paused/page", "nightly-close", "unseen");
            // Submitted, pending, running: events are held back and counted.
            assertThat(page.locator(".live")).hasText(Pattern.compile("Frozen · ([3-9]|\\d\\d+) changes"));
            assertThat(page.locator("main")).not().containsText("paused/page");
            page.locator("header button:has-text('Unfreeze')").click();
            assertThat(page.locator("main")).containsText("paused/page");
            site().tell("paused/page", "end");
        }
    }

    @Test
    void outputHeartbeatsWorkersAndRefusalsAreSeenAsTheyCome() {
        Run talking = site().submit("say/1", "nightly-close", "talks");
        site().submit("away/1", "import", "first");
        JsonObject beating = site().post(
                        Role.WORKER,
                        "runs",
                        new JsonObject().put("key", "beat/1").put("execution", "caller"));
        try (Visitor ada = visitor(Role.READ)) {
            Page lock = ada.tab();
            lock.navigate(site().root() + "ui/lock?key=away/1");
            assertThat(lock.locator("svg.chart")).isVisible();
            assertThat(lock.locator("path.x")).hasCount(0);
            // Refusals are counted, and written in batches every few seconds.
            JsonObject second = new JsonObject().put("job", "import").put("key", "away/1");
            assertThat(site().send(site().apiKey(Role.TRIGGER), "runs", second).statusCode())
                    .isEqualTo(409);
            Page page = ada.open("runs/" + talking.id());
            site().tell("say/1", "load", "say 20000 rows read");
            assertThat(page.getByLabel("Output")).containsText("20000 rows read");
            site().tell("say/1", "end");
            ada.go("workers");
            assertThat(page.locator("main tbody")).not().containsText("worker-9");
            site().post(Role.WORKER, "claims", claim("worker-9"));
            assertThat(page.locator("main tbody")).containsText("worker-9");
            ada.go("runs/" + beating.getString("id"));
            assertThat(page.locator("circle.hb")).hasCount(1);
            site().post(
                            Role.WORKER,
                            "runs/" + beating.getString("id") + "/heartbeat",
                            new JsonObject()
                                    .put("leaseId", beating.getString("leaseId"))
                                    .put("token", beating.getLong("token")));
            assertThat(page.locator("circle.hb")).hasCount(2);
            assertThat(lock.locator("svg.chart")).containsText("refused");
            assertThat(lock.locator("path.x title")).hasText(Pattern.compile("\\d\\d:\\d\\d:00, 1 REJECTED"));
            site().tell("away/1", "end");
            ada.isContent();
        }
    }

    private static JsonObject claim(String worker) {
        return new JsonObject()
                .put("claimId", UUID.randomUUID().toString())
                .put("worker", worker)
                .put("jobs", new JsonArray().add("remote"))
                .put("max", 1)
                .put("wait", "0s");
    }

    @Test
    void aRestartIsSurvivedWhereOneIs() {
        try (Visitor ada = visitor(Role.READ)) {
            ada.page.clock().install();
            Page page = ada.open("locks?state=HELD&sort=key");
            assertThat(page.locator(".live")).hasText("Live");
            String address = page.url();
            site().down();
            // A browser with a faster clock shows it sooner.
            Patience.until(() -> {
                page.clock().fastForward(1_000);
                return page.locator(".live").innerText().contains("Offline · data from");
            });
            assertThat(page.url()).isEqualTo(address);
            page.locator("nav a:has-text('Janitor')").click();
            // The page is there already; its data is not.
            assertThat(page.locator("h1")).hasText("No connection");
            page.goBack();
            assertThat(page.locator("h1")).hasText("No connection");
            assertThat(page.url()).isEqualTo(address);
            site().up();
            site().submit("after/restart", "nightly-close", "still here");
            assertThat(page.locator(".live")).containsText("Live");
            assertThat(page.locator("main")).containsText("after/restart");
            page.locator("nav a:has-text('Janitor')").click();
            assertThat(page.locator("h1")).hasText("Janitor");
            site().tell("after/restart", "end");
        }
    }

    @Test
    void aSessionThatEndsIsTakenUpAgainWhereOneWas() {
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("runs?state=RUNNING");
            String address = page.url();
            String cookie = ada.context.cookies().get(0).value;
            site().sessions.close(cookie).toCompletableFuture().join();
            page.locator("main .chip:has-text('Failed')").click();
            assertThat(page.locator(".signin")).containsText("Your session has ended");
            page.getByLabel("API key or one-time code").fill("nonsense");
            page.locator("text=Sign in again").last().click();
            assertThat(page.locator(".signin .problem")).containsText("API key or code is not valid");
            page.getByLabel("API key or one-time code").fill(site().apiKey(Role.OPERATOR));
            page.locator("button:has-text('Sign in again')").click();
            assertThat(page.locator(".signin")).hasCount(0);
            assertThat(page.url()).isEqualTo(address.replace("RUNNING", "FAILED"));
            assertThat(page.locator(".live")).hasText("Live");
        }
    }

    @Test
    void whoSignsInAgainInOneTabIsSignedInInAll() {
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page first = ada.open("runs");
            assertThat(first.locator(".live")).hasText("Live");
            Page second = ada.tab();
            second.navigate(site().root() + "ui/runs");
            assertThat(second.locator("main .chip")).hasCount(9);
            assertThat(second.locator(".live")).hasText("Live");
            site().sessions
                    .close(ada.context.cookies().get(0).value)
                    .toCompletableFuture()
                    .join();
            // The first tab that detects it notifies the other.
            first.locator("main .chip:has-text('Failed')").click();
            assertThat(first.locator(".live")).hasText("Signed out");
            assertThat(second.locator(".live")).hasText("Signed out");
            second.locator("main .chip:has-text('Failed')").click();
            second.getByLabel("API key or one-time code").fill(site().apiKey(Role.TRIGGER));
            second.locator("button:has-text('Sign in again')").click();
            for (Page tab : List.of(second, first)) {
                assertThat(tab.locator(".signin")).hasCount(0);
                assertThat(tab.locator(".live")).hasText("Live");
            }
            first.locator("main .chip:has-text('All')").click();
            ActionsTest.start(first, "nightly-close", "tabs/again");
            assertThat(first.locator("main tbody")).containsText("tabs/again");
            site().tell("tabs/again", "end");
            ada.isContent();
        }
    }

    @Test
    void newRunsWaitAboveTheListUntilSomebodyLooks() {
        site().submit("news/1", "billing-export", "old");
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("runs?key=news/*");
            assertThat(page.locator("main tbody tr")).hasCount(1);
            site().submit("news/2", "billing-export", "new");
            page.locator("button.news").click();
            assertThat(page.locator("main tbody tr")).hasCount(2);
            site().tell("news/1", "end");
            site().tell("news/2", "end");
            assertThat(page.locator("main tbody tr").first()).containsText("Succeeded");
            ada.isContent();
        }
    }
}
