package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.interlock.run.Run;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Keys, reasons, stages and errors that look like code are shown as text and not executed. */
class HostileWordsTest extends BrowserTest {

    private static final List<String> WORDS = List.of(
            "<script>document.title='owned'</script>",
            "<img src=x onerror=alert(1)>",
            "\"><svg onload=alert(1)>",
            "'-alert(1)-'",
            "${alert(1)}",
            "{{constructor.constructor('alert(1)')()}}",
            "javascript:alert(1)",
            "</textarea><iframe src=javascript:alert(1)>",
            "`;alert(1);`",
            "at 2024-13-45T00:00:00Z",
            "<a href=\"javascript:alert(1)\" style=\"position:fixed;inset:0\">x</a>");

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void aKeyThatLooksLikeARunIsToldWholeAndLeadsNowhere() {
        String key = "event/" + UUID.randomUUID();
        Run run = site().submit(key, "import", "from a queue");
        Patience.until(() -> site().engine.find(run.id()).orElseThrow().state() == RunState.RUNNING);
        try (Visitor ada = visitor(Role.READ)) {
            for (String path : List.of("lock?key=" + key, "runs/" + run.id())) {
                Page page = ada.open(path);
                assertThat(page.locator("main")).containsText(key);
                assertThat(page.locator(".lead a")).hasCount(0);
            }
            ada.isContent();
        }
    }

    @Test
    void namesThatLookLikeProgramsStayNames() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < WORDS.size(); i++) {
            String words = WORDS.get(i);
            Run run = site().engine
                    .submit(RunRequest.of(Site.key(key(i)), "import")
                            .reason(words)
                            .submitter(words)
                            .labels(Map.of("team", words)))
                    .orElseThrow();
            site().tell(key(i), words);
            runs.add(run);
        }
        site().tell(key(0), "say " + WORDS.get(1), "again " + WORDS.get(1), "stage", "again " + WORDS.get(1));
        Patience.until(() -> site().engine.find(runs.get(0).id()).orElseThrow().state() == RunState.DEAD);
        site().engine.pause(Site.TENANT, key(3), WORDS.get(1), WORDS.get(2), null);
        try (Visitor ada = visitor(Role.ADMIN)) {
            List<String> alerts = new ArrayList<>();
            ada.page.onDialog(alert -> {
                alerts.add(alert.message());
                alert.dismiss();
            });
            for (String page : List.of("", "locks", "runs", "queue", "dead-letters", "audit", "janitor", "settings")) {
                ada.go(page);
            }
            for (int i = 0; i < WORDS.size(); i++) {
                Page page = ada.go("lock?key=" + URLEncoder.encode(key(i), StandardCharsets.UTF_8) + "&tab=runs");
                assertThat(page.locator("h1")).hasText(key(i));
                page.locator("section[aria-label=Runs] a.mono").first().click();
                assertThat(page.locator("h1")).containsText("Run");
                assertThat(page.locator("main")).containsText(WORDS.get(i));
            }
            Page locks = ada.open("locks?key=" + URLEncoder.encode("x/*", StandardCharsets.UTF_8));
            assertThat(locks.locator("main tbody tr")).hasCount(WORDS.size() - 1);
            locks.locator("main tbody a.key").last().click();
            assertThat(locks.locator("h1")).containsText("x/");
            ActionsTest.press(locks, "Force release…");
            assertThat(locks.locator("dialog")).containsText("Held by");
            assertThat(alerts).isEmpty();
            assertThat(locks.title()).doesNotContain("owned");
            assertThat(locks.locator("iframe, main script, main img").count()).isZero();
            ada.isContent();
        }
    }

    private static String key(int i) {
        return "x/" + WORDS.get(i).replace("*", "");
    }
}
