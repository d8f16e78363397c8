package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.interlock.access.Role;
import io.interlock.access.SignIn;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The session, its tenant, and API keys. */
class SettingsTest extends BrowserTest {

    @Override
    boolean hasHistory() {
        return false;
    }

    private String first = "";

    /** Exists only while there is no admin key. */
    @BeforeAll
    void firstKey() {
        first = site().bootstrapKey();
    }

    @Test
    void whoHasTheFirstKeyActsForAnyTenantAndNobodyElseDoes() {
        site().submit("of/acme", "nightly-close", "seen from default");
        try (Visitor root = new Visitor(browser(), site(), first, 1360, 900, ColorScheme.LIGHT)) {
            Page page = root.open("settings");
            assertThat(page.locator(".who")).containsText("default");
            Page other = root.tab();
            other.navigate(site().root() + "ui/locks");
            assertThat(other.locator(".who")).containsText("default");
            other.evaluate("window.ofDefault = true");
            page.getByLabel("Act for tenant").fill(Site.TENANT);
            ActionsTest.press(page, "Switch");
            assertThat(page.locator(".who")).containsText(Site.TENANT);
            // All tabs share one stream, so they all show the same tenant, and keep no data of another.
            assertThat(other.locator(".who")).containsText(Site.TENANT);
            other.waitForFunction("window.ofDefault === undefined");
            root.go("locks");
            assertThat(page.locator("main tbody")).containsText("of/acme");
            assertThat(page.locator(".live")).hasText("Live");
            site().submit("of/acme/2", "nightly-close", "told live");
            assertThat(page.locator("main tbody")).containsText("of/acme/2");
            root.isContent();
        }
        try (Visitor ada = visitor(Role.ADMIN)) {
            Page page = ada.open("settings");
            assertThat(page.locator("main")).containsText("API keys");
            assertThat(page.getByLabel("Act for tenant")).hasCount(0);
            page.evaluate("localStorage.setItem('interlock.tenant', 'default')");
            ada.open("settings");
            assertThat(page.locator(".who")).containsText(Site.TENANT);
        }
        site().tell("of/acme", "end");
        site().tell("of/acme/2", "end");
    }

    @Test
    void aPageThatIsLeftOpenKeepsNobodySignedIn() {
        // Twice this time is less than the life of a session, three times is more.
        Duration aWhile = SignIn.IDLE.multipliedBy(2).dividedBy(5);
        site().submit("idle/1", "nightly-close", "looks again every few seconds");
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.page;
            page.clock().install();
            ada.open("lock?key=idle/1");
            // The page was opened a moment ago, which counts as activity.
            for (int i = 0; i < 3; i++) {
                site().sessionTime.pass(aWhile);
                asks(page, false);
            }
            assertThat(page.locator(".signin")).hasCount(0);
            page.clock().fastForward(61_000);
            asks(page, true);
            page.mouse().click(5, 400);
            asks(page, false);
            page.clock().fastForward(61_000);
            for (int i = 0; i < 2; i++) {
                site().sessionTime.pass(aWhile);
                asks(page, true);
            }
            site().sessionTime.pass(aWhile);
            assertThat(page.locator(".signin")).containsText("Your session has ended");
        }
        site().tell("idle/1", "end");
    }

    /** Lets the page reload, and waits for the answer: in the background, or after user input. */
    private static void asks(Page page, boolean alone) {
        page.waitForResponse(
                // The last request of a load.
                answer -> answer.url().contains("/runs/")
                        && answer.request().headers().containsKey("x-background") == alone,
                () -> page.clock().fastForward(5_000));
    }

    @Test
    void aKeyIsMadeShownOnceUsedAndTakenBack() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            Page page = ada.open("settings");
            ActionsTest.press(page, "Create a key…");
            assertThat(ActionsTest.dialog(page, "Create")).isDisabled();
            page.locator("dialog #f-role").selectOption("worker");
            page.locator("dialog #f-label").fill("worker-3");
            ActionsTest.dialog(page, "Create").click();
            String secret = page.locator("dialog .secret").innerText();
            assertThat(secret).startsWith("ilk_");
            page.locator("dialog button:has-text('Copy key')").click();
            assertThat(page.locator(".toast").last()).containsText("Key copied");
            assertThat(page.evaluate("navigator.clipboard.readText()")).isEqualTo(secret);
            page.keyboard().press("Escape");
            assertThat(page.locator("dialog")).hasCount(0);
            assertThat(page.getByLabel("API keys").last()).containsText("worker-3");
            assertThat(page.content()).doesNotContain(secret);
            assertThat(site().acquire(secret, "key/1")).isEqualTo(200);

            page.locator("tr", new Page.LocatorOptions().setHasText("worker-3"))
                    .locator("button")
                    .click();
            page.getByLabel("Reason").fill("left the company");
            ActionsTest.dialog(page, "Revoke").click();
            assertThat(page.locator(".toast").last()).containsText("is revoked");
            Patience.until(() -> site().acquire(secret, "key/2") == 401);
            ada.isContent();
        }
    }

    @Test
    void rowsAreCompactForWhoLikesThemSo() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            Page page = ada.open("settings");
            double comfortable = rowHeight(page);
            page.getByLabel("Compact rows").check();
            assertThat(rowHeight(page)).isLessThan(comfortable);
            page.reload();
            page.waitForSelector("main tbody tr");
            assertThat(page.getByLabel("Compact rows")).isChecked();
            assertThat(rowHeight(page)).isLessThan(comfortable);
            page.locator("h1").click();
            page.keyboard().press("c");
            assertThat(page.getByLabel("Compact rows")).not().isChecked();
            assertThat(rowHeight(page)).isEqualTo(comfortable);
            ada.isContent();
        }
    }

    private static double rowHeight(Page page) {
        return page.locator("[aria-label=Configuration] tbody tr").first().boundingBox().height;
    }

    @Test
    void whoIsNoAdminSeesNeitherKeysNorConfiguration() {
        try (Visitor guest = visitor(Role.OPERATOR)) {
            Page page = guest.open("settings");
            assertThat(page.locator("main")).containsText("needs the role admin");
            assertThat(page.getByLabel("API keys")).hasCount(0);
            JsonObject key = new JsonObject().put("role", "admin");
            assertThat(site().send(site().apiKey(Role.OPERATOR), "keys", key).statusCode())
                    .isEqualTo(403);
            guest.isContent();
        }
    }
}
