package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Run;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Actions on dead letters: single ones, and all that a filter shows. */
class DeadLettersTest extends BrowserTest {

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void oneIsTriedAgain() {
        dead("again/one");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("dead-letters?key=again/one");
            page.getByLabel("Retry run").click();
            assertThat(page.locator(".toast")).containsText("is retried");
            site().tell("again/one", "extract", "end");
            assertThat(open()).extracting(letter -> letter.run().key().name()).doesNotContain("again/one");
            ada.isContent();
        }
    }

    @Test
    void whatIsSettledCannotBeSettledAgain() {
        Run letter = dead("again/twice");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("runs/" + letter.id());
            // The paused page still shows the button.
            page.locator("header button:has-text('Freeze')").click();
            site().engine.deadLetters().discard(letter.id(), "bob", "he was first");
            ActionsTest.press(page, "Retry");
            assertThat(page.locator(".toast.bad")).containsText("bob");
        }
    }

    @Test
    void manyAreDiscardedAsFarAsTheFilterGoes() {
        dead("bulk/a1");
        dead("bulk/a2");
        Run other = dead("bulk/b1");
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("dead-letters?key=bulk/*");
            assertThat(page.locator("main tbody tr")).hasCount(3);
            page.locator("main input[name=key]").fill("bulk/a*");
            ActionsTest.press(page, "Filter");
            assertThat(page.locator("main tbody tr")).hasCount(2);
            assertThat(page.url()).contains("key=bulk%2Fa*");
            ActionsTest.press(page, "Discard 2 matching…");
            assertThat(page.locator("dialog")).containsText("key bulk/a*");
            page.getByLabel("Reason").fill("obsolete");
            ActionsTest.dialog(page, "Discard 2").click();
            assertThat(page.locator(".toast").last()).containsText("2 discarded");
            assertThat(page.url()).contains("key=bulk%2Fa*");
            ada.isContent();
        }
        assertThat(open()).extracting(letter -> letter.run().id()).contains(other.id());
        assertThat(open()).extracting(letter -> letter.run().key().name()).doesNotContain("bulk/a1", "bulk/a2");
    }

    private List<DeadLetter> open() {
        return site().engine.deadLetters().list(DeadLetterQuery.openOf(Site.TENANT));
    }

    private Run dead(String key) {
        Run run = site().submit(key, "import", "import");
        site().tell(key, "extract", "again no such table", "extract", "again no such table");
        Patience.until(() -> site().engine.find(run.id()).orElseThrow().state() == RunState.DEAD);
        return run;
    }
}
