package io.interlock.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.interlock.access.Role;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every page in light, dark, narrow and wide: no findings of axe, no errors of the browser. {@code -Dinterlock.pictures=FOLDER}
 * writes the screenshots of the README there, and those of all pages to target/ui.
 */
class PicturesTest extends BrowserTest {

    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";
    private static final List<String> OF_README = List.of("now-dark", "run-light", "queue-light");

    private Map<String, String> pages() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("now", "");
        pages.put("locks", "locks");
        pages.put("lock-paused", "lock?key=" + History.MONTH_END);
        pages.put("runs", "runs");
        pages.put("run", "runs/" + history().running.id());
        pages.put("run-lost", "runs/" + history().lost.id());
        pages.put("run-queued", "runs/" + history().waiting.id());
        pages.put("run-dead", "runs/" + history().dead.id());
        pages.put("queue", "queue");
        pages.put("dead-letters", "dead-letters");
        pages.put("jobs", "jobs");
        pages.put("job", "jobs/nightly-close");
        pages.put("workers", "workers");
        pages.put("worker", "workers?worker=worker-1");
        pages.put("janitor", "janitor");
        pages.put("audit", "audit");
        pages.put("settings", "settings");
        pages.put("empty", "locks?key=nothing/*");
        pages.put("missing", "nonsense");
        pages.put("lock-history", "lock?key=" + History.LEDGER + "&tab=history");
        pages.put("lock-runs", "lock?key=" + History.LEDGER + "&tab=runs");
        pages.put("lock-audit", "lock?key=" + History.LEDGER + "&tab=audit");
        pages.put("queue-of-key", "queue?key=" + History.LEDGER);
        pages.put("lock", "lock?key=" + History.LEDGER);
        return pages;
    }

    /** {@code ./interlock prove} looks at further sizes of the screen. */
    private static Stream<Arguments> forms() {
        Stream<Arguments> always = Stream.of(
                Arguments.of("light", 1360, 900, ColorScheme.LIGHT),
                Arguments.of("dark", 1360, 900, ColorScheme.DARK),
                Arguments.of("narrow", 360, 780, ColorScheme.LIGHT));
        Stream<Arguments> more = Stream.of(
                Arguments.of("phone-dark", 390, 844, ColorScheme.DARK),
                Arguments.of("hd", 1920, 1080, ColorScheme.LIGHT),
                Arguments.of("wide", 2560, 1440, ColorScheme.DARK));
        return Boolean.getBoolean("interlock.prove") ? Stream.concat(always, more) : always;
    }

    @ParameterizedTest
    @MethodSource("forms")
    void everyPageCanBeSeenByEverybody(String name, int width, int height, ColorScheme scheme) throws IOException {
        SoftAssertions softly = new SoftAssertions();
        try (Visitor visitor = new Visitor(browser(), site(), Role.ADMIN, width, height, scheme)) {
            visitor.open("").evaluate(axe() + "; null");
            pages().forEach((page, path) -> {
                visitor.go(path);
                look(visitor.page, page + "-" + name, softly);
            });
            ActionsTest.press(visitor.page, "Force release…");
            visitor.page.waitForSelector("dialog .victim");
            look(visitor.page, "evict-" + name, softly);
            visitor.page.keyboard().press("Escape");
            visitor.page.keyboard().press("/");
            visitor.page.keyboard().type("nightly");
            visitor.page.waitForSelector(".palette mark");
            look(visitor.page, "palette-" + name, softly);
            visitor.page.keyboard().press("Escape");
            visitor.isContent();
            visitor.context.clearCookies();
            visitor.page.reload();
            visitor.page.waitForSelector(".sign-in");
            visitor.page.evaluate(axe() + "; null");
            look(visitor.page, "sign-in-" + name, softly);
            softly.assertAll();
        }
    }

    @Test
    void brokenWordsAndUnseenTextAreFound() {
        try (Visitor visitor = visitor(Role.READ)) {
            Page page = visitor.open("");
            assertThat(Layout.brokenWords(page)).isEmpty();
            assertThat(Layout.unseenText(page)).isEmpty();
            page.evaluate("""
                    () => [['COMMAND_FAILED', { width: '30px', overflowWrap: 'anywhere' }], ['Undo', { color: '#111', background: '#111' }]].forEach(([words, style]) => {
                      const text = document.createElement('p');
                      text.textContent = words;
                      Object.assign(text.style, style);
                      document.querySelector('main').append(text);
                    })""");
            assertThat(Layout.brokenWords(page)).isNotEmpty();
            assertThat(Layout.unseenText(page)).hasSize(1);
        }
    }

    static void look(Page page, String name, SoftAssertions softly) {
        String folder = System.getProperty("interlock.pictures", "");
        if (!folder.isEmpty()) {
            // The page behind a dialog is not of interest.
            picture(page, Path.of("target/ui"), name, !name.startsWith("evict") && !name.startsWith("palette"));
            if (OF_README.contains(name)) {
                picture(page, Path.of(folder), name, false);
            }
        }
        softly.assertThat(violations(page, Rules.of(name))).as(name).isEmpty();
        softly.assertThat(Layout.brokenWords(page))
                .as("broken words of %s", name)
                .isEmpty();
        softly.assertThat(Layout.unseenText(page))
                .as("text of %s in the colour of its ground", name)
                .isEmpty();
        softly.assertThat(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
                .as("%s is wider than the screen", name)
                .isEqualTo(0);
        softly.assertThat(
                        (List<?>)
                                page.evaluate(
                                        "[...document.querySelectorAll('.card')].filter(card => card.scrollWidth > card.clientWidth).map(card => card.innerText)"))
                .as("content that does not fit into %s", name)
                .isEmpty();
    }

    @Test
    void fieldsAreOneLineHighOnAPhone() {
        try (Visitor visitor = new Visitor(browser(), site(), Role.ADMIN, 390, 844, ColorScheme.DARK)) {
            for (String path : List.of("locks", "runs", "dead-letters", "jobs", "audit", "queue")) {
                visitor.go(path);
                assertThat(
                                (List<?>)
                                        visitor.page.evaluate(
                                                "[...document.querySelectorAll('main form input')].filter(each => each.offsetHeight > 40).map(each => each.name)"))
                        .as(path)
                        .isEmpty();
            }
            visitor.isContent();
        }
    }

    private static void picture(Page page, Path folder, String name, boolean whole) {
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(folder.resolve(name + ".png"))
                .setFullPage(whole));
    }

    /** Fails if axe finds a violation. */
    static void isAccessible(Page page) throws IOException {
        page.evaluate(axe() + "; null");
        assertThat(violations(page, Rules.ALL)).isEmpty();
    }

    /** What axe looks for. A page differs from its light and wide form in colours if it is dark, in all else if it is narrow. */
    enum Rules {
        ALL(
                "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: {'target-size': {enabled: true}}"),
        COLOURS("{type: 'rule', values: ['color-contrast', 'link-in-text-block']}"),
        WITHOUT_COLOURS(
                "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: {'target-size': {enabled: true}, 'color-contrast': {enabled: false}}");

        private final String options;

        Rules(String options) {
            this.options = options;
        }

        /** The rules for a page in the form in which its name ends. */
        static Rules of(String name) {
            return name.endsWith("-dark") || name.endsWith("-wide")
                    ? COLOURS
                    : name.endsWith("-narrow") || name.endsWith("-hd") ? WITHOUT_COLOURS : ALL;
        }
    }

    static List<?> violations(Page page, Rules rules) {
        return (List<?>)
                page.evaluate(
                        "async () => (await axe.run(document, {resultTypes: ['violations'], runOnly: " + rules.options
                                + "})).violations.map(v => v.id + ': ' +"
                                + " v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary.slice(0, 300)).join(' | '))");
    }

    static String axe() throws IOException {
        try (InputStream in = PicturesTest.class.getResourceAsStream(AXE)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
