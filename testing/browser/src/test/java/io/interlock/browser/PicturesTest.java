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
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every page in light, dark and narrow: a picture of it in target/ui, nothing axe objects to, nothing the browser objects to. */
class PicturesTest extends BrowserTest {

    private static final String AXE = "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js";

    private Map<String, String> pages() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("now", "");
        pages.put("locks", "locks");
        pages.put("lock", "lock?key=" + History.LEDGER);
        pages.put("lock-paused", "lock?key=" + History.MONTH_END);
        pages.put("runs", "runs");
        pages.put("run", "runs/" + history().running.id());
        pages.put("run-lost", "runs/" + history().lost.id());
        pages.put("run-queued", "runs/" + history().waiting.id());
        pages.put("queue", "queue");
        pages.put("dead-letters", "dead-letters");
        pages.put("workers", "workers");
        pages.put("janitor", "janitor");
        pages.put("audit", "audit");
        pages.put("settings", "settings");
        pages.put("empty", "locks?key=nothing/*");
        pages.put("missing", "nonsense");
        return pages;
    }

    @ParameterizedTest
    @CsvSource({"light,1360,900,LIGHT", "dark,1360,900,DARK", "narrow,360,780,LIGHT"})
    void everyPageCanBeSeenByEverybody(String name, int width, int height, ColorScheme scheme) throws IOException {
        String axe = axe();
        SoftAssertions softly = new SoftAssertions();
        try (Visitor visitor = new Visitor(browser(), site(), Role.ADMIN, width, height, scheme)) {
            pages().forEach((page, path) -> {
                visitor.open(path);
                visitor.page.waitForFunction("document.fonts.ready");
                visitor.page.screenshot(new Page.ScreenshotOptions()
                        .setPath(Path.of("target/ui", page + "-" + name + ".png"))
                        .setFullPage(true));
                softly.assertThat(violations(visitor.page, axe))
                        .as("%s %s", page, name)
                        .isEmpty();
                softly.assertThat(overflow(visitor.page))
                        .as("%s %s is wider than the screen", page, name)
                        .isEqualTo(0);
            });
            softly.assertAll();
            visitor.isContent();
        }
    }

    private static Object overflow(Page page) {
        return page.evaluate(
                "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)");
    }

    private static List<?> violations(Page page, String axe) {
        page.evaluate(axe + "; null");
        return (List<?>) page.evaluate("async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a',"
                + " 'wcag21aa', 'best-practice']})).violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n =>"
                + " n.html.slice(0, 200) + ' ' + n.failureSummary.slice(0, 300)).join(' | '))");
    }

    private static String axe() throws IOException {
        try (InputStream in = PicturesTest.class.getResourceAsStream(AXE)) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
