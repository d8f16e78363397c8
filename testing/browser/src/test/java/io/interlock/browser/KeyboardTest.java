package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ReducedMotion;
import io.interlock.access.Role;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Keyboard users reach everything, see the focus, and get the focus back when a dialog closes. */
class KeyboardTest extends BrowserTest {

    /** Records elements that had the focus without showing it, and counts focusable elements that never had it. */
    private static final String WATCH = """
            () => {
              window.hidden = [];
              window.seen = new Set();
              addEventListener('focusin', ({ target }) => {
                seen.add(target);
                const { outlineStyle, outlineWidth } = getComputedStyle(target);
                if (target.matches(':focus-visible') && (outlineStyle === 'none' || outlineWidth === '0px') && !target.matches('h1')) hidden.push(target.outerHTML);
              });
              // The bars of a chart but one are reached by arrow keys.
              window.left = () => [...document.querySelectorAll('a[href]:not(svg a[tabindex="-1"]),button,input,select,summary,pre[tabindex]')]
                .filter(each => !each.disabled && each.checkVisibility() && !seen.has(each)).map(each => each.outerHTML);
            }""";

    @Test
    void everythingIsReachedByTabAndShowsThatItIs() {
        SoftAssertions softly = new SoftAssertions();
        try (Visitor ada = visitor(Role.ADMIN)) {
            Page page = ada.open("");
            // The page must not change during the walk.
            page.locator("header button:has-text('Freeze')").click();
            page.evaluate(WATCH);
            for (String path : List.of(
                    "",
                    "locks",
                    "lock?key=" + History.LEDGER,
                    "runs",
                    "runs/" + history().running.id(),
                    "queue",
                    "dead-letters",
                    "jobs",
                    "jobs/billing-export",
                    "lock?key=" + History.LEDGER + "&tab=history",
                    "workers",
                    "janitor",
                    "audit?key=" + History.INVOICES,
                    "settings")) {
                ada.go(path);
                page.evaluate("() => { seen.clear(); hidden.length = 0; document.activeElement.blur(); }");
                for (int i = 0; i < 200 && (i % 10 != 0 || !((List<?>) page.evaluate("left()")).isEmpty()); i++) {
                    page.keyboard().press("Tab");
                }
                softly.assertThat((List<?>) page.evaluate("left()"))
                        .as(path + " not reached")
                        .isEmpty();
                softly.assertThat((List<?>) page.evaluate("hidden"))
                        .as(path + " without a visible focus")
                        .isEmpty();
            }
            softly.assertAll();
            ada.isContent();
        }
    }

    @Test
    void theBarsOfAChartAreReachedByArrowKeys() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("");
            page.locator(".charts a[tabindex='0']").focus();
            page.keyboard().press("ArrowLeft");
            page.keyboard().press("ArrowLeft");
            page.keyboard().press("ArrowRight");
            assertThat(page.evaluate(
                            "() => [...document.querySelectorAll('.charts a')].at(-2) === document.activeElement"))
                    .isEqualTo(true);
        }
    }

    @Test
    void locksAreFoundByHolderLabelAndTimeAndTheAddressFindsThemAgain() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("locks");
            Locator rows = page.locator("main tbody tr");
            for (List<String> each : List.of(
                    List.of("holder", "ci@build-17", History.INVOICES),
                    List.of("label", "team=finance", History.BILLING),
                    List.of("heldFor", "30m", History.LEDGER))) {
                assertThat(rows).hasCount(5);
                filter(page, each.get(0), each.get(1));
                assertThat(rows).hasCount(1);
                assertThat(rows).containsText(each.get(2));
                page.reload();
                assertThat(page.locator("main input[name=" + each.get(0) + "]")).hasValue(each.get(1));
                assertThat(rows).hasCount(1);
                filter(page, each.get(0), "");
            }
            filter(page, "label", "team=unknown");
            assertThat(page.locator("main")).containsText("Nothing matches");
            filter(page, "label", "");
            filter(page, "heldFor", "soon");
            assertThat(page.locator("main .wrong")).containsText("'soon' is neither a time");
            ada.isContent();
        }
    }

    /** Types into a field of the page's filter, and presses Enter. */
    private static void filter(Page page, String field, String words) {
        page.locator("main input[name=" + field + "]").fill(words);
        page.keyboard().press("Enter");
    }

    @Test
    void whatTheAuditLogShowsIsNarrowedByWhoAndWhat() {
        try (Visitor ada = visitor(Role.OPERATOR)) {
            Page page = ada.open("audit");
            assertThat(page.locator("main tbody")).containsText("cron@ops");
            filter(page, "who", "ops");
            filter(page, "action", "paused");
            assertThat(page.locator("main tbody tr")).hasCount(1);
            assertThat(page.locator("main tbody tr")).containsText("audit freeze");
            assertThat(page).hasURL(Pattern.compile(".*who=ops&action=paused"));
            ada.isContent();
        }
    }

    @Test
    void theFirstStopLeadsPastTheNavigation() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            Page page = ada.open("dead-letters");
            page.keyboard().press("Tab");
            assertThat(page.locator(".skip")).isFocused();
            page.keyboard().press("Enter");
            page.keyboard().press("Tab");
            assertThat(page.evaluate("document.activeElement.closest('main') !== null"))
                    .isEqualTo(true);
        }
    }

    @Test
    void aDialogKeepsTheFocusUntilItClosesAndGivesItBack() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            for (Map.Entry<String, String> each : Map.of(
                            "lock?key=" + History.LEDGER,
                            "Force release…",
                            "runs/" + history().running.id(),
                            "Cancel run…",
                            "dead-letters",
                            "Discard all 2…",
                            "settings",
                            "Create a key…",
                            "runs",
                            "Start a run…")
                    .entrySet()) {
                Page page = ada.go(each.getKey());
                page.locator("main button", new Page.LocatorOptions().setHasText(each.getValue()))
                        .first()
                        .focus();
                page.keyboard().press("Enter");
                assertThat(page.locator("dialog")).isVisible();
                for (int i = 0; i < 12; i++) {
                    assertThat(page.evaluate("document.activeElement === document.body"
                                    + " || document.activeElement.closest('dialog') !== null"))
                            .as("%s, after %d stops", each.getValue(), i)
                            .isEqualTo(true);
                    page.keyboard().press("Tab");
                }
                page.keyboard().press("Escape");
                assertThat(page.locator("dialog")).hasCount(0);
                assertThat(page.locator("main button:focus")).hasText(each.getValue());
            }
            ada.isContent();
        }
    }

    @Test
    void whoeverWantsNothingToMoveSeesNothingMove() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("");
            String moves = "getComputedStyle(document.querySelector('.toast')).animationName";
            page.keyboard().press(".");
            page.waitForSelector(".toast");
            assertThat(page.evaluate(moves)).isNotEqualTo("none");
            page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));
            assertThat(page.evaluate(moves)).isEqualTo("none");
        }
    }
}
