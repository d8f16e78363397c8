package io.interlock.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The installed Chromium, driven by Playwright. */
public final class Chromium implements AutoCloseable {

    /** The first has no windows to draw: the same pages take less than half of the CPU. */
    private static final List<String> PLACES = List.of(
            "/usr/bin/chromium-headless-shell",
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/bin/google-chrome");

    private static @Nullable Chromium shared;

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Path program) {
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        // It connects only to the test server; a sandbox inside a container needs privileges that tests do not have.
        browser = playwright
                .chromium()
                .launch(new LaunchOptions()
                        .setExecutablePath(program)
                        .setHeadless(true)
                        .setArgs(List.of(
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-quic",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync")));
    }

    /** The path of the installed browser, if there is one. */
    public static Optional<Path> installed() {
        return PLACES.stream().map(Path::of).filter(Files::isExecutable).findFirst();
    }

    /** Starts {@code program}. */
    public static Chromium start(Path program) {
        return new Chromium(program);
    }

    /** One browser for this process, started on first use; it ends with the process. */
    public static synchronized Chromium shared(Path program) {
        Chromium known = shared;
        if (known == null) {
            known = start(program);
            shared = known;
        }
        return known;
    }

    /** The browser. Only the thread that started it may use it. */
    public Browser browser() {
        return browser;
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
