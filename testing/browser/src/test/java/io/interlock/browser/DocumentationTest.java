package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The site of the documentation, opened as files. {@code -Dinterlock.pictures=FOLDER} keeps pictures in {@code target/site-pictures}. */
class DocumentationTest {

    private static final List<String> PAGES = List.of(
            "index",
            "start",
            "recipes/pipeline",
            "comparison",
            "guarantees",
            "configuration",
            "reference/http",
            "runbooks",
            "spring",
            "project/index");

    @TempDir
    static Path folder;

    private static Browser browser;

    @BeforeAll
    static void build() {
        assumeTrue(Chromium.installed().isPresent(), "no Chromium; install the package chromium-headless-shell");
        PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
        browser = Chromium.shared(Chromium.installed().get()).browser();
        assertThat(io.interlock.site.Site.build(Path.of("../.."), folder)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"light,1360,900,LIGHT", "dark,1360,900,DARK", "narrow,360,780,LIGHT"})
    void everyPageCanBeSeenByEverybody(String name, int width, int height, ColorScheme scheme) throws IOException {
        SoftAssertions softly = new SoftAssertions();
        try (BrowserContext context = context(width, height, scheme)) {
            List<String> complaints = new ArrayList<>();
            Page page = context.newPage();
            page.onPageError(complaints::add);
            for (String path : PAGES) {
                page.navigate(address(path));
                look(page, path.replace('/', '-') + "-" + name, softly);
            }
            page.locator("#site-search").fill("fencing token");
            assertThat(page.locator("#site-found a").first()).isVisible();
            look(page, "search-" + name, softly);
            softly.assertThat(complaints).isEmpty();
        }
        softly.assertAll();
    }

    @Test
    void theSearchFindsSectionsPropertiesAndAlerts() {
        try (BrowserContext context = context(1360, 900, ColorScheme.LIGHT)) {
            Page page = context.newPage();
            page.navigate(address("recipes/cron"));
            found(page, "limits.open-runs", "configuration.html#");
            found(page, "InterlockStoreAway", "runbooks.html#interlockstoreaway");
            found(page, "lock-held", "problems.html#lock-held");
            found(page, "acquireAll several keys", ".html#");
            page.locator("#site-search").fill("zzzz");
            assertThat(page.locator("#site-found")).containsText("Nothing found");
            page.keyboard().press("Escape");
            assertThat(page.locator("#site-found")).isHidden();
            page.locator("#site-theme").click();
            assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
            page.reload();
            assertThat(page.locator("html")).hasAttribute("data-theme", "dark");
        }
    }

    @Test
    void onANarrowScreenTheMenuOpens() {
        try (BrowserContext context = context(360, 780, ColorScheme.LIGHT)) {
            Page page = context.newPage();
            page.navigate(address("guarantees"));
            assertThat(page.locator("#site-navigation")).isHidden();
            page.locator("#site-menu").click();
            assertThat(page.locator("#site-navigation [aria-current]")).hasText("Guarantees");
            page.locator("#site-navigation >> text=Runbooks").click();
            assertThat(page.locator("h1")).hasText("Runbooks");
        }
    }

    private static void found(Page page, String words, String address) {
        Pattern wanted = Pattern.compile(address.replace(".", "\\."));
        page.keyboard().press("Escape");
        page.keyboard().press("/");
        page.keyboard().type(words);
        page.keyboard().press("ArrowDown");
        assertThat(page.locator("#site-found [aria-selected=true]")).hasAttribute("href", wanted);
        page.keyboard().press("Enter");
        page.waitForURL(wanted);
    }

    private static void look(Page page, String name, SoftAssertions softly) throws IOException {
        if (!System.getProperty("interlock.pictures", "").isEmpty()) {
            page.screenshot(new Page.ScreenshotOptions().setPath(Path.of("target/site-pictures", name + ".png")));
        }
        page.evaluate(PicturesTest.axe() + "; null");
        softly.assertThat(PicturesTest.violations(page, PicturesTest.Rules.of(name)))
                .as(name)
                .isEmpty();
        softly.assertThat(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as("%s is wider than the screen", name)
                .isEqualTo(0);
    }

    private static BrowserContext context(int width, int height, ColorScheme scheme) {
        return browser.newContext(
                new Browser.NewContextOptions().setViewportSize(width, height).setColorScheme(scheme));
    }

    private static String address(String page) {
        return folder.resolve(page + ".html").toUri().toString();
    }
}
