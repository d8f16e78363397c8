package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Cookie;
import io.interlock.config.OidcSettings;
import java.util.List;
import java.util.Map;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.token.DefaultOAuth2TokenCallback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Sign-in with an OpenID provider that runs beside the site, and what follows from it. */
class SingleSignOnTest extends BrowserTest {

    private static final String CLIENT = "interlock-ui";

    private final MockOAuth2Server provider = new MockOAuth2Server();

    @Override
    boolean hasHistory() {
        return false;
    }

    @Override
    @Nullable
    OidcSettings provider() {
        provider.start();
        return new OidcSettings(
                provider.issuerUrl("ops").uri(),
                CLIENT,
                null,
                "Example <SSO>",
                null,
                List.of("openid"),
                "roles",
                null,
                List.of());
    }

    @AfterAll
    void stopProvider() {
        provider.shutdown();
    }

    private void comes(String... roles) {
        provider.enqueueCallback(new DefaultOAuth2TokenCallback(
                "ops",
                "carol",
                "JWT",
                List.of(CLIENT),
                Map.of("email", "carol@example.com", "roles", List.of(roles)),
                3600));
    }

    @Test
    void aPersonSignsInChoosesATenantOutlivesARestartAndSignsOut() throws Exception {
        site().submit("sso/1", "nightly-close", "of acme");
        try (BrowserContext context = browser().newContext()) {
            Page page = context.newPage();
            page.navigate(site().root() + "ui/runs?state=RUNNING");
            assertThat(page.locator(".sign-in")).isVisible();
            PicturesTest.isAccessible(page);
            comes("acme:operator", "globex:read");
            page.locator("text=Sign in with Example <SSO>").click();
            assertThat(page).hasURL(site().root() + "ui/runs?state=RUNNING");
            assertThat(page.locator("main")).containsText("sso/1");
            assertThat(page.locator(".who")).containsText("acme");
            assertThat(page.locator(".who")).containsText("operator");
            Cookie cookie = context.cookies().stream()
                    .filter(one -> one.name.equals("interlock_session"))
                    .findFirst()
                    .orElseThrow();
            assertThat(cookie.httpOnly).isTrue();
            assertThat(context.cookies()).as("nothing of the sign-in is left").hasSize(1);

            site().down();
            site().up();
            assertThat(page.locator(".live")).containsText("Live");
            page.reload();
            assertThat(page.locator("main")).containsText("sso/1");
            assertThat(page.locator(".sign-in, .signin")).hasCount(0);

            page.locator(".who").click();
            assertThat(page.locator(".menu")).containsText("carol@example.com");
            page.locator(".menu button:has-text('globex')").click();
            assertThat(page.locator(".who")).containsText("globex");
            assertThat(page.locator(".who")).containsText("read");
            assertThat(page.locator("main")).not().containsText("sso/1");

            page.locator(".who").click();
            page.locator(".menu button:has-text('Sign out')").click();
            // By way of the provider, which ends its own session.
            assertThat(page).hasURL(site().root() + "ui/");
            assertThat(page.locator(".sign-in")).isVisible();
            assertThat(context.cookies().stream().filter(one -> one.name.equals("interlock_session")))
                    .isEmpty();
        }
        site().tell("sso/1", "end");
    }

    @Test
    void aPersonWithoutARoleIsToldWhatToDo() throws Exception {
        try (BrowserContext context = browser().newContext()) {
            Page page = context.newPage();
            page.navigate(site().root() + "ui/");
            comes("something");
            page.locator("text=Sign in with Example <SSO>").click();
            assertThat(page.locator(".problem")).containsText("you have no role here");
            assertThat(page).hasURL(site().root() + "ui/");
            PicturesTest.isAccessible(page);
        }
    }
}
