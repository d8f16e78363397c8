package io.interlock.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.RequestOptions;
import io.interlock.access.Role;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A signed-in user with their own browser, which shows nothing yet. Errors of the browser are recorded. */
final class Visitor implements AutoCloseable {

    private static final String WATCH = "addEventListener('securitypolicyviolation', e =>"
            + " console.error('CSP ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sourceFile))";

    final Site site;
    final BrowserContext context;
    final Page page;
    final List<String> complaints = new CopyOnWriteArrayList<>();

    Visitor(Browser browser, Site site, Role role) {
        this(browser, site, role, 1360, 900, ColorScheme.LIGHT);
    }

    Visitor(Browser browser, Site site, Role role, int width, int height, ColorScheme scheme) {
        this(browser, site, site.apiKey(role), width, height, scheme);
    }

    Visitor(Browser browser, Site site, String apiKey, int width, int height, ColorScheme scheme) {
        this.site = site;
        context = browser.newContext(new Browser.NewContextOptions()
                .setViewportSize(width, height)
                .setColorScheme(scheme)
                .setPermissions(List.of("clipboard-read", "clipboard-write")));
        context.setDefaultTimeout(30_000);
        context.addInitScript(WATCH);
        page = tab();
        Map<String, String> code = Map.of("code", site.sessions.oneTimeCode(apiKey));
        assertThat(context.request()
                        .post(
                                site.root() + "api/v1/session",
                                RequestOptions.create().setData(code))
                        .status())
                .isEqualTo(200);
    }

    /** Another tab of the same browser. */
    Page tab() {
        Page tab = context.newPage();
        tab.onConsoleMessage(message -> {
            if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
                complaints.add(message.text());
            }
        });
        tab.onPageError(error -> complaints.add(error));
        return tab;
    }

    /** Opens a page under {@code /ui/}, and waits until it is rendered. */
    Page open(String path) {
        page.navigate(site.root() + "ui/" + path);
        page.waitForSelector("main[aria-busy=false] h1");
        return page;
    }

    /** Goes to a page under {@code /ui/} as a link does, without a full reload, unless it is the first one. */
    Page go(String path) {
        if (page.url().equals("about:blank")) {
            return open(path);
        }
        page.waitForSelector("main[aria-busy=false] h1");
        page.evaluate(
                "to => { document.querySelector('main h1').dataset.old = 'yes'; history.pushState(null, '', to);"
                        + " dispatchEvent(new PopStateEvent('popstate')); }",
                site.root() + "ui/" + path);
        page.waitForSelector("main[aria-busy=false] h1:not([data-old])");
        return page;
    }

    /** Fails if the browser reported errors. */
    void isContent() {
        assertThat(complaints).isEmpty();
    }

    @Override
    public void close() {
        context.close();
    }
}
