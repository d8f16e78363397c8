package io.interlock.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import io.interlock.access.Role;
import io.interlock.config.OidcSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A test class with one site for all its tests, and one browser for all classes. Without a browser the tests are
 * skipped with a warning.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class BrowserTest {

    private static final Logger log = LoggerFactory.getLogger(BrowserTest.class);

    private @Nullable Chromium chromium;
    private @Nullable Site site;
    private @Nullable History history;

    @BeforeAll
    void start() {
        Optional<Path> program = Chromium.installed();
        if (program.isEmpty()) {
            log.warn("no Chromium: the user interface is not tested; install the package chromium-headless-shell");
        }
        Assumptions.assumeTrue(program.isPresent(), "no Chromium; install the package chromium-headless-shell");
        // A loaded machine needs more time; a fast one does not wait for the timeout.
        PlaywrightAssertions.setDefaultAssertionTimeout(30_000);
        Site started = new Site(Duration.ofMinutes(70), isLeasesOnly(), provider());
        site = started;
        if (hasHistory()) {
            history = new History(started);
        } else {
            started.time.arrive();
        }
        chromium = Chromium.shared(program.get());
    }

    boolean hasHistory() {
        return true;
    }

    boolean isLeasesOnly() {
        return false;
    }

    /** The OpenID provider of the site, if it has one. */
    @Nullable
    OidcSettings provider() {
        return null;
    }

    Browser browser() {
        return Objects.requireNonNull(chromium).browser();
    }

    Site site() {
        return Objects.requireNonNull(site);
    }

    History history() {
        return Objects.requireNonNull(history);
    }

    Visitor visitor(Role role) {
        return new Visitor(browser(), site(), role);
    }

    @AfterAll
    void stop() {
        if (site != null) {
            site.close();
        }
    }
}
