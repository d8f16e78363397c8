package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.interlock.Actor;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Run;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What needs attention: what failed counts from when it failed, what was stopped has not failed, settled dead letters do not hide an open
 * one, and many equal things do not hide others.
 */
class AttentionTest extends BrowserTest {

    private static final String LONG = "ledger/nightly-close";
    private static final String OPEN = "letters/open";
    /** More than ten pages. */
    private static final int SETTLED = 1_001;

    private final Site late = new Site(Duration.ofMinutes(150));
    private Run failed;

    @Override
    boolean hasHistory() {
        return false;
    }

    @BeforeAll
    void fill() {
        late.submit(OPEN, "doomed", "hourly");
        for (int i = 0; i < SETTLED; i++) {
            late.submit("letters/" + i, "doomed", "hourly");
        }
        Patience.until(() -> letters().size() == SETTLED + 1);
        letters().stream()
                .filter(letter -> !letter.run().key().name().equals(OPEN))
                .forEach(
                        letter -> late.engine.deadLetters().discard(letter.run().id(), "bob", "old"));
        failed = late.submit(LONG, "nightly-close", "month is over");
        late.tell(LONG, "extract");
        Run stopped = late.submit(LONG, "nightly-close", "once more");
        late.time.pass(Duration.ofMinutes(149));
        late.engine.cancel(stopped.id(), Actor.of("ops"), "not needed");
        await(stopped, RunState.ABORTED);
        late.tell(LONG, "fail the disk is full");
        await(failed, RunState.FAILED);
        late.time.arrive();
    }

    @AfterAll
    void end() {
        late.close();
    }

    private List<DeadLetter> letters() {
        DeadLetterQuery all = new DeadLetterQuery(Site.TENANT, null, false, 0, 200);
        List<DeadLetter> found = new ArrayList<>();
        for (List<DeadLetter> page = late.engine.deadLetters().list(all); !page.isEmpty(); ) {
            found.addAll(page);
            long after = found.get(found.size() - 1).run().number();
            page = late.engine.deadLetters().list(new DeadLetterQuery(Site.TENANT, null, false, after, 200));
        }
        return found;
    }

    private static String shortId(Run run) {
        String id = run.id().toString();
        return id.substring(id.length() - 8);
    }

    private void await(Run run, RunState state) {
        Patience.until(() -> late.engine.find(run.id()).orElseThrow().state() == state);
    }

    private Visitor ada() {
        return new Visitor(browser(), late, Role.OPERATOR, 1360, 900, ColorScheme.LIGHT);
    }

    @Test
    void aLongRunThatFailedLatelyIsCountedListedAndRetried() {
        JsonObject summary = late.get(Role.READ, "summary");
        assertThat(summary.getInteger("failed"))
                .as("the one that was stopped has not failed")
                .isEqualTo(1);
        try (Visitor ada = ada()) {
            Page page = ada.open("");
            Locator figure = page.locator("main .kpi", new Page.LocatorOptions().setHasText("failed, last hour"));
            assertThat(figure.locator("b")).hasText("1");
            Locator row = page.getByLabel("Needs attention").locator("li:has-text('EXIT_70')");
            row.locator("button:has-text('Retry…')").click();
            assertThat(page.locator("dialog h2")).hasText("Retry run " + shortId(failed) + "?");
            page.keyboard().press("Escape");
            figure.click();
            assertThat(page.locator("main tbody tr")).hasCount(1);
            assertThat(page.locator("main tbody tr")).containsText(LONG);
            page.locator("main button:has-text('failed in the last 1h')").click();
            assertThat(page.locator("main tbody tr")).not().hasCount(1);
            ada.go("runs?failedSince=1h&error=EXIT_9");
            assertThat(page.locator("main")).containsText("Nothing matches");
            ada.isContent();
        }
    }

    @Test
    void manyKeysWithLongLinesLeaveRoomForOthers() {
        for (int key = 0; key < 6; key++) {
            // The first of each has its key, and no worker.
            for (int i = 0; i < 11; i++) {
                late.submit("hot/" + key, "remote", "hourly");
            }
        }
        try (Visitor ada = ada()) {
            Page page = ada.go("");
            Locator list = page.getByLabel("Needs attention").locator("ul");
            assertThat(list.locator("li:has-text('10 wait, kept for run')")).hasCount(4);
            assertThat(list).containsText("2 other keys have many waiting runs");
            assertThat(list).containsText("no worker takes job remote: 6 runs wait");
            ada.go("queue");
            assertThat(page.getByLabel("hot/0").first()).containsText("which waits for a worker");
            assertThat(page.locator("main")).not().containsText("no worker yet");
            ada.isContent();
        }
    }

    @Test
    void anOpenDeadLetterIsSeenBehindManyThatAreSettled() {
        try (Visitor ada = ada()) {
            Page page = ada.go("dead-letters");
            assertThat(page.locator("nav.side")).containsText("Dead letters 1");
            assertThat(page.locator("main tbody tr")).hasCount(1);
            assertThat(page.locator("main tbody tr")).containsText(OPEN);
            ada.go("");
            page.getByLabel("Needs attention")
                    .locator("li:has-text('doomed')")
                    .locator("button:has-text('Retry…')")
                    .click();
            assertThat(page.locator("dialog h2")).containsText("Retry run ");
            page.keyboard().press("Escape");
            ada.isContent();
        }
    }
}
