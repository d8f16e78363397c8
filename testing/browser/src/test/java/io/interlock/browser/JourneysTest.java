package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.vertx.core.json.JsonArray;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What operators are called for, from Now to the end, with the keyboard alone. */
class JourneysTest extends BrowserTest {

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void aStuckKeyIsReleased() {
        Run run = site().submit("stuck/key", "nightly-close", "does not end");
        awaitState(run, RunState.RUNNING);
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("");
            find(page, "tuck/ke");
            assertThat(page.locator("h1")).hasText("stuck/key");
            assertThat(page.getByLabel("Holder")).containsText("run " + shortOf(run));
            tabTo(page, "button:has-text('Force release…')");
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog")).containsText("When the key opens");
            tabTo(page, "dialog #f-reason");
            page.keyboard().type("it hangs, OPS-120");
            tabTo(page, "dialog #f-typed");
            page.keyboard().type("stuck/key");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("has stopped; nothing was evicted");
            assertThat(page.locator(".lead")).containsText("The key is free");
            ada.isContent();
        }
        awaitState(run, RunState.ABORTED);
    }

    @Test
    void aDeadLetterIsReadAndRetried() {
        Run run = site().submit("dead/key", "import", "hourly");
        site().tell("dead/key", "say first line", "again line 12 is wrong\nno such customer");
        site().tell("dead/key", "say second line", "again line 12 is wrong\nno such customer");
        awaitState(run, RunState.DEAD);
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("");
            assertThat(page.getByLabel("Needs attention")).containsText("dead letter");
            go(page, "g", "d");
            assertThat(page.locator("main tbody tr")).containsText("no such customer");
            assertThat(page.locator("main tbody tr")).not().containsText("line 12 is wrong");
            tabTo(page, "main tbody a:has-text('" + shortOf(run) + "')");
            page.keyboard().press("Enter");
            assertThat(page.locator("pre")).containsText("second line");
            assertThat((Boolean) page.locator("pre")
                            .evaluate("each => each.scrollTop + each.clientHeight >= each.scrollHeight - 1"))
                    .as("the end is in view")
                    .isTrue();
            tabTo(page, "main button:has-text('attempt 1')");
            page.keyboard().press("Enter");
            assertThat(page.locator("pre")).hasText("first line");
            tabTo(page, "main button:has-text('Download')");
            Path file =
                    page.waitForDownload(() -> page.keyboard().press("Enter")).path();
            assertThat(file).hasContent("first line");
            tabTo(page, "main button:has-text('Retry')");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("is retried");
            assertThat(page.locator("main .banner")).containsText("was redriven");
            site().tell("dead/key", "end");
            ada.isContent();
        }
    }

    @Test
    void failuresOfOneKindAreRetriedTogether() {
        for (int i = 1; i <= 3; i++) {
            Run run = site().submit("failing/" + i, "billing-export", "hourly");
            site().tell("failing/" + i, "fail the disk is full");
            awaitState(run, RunState.FAILED);
        }
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("");
            Locator group = page.getByLabel("Needs attention").locator("li:has-text('billing-export')");
            assertThat(group).containsText("3 × job billing-export failed, EXIT_70");
            group.locator("button:has-text('Retry 3…')").click();
            page.getByLabel("Reason").fill("the disk is larger now");
            ActionsTest.dialog(page, "Retry 3").click();
            assertThat(page.locator(".toast").last()).containsText("3 retried");
            group.locator("button:has-text('Retry 3…')").click();
            page.getByLabel("Reason").fill("impatient");
            ActionsTest.dialog(page, "Retry 3").click();
            assertThat(page.locator(".toast").last()).containsText("0 retried, 3 were retried before");
            ada.go("runs?job=billing-export&state=RUNNING");
            assertThat(page.locator("main tbody tr")).hasCount(3);
            ada.isContent();
        }
        for (int i = 1; i <= 3; i++) {
            site().tell("failing/" + i, "end");
            Run again = site().engine
                    .list(RunQuery.ofTenant(Site.TENANT)
                            .of(Site.key("failing/" + i))
                            .newestFirst())
                    .runs()
                    .get(0);
            assertThat(again.spec().origin().reason()).isEqualTo("the disk is larger now");
            assertThat(site().engine.audit(Site.key("failing/" + i)))
                    .anyMatch(record ->
                            again.id().equals(record.run()) && record.actor().contains("ada"));
        }
    }

    @Test
    void waitingRunsAreMovedToTheFrontAndCancelled() {
        site().submit("line/key", "nightly-close", "holds it");
        Run first = site().submit("line/key", "nightly-close", "first in line");
        Run second = site().submit("line/key", "nightly-close", "second in line");
        Run third = site().submit("line/key", "nightly-close", "third in line");
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("queue?key=line/key");
            page.getByLabel("Select run " + shortOf(third)).check();
            assertThat(page.locator("button:has-text('to front…')")).hasCount(0);
        }
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("queue?key=line/key");
            assertThat(page.locator("main tbody tr").first()).containsText(shortOf(first));
            page.getByLabel("Select run " + shortOf(second)).check();
            page.getByLabel("Select run " + shortOf(third)).check();
            page.locator("button:has-text('Move 2 to front…')").click();
            page.getByLabel("Reason").fill("month end");
            ActionsTest.dialog(page, "Move to front").click();
            assertThat(page.locator(".toast").last()).containsText("2 moved to the front");
            Locator rows = page.locator("main tbody tr");
            assertThat(rows.nth(0)).containsText(shortOf(second));
            assertThat(rows.nth(1)).containsText(shortOf(third));
            assertThat(rows.nth(2)).containsText(shortOf(first));
            ada.go("audit?key=line/key");
            assertThat(page.locator("main tbody tr").first()).containsText("month end");

            ada.go("queue?key=line/key");
            page.getByLabel("Select all").first().check();
            page.locator("button:has-text('Cancel 3…')").click();
            page.getByLabel("Reason").fill("not needed");
            ActionsTest.dialog(page, "Cancel 3").click();
            assertThat(page.locator(".toast").last()).containsText("3 cancelled");
            ada.isContent();
        }
        site().tell("line/key", "end");
    }

    @Test
    void workersAndTheJanitorSayWhatIsMissingAndWhatComesNext() {
        Run run = site().submit("worked/key", "nightly-close", "on a worker");
        awaitState(run, RunState.RUNNING);
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("workers");
            assertThat(page.locator("main .banner").first()).containsText("No worker takes the jobs");
            assertThat(page.locator("main .banner").first()).containsText("remote");
            assertThat(page.locator("main .banner").first()).not().containsText("nightly-close");
            page.locator("main tbody tr td.first a").first().click();
            assertThat(page.getByLabel("Holds").first()).containsText("worked/key");
            assertThat(page.locator("main")).containsText("interlock runs ls --holder");
            ada.go("janitor");
            assertThat(page.locator(".lead"))
                    .containsText(Pattern.compile("next (in|any moment).*about every 0\\.5 s"));
            page.locator("button:has-text('Sweep now')").click();
            assertThat(page.locator(".toast").last()).containsText("Swept");
            ada.isContent();
        }
        site().tell("worked/key", "end");
    }

    @Test
    void aJobHasAPageThatStartsItWithParameters() {
        Run done = site().submit("job/done", "billing-export", "hourly");
        site().tell("job/done", "end");
        awaitState(done, RunState.SUCCEEDED);
        // A process that does work reports itself a moment after its start.
        Patience.until(() -> !workersOf("billing-export").isEmpty());
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("jobs");
            page.locator("main tbody a:text-is('billing-export')").click();
            assertThat(page.locator("h1")).hasText("billing-export");
            assertThat(page.locator(".lead")).containsText("0 3 1 1 * UTC under billing/export");
            assertThat(page.getByLabel("Facts")).containsText("Join");
            assertThat(page.getByLabel("Facts"))
                    .containsText(workersOf("billing-export").getString(0));
            assertThat(page.getByLabel("Newest runs").first()).containsText(shortOf(done));
            page.locator("main button:has-text('Start…')").click();
            assertThat(page.locator("dialog #f-key")).hasValue("billing/export");
            page.locator("dialog #f-key").fill("job/started");
            page.locator("dialog #f-parameters").fill("[11]");
            assertThat(page.locator("dialog #w-parameters")).containsText("not a JSON object");
            assertThat(ActionsTest.dialog(page, "Start")).isDisabled();
            page.locator("dialog #f-parameters").fill("{\"month\": 11}");
            page.locator("dialog #f-priority").fill("101");
            assertThat(page.locator("dialog #w-priority")).isVisible();
            page.locator("dialog #f-priority").fill("7");
            page.locator("dialog #f-labels").fill("team=finance, month=11");
            ActionsTest.dialog(page, "Start").click();
            assertThat(page.locator(".toast").last()).containsText("Started run");
            assertThat(page.getByLabel("Newest runs").first()).containsText("job/started");
            ada.isContent();
        }
        Run started = site().engine
                .list(RunQuery.ofTenant(Site.TENANT).of(Site.key("job/started")))
                .runs()
                .get(0);
        assertThat(started.spec().priority()).isEqualTo(7);
        assertThat(started.spec().parameters()).isEqualTo("{\"month\":11}");
        assertThat(started.spec().labels()).isEqualTo(Map.of("team", "finance", "month", "11"));
        site().tell("job/started", "end");
    }

    @Test
    void aJobIsFoundAndStarted() {
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("");
            go(page, "g", "b");
            assertThat(page.locator("h1")).hasText("Jobs");
            tabTo(page, "main tbody a:text-is('nightly-close')");
            page.keyboard().press("Enter");
            assertThat(page.locator("h1")).hasText("nightly-close");
            assertThat(page.locator("h1")).isFocused();
            tabTo(page, "main button:has-text('Start…')");
            page.keyboard().press("Enter");
            tabTo(page, "dialog #f-key");
            page.keyboard().type("started/by/keys");
            tabTo(page, "dialog #f-reason");
            page.keyboard().type("month end");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("Started run");
            tabTo(page, "main section[aria-label='Newest runs'] tbody a");
            page.keyboard().press("Enter");
            assertThat(page.locator("main")).containsText("started/by/keys");
            ada.isContent();
        }
        site().tell("started/by/keys", "end");
    }

    @Test
    void waitingRunsAreSelectedAndCancelledFromTheQueue() {
        site().submit("keys/queue", "nightly-close", "holds it");
        Run first = site().submit("keys/queue", "nightly-close", "first in line");
        Run second = site().submit("keys/queue", "nightly-close", "second in line");
        Run third = site().submit("keys/queue", "nightly-close", "third in line");
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("");
            go(page, "g", "q");
            assertThat(page.locator("h1")).hasText("Queue");
            tabTo(page, "main a:text-is('" + shortOf(first) + "')");
            page.keyboard().press("x");
            page.keyboard().press("j");
            page.keyboard().press("x");
            assertThat(page.getByRole(AriaRole.GROUP, new Page.GetByRoleOptions().setName("Selected")))
                    .containsText("2 selected");
            tabBackTo(page, "main button:has-text('Cancel 2…')");
            page.keyboard().press("Enter");
            tabTo(page, "dialog #f-reason");
            page.keyboard().type("not needed");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("2 cancelled");
            assertThat(page.locator("main tbody")).containsText(shortOf(third));
            ada.isContent();
        }
        awaitState(first, RunState.ABORTED);
        awaitState(second, RunState.ABORTED);
        assertThat(site().engine.find(third.id()).orElseThrow().state()).isEqualTo(RunState.QUEUED);
        site().tell("keys/queue", "end", "end");
    }

    @Test
    void aBulkActionTellsHowFarItIsAndCanBeStopped() {
        site().submit("bulk/stop", "nightly-close", "holds it");
        for (int i = 0; i < 12; i++) {
            site().submit("bulk/stop", "nightly-close", "waits");
        }
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("queue?key=bulk/stop");
            AtomicInteger asked = new AtomicInteger();
            List<Route> held = new ArrayList<>();
            page.route("**/cancel", route -> {
                if (asked.incrementAndGet() < 3) {
                    route.resume();
                } else {
                    held.add(route);
                }
            });
            page.getByLabel("Select all").first().check();
            page.locator("button:has-text('Cancel 12…')").click();
            page.getByLabel("Reason").fill("not needed");
            ActionsTest.dialog(page, "Cancel 12").click();
            assertThat(page.locator("dialog")).containsText("2 of 12 done");
            page.locator("dialog button:has-text('Stop')").click();
            assertThat(page.locator("dialog")).hasCount(0);
            held.get(0).resume();
            assertThat(page.locator(".toast").last()).containsText("3 cancelled, 9 left alone");
            assertThat(page.locator("main tbody tr")).hasCount(9);
            page.unroute("**/cancel");
            page.getByLabel("Select all").first().check();
            page.locator("button:has-text('Cancel 9…')").click();
            page.getByLabel("Reason").fill("not needed");
            ActionsTest.dialog(page, "Cancel 9").click();
            assertThat(page.locator(".toast").last()).containsText("9 cancelled");
            ada.isContent();
        }
        site().tell("bulk/stop", "end");
    }

    @Test
    void theJanitorSweepsWhenAskedTo() {
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("");
            go(page, "g", "j");
            assertThat(page.locator("h1")).hasText("Janitor");
            tabTo(page, "main button:has-text('Sweep now')");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("Swept");
            ada.isContent();
        }
    }

    @Test
    void aWorkerAndWhatItHoldsAreFound() {
        Run run = site().submit("worker/holds", "nightly-close", "on a worker");
        awaitState(run, RunState.RUNNING);
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("");
            go(page, "g", "w");
            assertThat(page.locator("h1")).hasText("Workers");
            page.keyboard().press("j");
            page.keyboard().press("Enter");
            assertThat(page.getByLabel("Holds").first()).containsText("worker/holds");
            tabTo(page, "main a:has-text('worker/holds')");
            page.keyboard().press("Enter");
            assertThat(page.locator("h1")).hasText("worker/holds");
            ada.isContent();
        }
        site().tell("worker/holds", "end");
    }

    @Test
    void aKeyIsPausedFromThePalette() {
        site().submit("palette/key", "nightly-close", "holds it");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("");
            page.keyboard().press("/");
            page.keyboard().type("alette/k");
            Locator pause = page.locator(".palette [role=option]:has-text('Pause key palette/key')");
            assertThat(pause).isVisible();
            for (int i = 0; i < 20 && !"true".equals(pause.getAttribute("aria-selected")); i++) {
                page.keyboard().press("ArrowDown");
            }
            page.keyboard().press("Enter");
            assertThat(page.locator("dialog h2")).hasText("Pause palette/key?");
            tabTo(page, "dialog #f-reason");
            page.keyboard().type("OPS-121");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("palette/key is paused");
            ada.isContent();
        }
        assertThat(site().engine.queries().pauses(Site.TENANT))
                .anyMatch(pause -> pause.pattern().equals("palette/key"));
        site().engine.resume(Site.TENANT, "palette/key", "ada", "done");
        site().tell("palette/key", "end");
    }

    @Test
    void keysArePausedAndResumed() {
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("");
            go(page, "g", "l");
            assertThat(page.locator("h1")).hasText("Locks");
            tabTo(page, "main button:has-text('Pause keys…')");
            page.keyboard().press("Enter");
            tabTo(page, "dialog #f-pattern");
            page.keyboard().type("frozen/*");
            tabTo(page, "dialog #f-reason");
            page.keyboard().type("month end");
            tabTo(page, "dialog #f-end");
            page.keyboard().type("90m");
            assertThat(page.locator("dialog .hint").last()).containsText("Ends ");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("frozen/* is paused until");
            go(page, "g", "n");
            assertThat(page.getByLabel("Needs attention")).containsText("month end");
            tabTo(page, "main button:has-text('Resume')");
            page.keyboard().press("Enter");
            assertThat(page.locator(".toast").last()).containsText("frozen/* is resumed");
            Patience.until(() -> site().engine.queries().pauses(Site.TENANT).isEmpty());
            ada.isContent();
        }
    }

    @Test
    void aRunIsFoundByTheIdThatPagesShow() {
        Run run = site().submit("find/me", "remote", "where is it");
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("");
            find(page, shortOf(run));
            assertThat(page.locator("h1")).containsText(shortOf(run));
            find(page, "ind/m");
            assertThat(page.locator("h1")).hasText("find/me");
            page.keyboard().press("/");
            assertThat(page.getByLabel("Found")).containsText("Recently opened");
            page.keyboard().press("Escape");
            ada.isContent();
        }
    }

    @Test
    void whatHappenedAtNightIsReadFromTheAuditLog() {
        Run run = site().submit("night/key", "nightly-close", "nightly");
        awaitState(run, RunState.RUNNING);
        site().tell("night/key", "end");
        awaitState(run, RunState.SUCCEEDED);
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("");
            go(page, "g", "a");
            tabTo(page, "main input[name=key]");
            page.keyboard().type("night/key");
            tabTo(page, "main input[name=since]");
            page.keyboard().type("yesterday");
            page.keyboard().press("Enter");
            assertThat(page.locator("main .wrong")).containsText("neither a time");
            assertThat(page.locator("main tbody tr")).hasCount(0);
            page.keyboard().press("Control+A");
            page.keyboard().type("1h");
            page.keyboard().press("Enter");
            Locator rows = page.locator("main tbody tr");
            assertThat(rows.first()).containsText("night/key");
            assertThat(rows.first()).containsText(Pattern.compile("\\d\\d:\\d\\d:\\d\\d"));
            tabTo(page, "main button:has-text('Verify chain')");
            page.keyboard().press("Enter");
            assertThat(page.locator("main .banner")).containsText("The chain is intact");
            ada.isContent();
        }
    }

    /** Opens the palette, types, and opens the first thing found. */
    private static void find(Page page, String words) {
        page.keyboard().press("Control+k");
        page.keyboard().type(words);
        assertThat(page.locator(".palette [role=option] mark").first()).isVisible();
        page.keyboard().press("Enter");
        assertThat(page.locator(".palette")).hasCount(0);
    }

    private static void go(Page page, String first, String second) {
        page.keyboard().press(first);
        page.keyboard().press(second);
    }

    /** Presses Tab until {@code target} has the focus. */
    private static void tabTo(Page page, String target) {
        tabTo(page, target, "Tab");
    }

    /** Presses Shift-Tab until {@code target} has the focus. */
    private static void tabBackTo(Page page, String target) {
        tabTo(page, target, "Shift+Tab");
    }

    private static void tabTo(Page page, String target, String key) {
        page.waitForSelector(target);
        for (int i = 0; i < 150; i++) {
            if ((Boolean) page.locator(target).first().evaluate("each => each === document.activeElement")) {
                return;
            }
            page.keyboard().press(key);
        }
        assertThat(page.locator(target).first()).isFocused();
    }

    private static String shortOf(Run run) {
        String id = run.id().toString();
        return id.substring(id.length() - 8);
    }

    private JsonArray workersOf(String job) {
        return site().get(Role.READ, "jobs/" + job).getJsonArray("workers");
    }

    private void awaitState(Run run, RunState state) {
        Patience.until(() -> site().engine.find(run.id()).orElseThrow().state() == state);
    }
}
