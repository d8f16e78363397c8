package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Actions of users, and the messages when they are refused. */
class ActionsTest extends BrowserTest {

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void aRunIsCancelledWithAReason() {
        Run run = running("cancel/me");
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("runs/" + run.id());
            press(page, "Cancel run…");
            assertThat(dialog(page, "Cancel run")).isDisabled();
            page.getByLabel("Reason").fill("wrong month");
            dialog(page, "Cancel run").click();
            assertThat(page.locator("main .pill").first()).hasText("Aborted");
            assertThat(page.locator("main")).containsText("wrong month");
            ada.isContent();
        }
        assertThat(audit("cancel/me")).anyMatch(record -> record.reason().contains("wrong month"));
    }

    @Test
    void whoCancelsTooLateIsTold() {
        Run run = running("cancel/late");
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("runs/" + run.id());
            press(page, "Cancel run…");
            page.getByLabel("Reason").fill("too slow");
            site().tell("cancel/late", "end");
            awaitState(run, RunState.SUCCEEDED);
            dialog(page, "Cancel run").click();
            assertThat(page.locator("dialog .problem")).containsText("SUCCEEDED");
        }
    }

    @Test
    void aKeyIsTakenAwayOnlyByWhoTypesItAndSaysWhy() {
        Run run = running("evict/me");
        Run next = site().submit("evict/me", "nightly-close", "next");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("lock?key=evict/me");
            press(page, "Force release…");
            assertThat(page.locator("dialog")).containsText("looks alive");
            assertThat(page.locator("dialog")).containsText("When the key opens");
            page.getByLabel("First ask the run to stop").uncheck();
            page.getByLabel("Reason").fill("powered off, OPS-118");
            page.getByLabel("Type the key").fill("evict/mine");
            assertThat(dialog(page, "Force release")).isDisabled();
            page.getByLabel("Type the key").fill("evict/me");
            dialog(page, "Force release").click();
            assertThat(page.locator("dialog")).hasCount(0);
            assertThat(page.locator(".toast")).containsText("is retired");
            ada.isContent();
        }
        assertThat(site().engine.find(run.id()).orElseThrow().state()).isNotEqualTo(RunState.RUNNING);
        assertThat(audit("evict/me"))
                .anyMatch(record ->
                        record.action().equals("evicted") && record.reason().contains("OPS-118"));
        assertThat(next.id()).isNotEqualTo(run.id());
    }

    @Test
    void whoTakesAKeyAwayMayAskTheRunToStopFirst() {
        Run run = running("evict/asked");
        Run next = site().submit("evict/asked", "nightly-close", "next");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("lock?key=evict/asked");
            press(page, "Force release…");
            String id = next.id().toString();
            assertThat(page.locator("dialog")).containsText("run " + id.substring(id.length() - 8) + " is next");
            assertThat(page.getByLabel("First ask the run to stop")).isChecked();
            page.getByLabel("Reason").fill("powered off, OPS-119");
            page.getByLabel("Type the key").fill("evict/asked");
            dialog(page, "Force release").click();
            assertThat(page.locator(".toast")).containsText("nothing was evicted");
            ada.isContent();
        }
        assertThat(site().engine.find(run.id()).orElseThrow().state()).isEqualTo(RunState.ABORTED);
        assertThat(audit("evict/asked")).noneMatch(record -> record.action().equals("evicted"));
    }

    @Test
    void whoClosesTheDialogWhileTheRunIsAskedToStopTakesNothingAway() {
        Run run = site().submit("evict/kept", "reindex", "does not hear");
        site().post(
                        Role.WORKER,
                        "claims",
                        new JsonObject()
                                .put("claimId", UUID.randomUUID().toString())
                                .put("worker", "worker-deaf")
                                .put("jobs", new JsonArray().add("reindex"))
                                .put("max", 1)
                                .put("wait", "5s"));
        awaitState(run, RunState.RUNNING);
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("lock?key=evict/kept");
            press(page, "Force release…");
            assertThat(page.getByLabel("First ask the run to stop")).isChecked();
            page.getByLabel("Reason").fill("second thoughts");
            page.getByLabel("Type the key").fill("evict/kept");
            dialog(page, "Force release").click();
            assertThat(page.locator("dialog")).containsText("Asked to stop");
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
            // If closing the dialog did not end the wait, the eviction would follow half a minute later.
            assertThat(page.locator(".toast").last())
                    .containsText(
                            Pattern.compile("nothing was evicted|is retired"),
                            new LocatorAssertions.ContainsTextOptions().setTimeout(60_000));
            assertThat(page.locator(".toast").last()).containsText("was asked to stop");
            ada.isContent();
        }
        assertThat(audit("evict/kept")).noneMatch(record -> record.action().equals("evicted"));
    }

    @Test
    void aStaleDialogTakesNothingAwayAndSaysWhoHasItNow() {
        running("evict/stale");
        Run next = site().submit("evict/stale", "nightly-close", "the next one");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("lock?key=evict/stale");
            press(page, "Force release…");
            page.getByLabel("First ask the run to stop").uncheck();
            page.getByLabel("Reason").fill("looks stuck");
            page.getByLabel("Type the key").fill("evict/stale");
            site().tell("evict/stale", "end");
            awaitState(next, RunState.RUNNING);
            dialog(page, "Force release").click();
            String id = next.id().toString();
            assertThat(page.locator("dialog .problem")).containsText("Nothing was done");
            assertThat(page.locator("dialog .problem")).containsText(id.substring(id.length() - 8));
        }
        assertThat(site().engine.find(next.id()).orElseThrow().state()).isEqualTo(RunState.RUNNING);
    }

    @Test
    void aKeyIsPausedAndResumed() {
        running("pause/me");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("lock?key=pause/me");
            press(page, "Pause…");
            page.getByLabel("Reason").fill("audit freeze");
            dialog(page, "Pause").click();
            assertThat(page.locator("main .head")).containsText("Paused");
            ada.open("");
            assertThat(page.getByLabel("Needs attention")).containsText("audit freeze");
            page.getByRole(AriaRole.LISTITEM)
                    .filter(new Locator.FilterOptions().setHasText("pause/me"))
                    .getByRole(AriaRole.BUTTON)
                    .click();
            // The row stays where it is until the pointer leaves the list.
            assertThat(page.getByLabel("Needs attention")).containsText("settled");
            page.getByLabel("Needs attention").hover();
            page.mouse().move(5, 5);
            assertThat(page.locator("main")).not().containsText("audit freeze");
            ada.isContent();
        }
        assertThat(site().engine.queries().pauses(Site.TENANT)).isEmpty();
    }

    @Test
    void keysThatBeginAlikeArePausedForAWhile() {
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("locks");
            press(page, "Pause keys…");
            page.locator("dialog #f-pattern").fill("freeze/*");
            page.getByLabel("Reason").fill("month end");
            page.locator("dialog #f-end").fill("abc");
            assertThat(page.locator("dialog .wrong")).containsText("“abc” is not understood");
            assertThat(dialog(page, "Pause")).isDisabled();
            page.locator("dialog #f-end").fill("2h");
            assertThat(page.locator("dialog .hint").last()).containsText(Pattern.compile("UTC, in (1 h 59|2 h 00) m"));
            page.locator("dialog #f-pattern").fill("*");
            assertThat(dialog(page, "Pause")).isDisabled();
            page.locator("dialog #f-pattern").fill("freeze/*");
            assertThat(dialog(page, "Pause")).isEnabled();
            dialog(page, "Pause").click();
            assertThat(page.locator("main .banner")).containsText("(ada): month end, ends in 1 h 59 m");
            ada.go("lock?key=freeze/1");
            assertThat(page.locator("main .head")).containsText("Paused");
            press(page, "Resume");
            assertThat(page.locator(".toast").last()).containsText("freeze/* is resumed");
            Locator undo = page.locator(".toast button:has-text('Undo')");
            assertThat(undo).not().hasCSS("color", (String)
                    undo.evaluate("each => getComputedStyle(each.closest('.toast')).backgroundColor"));
            undo.click();
            assertThat(page.locator(".toast").last()).containsText("freeze/* is paused again");
            press(page, "Resume");
            Patience.until(() -> site().engine.queries().pauses(Site.TENANT).isEmpty());
            ada.isContent();
        }
    }

    @Test
    void aJobIsStartedAndASecondOneIsRefusedWithTheReason() {
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("runs");
            start(page, "import", "start/me");
            assertThat(page.locator("dialog")).hasCount(0);
            assertThat(page.locator("main tbody")).containsText("start/me");
            start(page, "import", "start/me");
            assertThat(page.locator("dialog .problem")).containsText("start/me");
            page.keyboard().press("Escape");
            start(page, "nightly-close", "start/me");
            assertThat(page.locator(".toast").last()).containsText("Queued");
            ada.isContent();
        }
    }

    @Test
    void readersSeeAllAndTouchNothing() {
        Run run = running("read/me");
        try (Visitor guest = visitor(Role.READ)) {
            for (String path :
                    List.of("", "locks", "lock?key=read/me", "runs", "runs/" + run.id(), "queue", "dead-letters")) {
                Page page = guest.open(path);
                assertThat(page.locator("main button:has-text('…'):not(:has-text('Search'))"))
                        .hasCount(0);
                assertThat(page.locator("main button.danger")).hasCount(0);
            }
            Page page = guest.open("audit");
            assertThat(page.locator("main")).containsText("needs the role operator");
            guest.isContent();
        }
    }

    static void start(Page page, String job, String key) {
        press(page, "Start a run…");
        page.locator("dialog #f-job").selectOption(job);
        page.locator("dialog #f-key").fill(key);
        dialog(page, "Start").click();
    }

    private Run running(String key) {
        Run run = site().submit(key, "nightly-close", "nightly close");
        awaitState(run, RunState.RUNNING);
        return run;
    }

    private void awaitState(Run run, RunState state) {
        Patience.until(() -> site().engine.find(run.id()).orElseThrow().state() == state);
    }

    private List<AuditRecord> audit(String key) {
        return site().engine.audit(Site.key(key));
    }

    static void press(Page page, String words) {
        page.locator("main button", new Page.LocatorOptions().setHasText(words))
                .first()
                .click();
    }

    static Locator dialog(Page page, String words) {
        return page.locator("dialog button[type=submit]", new Page.LocatorOptions().setHasText(words));
    }
}
