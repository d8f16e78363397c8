package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.interlock.access.Role;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The documentation that the server has with it: each page of the UI leads to its place there. */
class DocsTest extends BrowserTest {

    /** The docs pages that the present one leads to, with the places within them. */
    private static final String LINKS =
            "() => [...document.querySelectorAll('main a')].map(each => new URL(each.getAttribute('href'), location.href))"
                    + ".filter(each => each.pathname.includes('/docs')).map(each => each.pathname.slice(4) + each.hash)";

    private static final String PLACES = "() => [...document.querySelectorAll('main [id]')].map(each => each.id)";

    @Override
    boolean hasHistory() {
        return false;
    }

    @Test
    void eachPageLeadsToItsPlaceInTheDocs() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            Page page = ada.page;
            for (String path : List.of(
                    "",
                    "locks",
                    "lock?key=docs/1",
                    "runs",
                    "queue",
                    "dead-letters",
                    "jobs",
                    "jobs/quick",
                    "workers",
                    "janitor",
                    "audit",
                    "settings")) {
                ada.go(path);
                page.locator("main .head button:has-text('Docs')").click();
                page.locator("dialog a:has-text('Read more in the docs')").click();
                page.waitForURL(Pattern.compile(".*/ui/docs/.*"));
                assertThat(page.locator("dialog")).hasCount(0);
                assertThat(page.locator("main .doc article")).isVisible();
                isThere(page, path);
            }
            ada.isContent();
        }
    }

    @Test
    void allLinksOfTheDocsLeadSomewhere() {
        try (Visitor ada = visitor(Role.READ)) {
            Set<String> links = new TreeSet<>();
            Set<String> places = new TreeSet<>();
            Deque<String> next = new ArrayDeque<>(List.of("docs"));
            while (!next.isEmpty()) {
                String path = next.pop();
                if (places.add(path)) {
                    Page page = ada.go(path);
                    assertThat(page.locator("main .doc article")).isVisible();
                    ((List<?>) page.evaluate(PLACES)).forEach(id -> places.add(path + "#" + id));
                    ((List<?>) page.evaluate(LINKS)).forEach(each -> {
                        links.add(String.valueOf(each));
                        next.push(String.valueOf(each).replaceFirst("#.*", ""));
                    });
                }
            }
            assertThat(places).containsAll(links).contains("docs/runbooks", "docs/problems", "docs/concepts");
            assertThat(links).hasSizeGreaterThan(30);
            ada.go("docs/nonsense");
            assertThat(ada.page.locator("main")).containsText("Page not found");
            ada.isContent();
        }
    }

    /** Fails if the place in the address is not on the page, or not in view. */
    private static void isThere(Page page, String from) {
        assertThat((Boolean) page.evaluate("() => !location.hash || document.querySelector(location.hash) !== null"))
                .as("%s leads to %s", from, page.url())
                .isTrue();
    }

    @Test
    void aLinkWithinAPageMovesTheFocusThere() {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("docs/runbooks");
            page.locator(".contents a:has-text('InterlockDeadLetters')").focus();
            page.keyboard().press("Enter");
            assertThat(page.locator("#interlockdeadletters")).isFocused();
            assertThat(page.locator("#interlockdeadletters")).isInViewport();
            page.reload();
            assertThat(page.locator("#interlockdeadletters")).isInViewport();
            ada.isContent();
        }
    }

    @ParameterizedTest
    @CsvSource({"light,1360,900,LIGHT", "dark,1920,1080,DARK", "narrow,390,844,DARK"})
    void allDocsCanBeRead(String name, int width, int height, ColorScheme scheme) throws IOException {
        SoftAssertions softly = new SoftAssertions();
        try (Visitor visitor = new Visitor(browser(), site(), Role.READ, width, height, scheme)) {
            visitor.open("docs").evaluate(PicturesTest.axe() + "; null");
            for (String path : List.of(
                    "docs",
                    "docs/concepts",
                    "docs/guarantees",
                    "docs/runbooks",
                    "docs/configuration",
                    "docs/workers",
                    "docs/rest")) {
                visitor.go(path);
                PicturesTest.look(visitor.page, path.replace('/', '-') + "-" + name, softly);
            }
            visitor.isContent();
        }
        softly.assertAll();
    }
}
