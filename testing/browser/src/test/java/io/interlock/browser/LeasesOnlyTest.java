package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.interlock.access.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * On a store that keeps leases only, as Redis does, locks are shown and can be evicted; pages that need runs explain
 * why they are empty.
 */
class LeasesOnlyTest extends BrowserTest {

    private static final String WHY = "keeps leases only";

    @Override
    boolean hasHistory() {
        return false;
    }

    @Override
    boolean isLeasesOnly() {
        return true;
    }

    @Test
    void whatIsHeldIsShownAndTakenAway() {
        assertThat(site().acquire(site().apiKey(Role.WORKER), "ledger/bare")).isEqualTo(200);
        try (Visitor ada = visitor(Role.OPERATOR)) {
            ada.page.clock().install();
            for (String path : List.of("", "locks", "lock?key=ledger/bare")) {
                Page page = ada.open(path);
                assertThat(page.locator("main")).containsText("ledger/bare");
                assertThat(page.locator("main .pill").first()).hasText("Held");
                assertThat(page.locator(".head button:has-text('Start'), .head button:has-text('Pause')"))
                        .hasCount(0);
            }
            assertThat(ada.page.locator("main")).containsText(WHY);
            // There is no event stream, but the page does not count as offline.
            ada.page.clock().runFor(30_000);
            assertThat(ada.page.locator(".live")).hasText("Live");
            ActionsTest.press(ada.page, "Force release…");
            ada.page.getByLabel("Reason").fill("its host is gone");
            ada.page.getByLabel("Type the key").fill("ledger/bare");
            ActionsTest.dialog(ada.page, "Force release").click();
            assertThat(ada.page.locator(".toast")).containsText("is retired");
            ada.isContent();
        }
    }

    @Test
    void whatNeedsRunsSaysWhyThereIsNothingAndOffersNoOtherTry() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            for (String path : List.of("runs", "queue", "dead-letters", "workers", "audit")) {
                Page page = ada.open(path);
                assertThat(page.locator("main")).containsText(WHY);
                assertThat(page.locator("main").getByRole(AriaRole.BUTTON)).hasCount(0);
            }
            Page page = ada.open("settings");
            assertThat(page.locator("main")).containsText(WHY);
            // Keys are listed; actions that the server would refuse are not offered.
            assertThat(page.getByLabel("API keys").last()).containsText("Active");
            assertThat(page.locator("main button.danger")).hasCount(0);
            ActionsTest.press(page, "Sign out");
            assertThat(page.locator("form")).containsText("Sign in");
            ada.isContent();
        }
    }
}
