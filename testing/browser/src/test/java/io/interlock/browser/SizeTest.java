package io.interlock.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.microsoft.playwright.Page;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the pages state is what the API states, with 1,000 runs in line, thousands of locks, and tens of thousands of ended runs of which 5 % failed. */
class SizeTest extends BrowserTest {

    private static final Logger log = LoggerFactory.getLogger(SizeTest.class);

    private static final String BUSY = "acme/ledger/nightly-close";
    private static final int WAITERS = 1_000;
    private static final int RUNS_A_SECOND = 20;

    /** The times between the frames that the browser draws, in milliseconds. */
    private static final String FRAMES = """
            time => new Promise(done => {
              const frames = [];
              const begun = performance.now();
              let last = begun;
              const frame = now => {
                frames.push(now - last);
                last = now;
                if (now - begun > time) done(frames.slice(1)); else requestAnimationFrame(frame);
              };
              requestAnimationFrame(frame);
            })""";

    /** Requests that a page may need before it shows its rows. */
    private static final int REQUESTS = 5;

    /** {@code ./interlock prove} wants the bars; elsewhere a machine that does other things meanwhile may take longer. */
    private static final boolean PROVE = Boolean.getBoolean("interlock.prove");

    private static final int LOCKS = PROVE ? 5_000 : 2_000;
    private static final int RUNS = PROVE ? 50_000 : 10_000;

    /** Milliseconds until a page has its rows. */
    private static final long ROWS = PROVE ? 1_000 : 3_000;

    /** Milliseconds between two frames, in the median. */
    private static final double FRAME = PROVE ? 20 : 50;

    /** Other load on the machine may slow down a round; a slow page is slow in every round. */
    private static final int ROUNDS = 4;

    @Override
    boolean hasHistory() {
        return false;
    }

    @BeforeAll
    void fill() {
        site().submit(BUSY, "nightly-close", "the holder");
        site().tell(BUSY, "extract");
        for (int i = 0; i < WAITERS; i++) {
            site().engine
                    .submit(RunRequest.of(Site.key(BUSY), "nightly-close")
                            .submitter("cron@ops")
                            .labels(Map.of("number", String.valueOf(i), "entity", "DE01", "team", "finance")));
        }
        for (int i = 1; i < LOCKS; i++) {
            site().engine.submit(RunRequest.of(Site.key("lock/" + i), "remote"));
        }
        for (int i = 0; i < RUNS; i++) {
            site().engine.submit(RunRequest.of(Site.key("done/" + i), "quick"));
        }
        Patience.longer(() -> site().quickRuns() == RUNS);
    }

    @Test
    void theLockPageHasTheLineFromTheFront() {
        JsonObject line = site().get(Role.READ, "locks/line?key=" + BUSY + "&limit=10");
        assertThat(line.getInteger("total")).isEqualTo(WAITERS);
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("lock?key=" + BUSY);
            assertThat(page.locator(".lead")).containsText(shown(WAITERS) + " wait, next is run " + shortId(line, 0));
            JsonObject lock = line.getJsonObject("lock");
            JsonObject holder = lock.getJsonObject("holder");
            assertThat(page.getByLabel("Holder")).containsText(holder.getString("holder"));
            assertThat(page.getByLabel("Holder"))
                    .containsText("run "
                            + holder.getString("runId")
                                    .substring(holder.getString("runId").length() - 8));
            assertThat(page.getByLabel("Holder").locator("[title='token " + lock.getLong("token") + "']"))
                    .isVisible();
            assertThat(lock.getLong("waiting")).isEqualTo(WAITERS);
            assertThat(page.locator("section[aria-label='In line']").locator("tbody tr"))
                    .hasCount(10);
            assertThat(page.locator("section[aria-label='In line']")
                            .locator("tbody a")
                            .allInnerTexts())
                    .isEqualTo(ids(line));
            assertThat(page.locator("section[aria-label='In line'] td.place").allInnerTexts())
                    .isEqualTo(line.getJsonArray("items").stream()
                            .map(each -> String.valueOf(((JsonObject) each).getInteger("place")))
                            .toList());
            assertThat(page.locator("section[aria-label='In line']"))
                    .containsText("no run of this key has succeeded yet");
            assertThat(page.locator("main")).not().containsText("any moment");
            assertThat(page.locator("section[aria-label='In line']")).containsText("+990 more");
            assertThat(page.locator("section[aria-label='One at a time']")).containsText("+995 more");
            assertThat((Integer) page.evaluate("document.documentElement.scrollHeight"))
                    .as("the page fits a screen")
                    .isLessThanOrEqualTo(900);
            ada.isContent();
        }
    }

    @Test
    void nowHasTheFiguresOfTheServer() {
        calm();
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open("");
            // What other tests began may end until then.
            Patience.until(() -> figures(page).equals(figures(site().get(Role.READ, "summary"))));
            JsonObject summary = site().get(Role.READ, "summary");
            JsonObject locks = summary.getJsonObject("locks");
            JsonObject runs = summary.getJsonObject("runs");
            assertThat(summary.getLong("failed")).isGreaterThanOrEqualTo(RUNS / 20);
            long inUse = locks.getMap().values().stream()
                    .mapToLong(each -> ((Number) each).longValue())
                    .sum();
            assertThat(page.getByLabel("Active locks").first()).containsText("50 of " + shown(inUse));
            assertThat(page.locator("nav.side")).containsText("Locks " + shown(inUse));
            assertThat(page.locator("nav.side")).containsText("Dead letters " + shown(summary.getLong("deadLetters")));
            assertThat(page.locator("main .kpi").nth(3))
                    .hasAttribute("href", Pattern.compile(".*/lock\\?key=" + encoded(longestWait(summary))));
            isAbout(page.locator("main .kpi b").nth(3).innerText(), waited(summary));
            JsonObject history = site().get(Role.READ, "history?window=1h");
            isAbout(
                    page.getByLabel("Over time").locator(".figure").nth(2).innerText(),
                    Duration.parse(history.getString("holdP95")));
            assertThat(page.getByLabel("Over time").locator(".figure").nth(1))
                    .hasText(shown(runs.getLong("QUEUED") + runs.getLong("PENDING")));
            assertThat(page.getByLabel("Needs attention").first()).containsText(shown(WAITERS) + " wait");
            assertThat(page.getByLabel("Needs attention").first())
                    .containsText(shown(summary.getLong("failed")) + " × job quick failed");
            assertThat(page.getByLabel("Active locks").locator("tbody tr").first())
                    .containsText(BUSY);
            assertThat(page.getByLabel("Active locks")
                            .locator("tbody tr")
                            .first()
                            .locator("td")
                            .last())
                    .containsText(shown(WAITERS));
            assertThat(page.locator("nav.side"))
                    .containsText("Queue " + shown(runs.getLong("QUEUED") + runs.getLong("PENDING")));
            assertThat(page).hasTitle(Pattern.compile("\\(\\d+\\) Now · Interlock"));
            ada.isContent();
        }
    }

    @Test
    void anActionSaysHowManyOfALargeGroupItTakes() {
        calm();
        long failed = site().get(Role.READ, "summary").getLong("failed");
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("");
            page.getByLabel("Needs attention")
                    .locator("button:has-text('Retry 200 of " + shown(failed) + "…')")
                    .click();
            assertThat(page.locator("dialog h2")).hasText("Retry 200?");
            assertThat(page.locator("dialog"))
                    .containsText("The newest 200 of " + shown(failed) + " runs of job quick");
            page.keyboard().press("Escape");
            ada.isContent();
        }
    }

    @Test
    void theQueueHasTheLineOfEachKeyFromTheFront() {
        calm();
        JsonObject line = site().get(Role.READ, "locks/line?key=" + BUSY + "&limit=50");
        try (Visitor ada = visitor(Role.TRIGGER)) {
            Page page = ada.open("queue");
            JsonObject runs = site().get(Role.READ, "summary").getJsonObject("runs");
            assertThat(page.locator("main .head"))
                    .containsText(shown(runs.getLong("QUEUED") + runs.getLong("PENDING")) + " wait");
            assertThat(page.getByLabel("Without a worker").first())
                    .containsText(shown(runs.getLong("PENDING")) + " have their key");
            JsonObject summary = site().get(Role.READ, "summary");
            String longest = page.locator("main form.row .muted").innerText();
            assertThat(longest).startsWith("longest wait ").endsWith(" on " + longestWait(summary));
            isAbout(longest.replaceFirst("longest wait (.*) on .*", "$1"), waited(summary));
            assertThat(page.getByLabel("Without a worker").first())
                    .containsText("+" + shown(runs.getLong("PENDING") - 50) + " more");
            assertThat(page.getByLabel(BUSY).first()).containsText(shown(WAITERS) + " wait");
            assertThat(page.getByLabel(BUSY).first()).containsText("+" + shown(WAITERS - 10) + " more");
            assertThat(page.getByLabel(BUSY).first().locator("tbody tr")).hasCount(10);
            ada.open("queue?key=" + BUSY);
            assertThat(page.locator("main tbody a").allInnerTexts()).isEqualTo(ids(line));
            page.locator("button:has-text('Next page')").click();
            assertThat(page.locator("main tbody tr").first().locator("td").nth(1))
                    .hasText("51");
            ada.isContent();
        }
    }

    @Test
    void everyPageIsDrawnByFewRequestsAndSoon() {
        try (Visitor ada = visitor(Role.ADMIN)) {
            // Runs that end meanwhile would load a page twice.
            ada.open("").locator("header button:has-text('Freeze')").click();
            for (String path : List.of(
                    "",
                    "locks",
                    "lock?key=" + BUSY,
                    "runs",
                    "queue",
                    "dead-letters",
                    "jobs",
                    "jobs/quick",
                    "runs/" + holder(),
                    "queue?key=" + BUSY,
                    "lock?key=" + BUSY + "&tab=history",
                    "lock?key=" + BUSY + "&tab=runs",
                    "lock?key=" + BUSY + "&tab=audit",
                    "workers",
                    "workers?worker=" + encoded(worker()),
                    "janitor",
                    "audit",
                    "settings")) {
                ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
                ada.page.onRequest(request -> {
                    if (request.url().contains("/api/v1/") && !request.url().endsWith("stream")) {
                        asked.add(request.url());
                    }
                });
                long fastest = Long.MAX_VALUE;
                // A page that hears of a change while it is drawn asks again.
                for (int round = 0; round < ROUNDS && (fastest > ROWS || asked.size() > REQUESTS); round++) {
                    asked.clear();
                    long begun = System.nanoTime();
                    ada.go(path);
                    fastest = Math.min(fastest, (System.nanoTime() - begun) / 1_000_000);
                }
                log.info("/ui/{}: {} requests, there after {} ms", path, asked.size(), fastest);
                assertThat(asked).as(path).hasSizeLessThanOrEqualTo(REQUESTS);
                assertThat(fastest).as("milliseconds until %s is there", path).isLessThanOrEqualTo(ROWS);
            }
            ada.isContent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "locks", "runs", "lock?key=" + BUSY})
    void framesComeInTimeWhileRunsBeginAndEnd(String path) {
        try (Visitor ada = visitor(Role.READ)) {
            Page page = ada.open(path);
            ScheduledExecutorService load = Executors.newSingleThreadScheduledExecutor();
            AtomicInteger begun = new AtomicInteger();
            try {
                Future<?> submitting = load.scheduleAtFixedRate(
                        () -> site().engine
                                .submit(RunRequest.of(
                                        Site.key("frames/" + path.length() + "/" + begun.incrementAndGet()), "quick")),
                        0,
                        1_000 / RUNS_A_SECOND,
                        TimeUnit.MILLISECONDS);
                double best = Double.MAX_VALUE;
                for (int round = 0; round < ROUNDS && best >= FRAME; round++) {
                    best = Math.min(best, medianFrame(page, path));
                }
                assertThat(submitting.isDone()).as("a submission failed").isFalse();
                assertThat(best).as("milliseconds between two frames").isLessThan(FRAME);
                assertThat(begun.get()).isGreaterThan(RUNS_A_SECOND);
            } finally {
                load.shutdownNow();
            }
            ada.isContent();
        }
    }

    /** Waits until the runs of other tests have ended, so that two answers one after the other are the same. */
    private void calm() {
        Patience.until(
                () -> site().get(Role.READ, "summary").getJsonObject("runs").getInteger("RUNNING") == 1);
    }

    /** The figures of Now, without the longest wait, which counts on. */
    private static List<String> figures(Page page) {
        List<String> shown = new ArrayList<>(page.locator("main .kpi b").allInnerTexts());
        if (shown.size() > 3) {
            shown.remove(3);
        }
        return shown;
    }

    private static List<String> figures(JsonObject summary) {
        JsonObject locks = summary.getJsonObject("locks");
        JsonObject runs = summary.getJsonObject("runs");
        return Stream.of(
                        locks.getLong("HELD"),
                        locks.getLong("OVERDUE"),
                        runs.getLong("QUEUED") + runs.getLong("PENDING"),
                        summary.getLong("failed"),
                        summary.getLong("deadLetters"))
                .map(SizeTest::shown)
                .toList();
    }

    /** The median of the times between frames in some seconds. */
    private static double medianFrame(Page page, String path) {
        double[] sorted = ((List<?>) page.evaluate(FRAMES, PROVE ? 5_000 : 2_000))
                .stream()
                        .mapToDouble(each -> ((Number) each).doubleValue())
                        .sorted()
                        .toArray();
        double median = sorted[sorted.length / 2];
        log.info(
                "/ui/{}: frames: median {} ms, worst {} ms",
                path,
                Math.round(median * 10) / 10.0,
                Math.round(sorted[sorted.length - 1]));
        return median;
    }

    private String holder() {
        return site().get(Role.READ, "locks/line?key=" + BUSY)
                .getJsonObject("lock")
                .getJsonObject("holder")
                .getString("runId");
    }

    private String worker() {
        return site().get(Role.READ, "workers")
                .getJsonArray("items")
                .getJsonObject(0)
                .getString("worker");
    }

    private static String longestWait(JsonObject summary) {
        return summary.getJsonObject("longestWait").getJsonObject("lock").getString("key");
    }

    /** A number as pages write it. */
    private static String shown(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static Duration waited(JsonObject summary) {
        return Duration.between(
                Instant.parse(summary.getJsonObject("longestWait").getString("since")),
                Instant.parse(summary.getString("at")));
    }

    /** Fails unless {@code shown}, such as {@code 42 s} or {@code 14:08}, is {@code time}, give or take what passes between two answers. */
    private static void isAbout(String shown, Duration time) {
        Matcher minutes = Pattern.compile("(\\d+):(\\d\\d)").matcher(shown);
        double seconds = minutes.matches()
                ? 60 * Integer.parseInt(minutes.group(1)) + Integer.parseInt(minutes.group(2))
                : Double.parseDouble(shown.replaceFirst(" s$", ""));
        assertThat(seconds).as(shown).isCloseTo(time.toMillis() / 1000.0, within(5.0));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static List<String> ids(JsonObject line) {
        JsonArray items = line.getJsonArray("items");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            ids.add(shortId(line, i));
        }
        return ids;
    }

    private static String shortId(JsonObject line, int i) {
        String id = line.getJsonArray("items").getJsonObject(i).getString("id");
        return id.substring(id.length() - 8);
    }
}
