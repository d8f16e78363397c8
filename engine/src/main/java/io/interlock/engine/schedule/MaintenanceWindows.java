package io.interlock.engine.schedule;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.runtime.Loop;
import io.interlock.run.Pause;
import io.interlock.spi.run.RunNotes;
import io.interlock.spi.run.RunSteps.PauseRequest;
import io.interlock.spi.run.RunViews;
import io.interlock.time.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses keys while a maintenance window lasts. The store ends the pause by itself, so a process that dies in the window changes
 * nothing; one that starts in the window pauses the keys before it starts any work. Any number of processes may have the same
 * windows: each occurrence is opened once, and stays ended if an operator resumes its keys early. A pause by an operator that
 * lasts longer is left alone.
 *
 * <p>This process's wall clock says when a window begins, and it begins {@link #LEAD} early, so that a clock that is
 * a little slow and a schedule of the same minute start nothing in it. How long it lasts is counted by the store.
 *
 * <p>Safe for use by many threads.
 */
public final class MaintenanceWindows implements AutoCloseable {

    /** How much earlier than written a window begins. */
    static final Duration LEAD = Duration.ofSeconds(1);

    /** For how long after its end a scheduled start still waits for it: the store may end it a little later. */
    private static final Duration TRAIL = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(MaintenanceWindows.class);
    // A clock that was set is noticed within this time.
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
    // Windows that follow each other without a gap are looked at as one for so long.
    private static final Duration FURTHEST = Duration.ofDays(31);

    /**
     * Keys, and when nothing may start under them.
     *
     * @param pattern the name of one key, or the beginning of names and a {@code *}
     */
    public record NoStart(String tenant, String pattern, List<MaintenanceWindow> windows) {

        public NoStart {
            LockKey.of(tenant, Pause.requirePattern(pattern));
            windows = List.copyOf(windows);
        }

        private NoStart and(NoStart other) {
            Stream<MaintenanceWindow> both = Stream.concat(windows.stream(), other.windows.stream());
            return new NoStart(tenant, pattern, both.distinct().toList());
        }

        /** The windows that cover {@code time}, and those that follow without a gap, as one. */
        Optional<MaintenanceWindow.Span> at(Instant time) {
            Optional<MaintenanceWindow.Span> found = longest(time);
            Optional<MaintenanceWindow.Span> next = found.flatMap(span -> longest(span.end()));
            while (next.isPresent() && next.get().end().isBefore(time.plus(FURTHEST))) {
                found = Optional.of(new MaintenanceWindow.Span(
                        found.orElseThrow().start(), next.get().end()));
                next = longest(next.get().end());
            }
            return found;
        }

        private Optional<MaintenanceWindow.Span> longest(Instant time) {
            return windows.stream()
                    .flatMap(window -> window.at(time).stream())
                    .max(Comparator.comparing(MaintenanceWindow.Span::end));
        }

        Optional<Instant> nextStart(Instant time) {
            return windows.stream()
                    .flatMap(window -> window.nextStart(time).stream())
                    .min(Comparator.naturalOrder());
        }

        private String reason(Instant time) {
            return windows.stream()
                    .filter(window -> window.at(time).isPresent())
                    .findFirst()
                    .map(MaintenanceWindow::toString)
                    .orElseThrow();
        }

        private String bookmark() {
            return "window/" + tenant + "/" + pattern;
        }
    }

    private final List<NoStart> all;
    private final RunViews views;
    private final RunNotes notes;
    private final Consumer<PauseRequest> pause;
    private final Environment environment;

    private final Loop loop;

    /** Begins. After this, the keys of windows that last now are paused, unless the store is unavailable. */
    public MaintenanceWindows(
            Collection<NoStart> windows,
            RunViews views,
            RunNotes notes,
            Consumer<PauseRequest> pause,
            Environment environment) {
        Map<LockKey, NoStart> merged = new LinkedHashMap<>();
        windows.forEach(each -> merged.merge(LockKey.of(each.tenant(), each.pattern()), each, NoStart::and));
        this.all = List.copyOf(merged.values());
        this.views = views;
        this.notes = notes;
        this.pause = pause;
        this.environment = environment;
        try {
            look();
        } catch (StoreUnavailableException away) {
            log.warn("could not look after maintenance windows; retrying: {}", away.toString());
        }
        loop = Loop.paced(environment, "windows", RETRY_AFTER, this::look);
    }

    /** How long a start under {@code key} that is due now has to wait for a window; empty if none covers the key. */
    public Optional<Duration> waits(LockKey key) {
        Instant now = environment.clock().instant();
        return all.stream()
                .filter(each -> each.tenant().equals(key.tenant()) && Pause.covers(each.pattern(), key))
                .flatMap(each -> each.at(now.plus(LEAD)).or(() -> each.at(now.minus(TRAIL))).stream())
                .map(span -> Duration.between(now, span.end()).plus(TRAIL))
                .max(Comparator.naturalOrder());
    }

    /** Opens no more windows; those that are open last until their end. May be called twice. */
    @Override
    public void close() {
        loop.close();
    }

    private Duration look() {
        Instant now = environment.clock().instant();
        Instant soon = now.plus(LEAD);
        Duration wait = LOOK_EVERY;
        for (NoStart each : all) {
            each.at(soon).ifPresent(span -> open(each, span, now));
            Duration next = each.nextStart(soon)
                    .map(start -> Duration.between(soon, start))
                    .orElse(LOOK_EVERY);
            wait = next.compareTo(wait) < 0 ? next : wait;
        }
        return wait.compareTo(SHORTEST) < 0 ? SHORTEST : wait;
    }

    // The pause comes first: if the process dies in between, another one makes the same pause again.
    private void open(NoStart keys, MaintenanceWindow.Span span, Instant now) {
        long opened = notes.bookmark(keys.bookmark());
        long end = span.end().getEpochSecond();
        if (opened == end) {
            return;
        }
        if (!isPausedUntil(keys, span.end())) {
            pause.accept(new PauseRequest(
                    keys.tenant(),
                    keys.pattern(),
                    Pause.WINDOW,
                    keys.reason(now.plus(LEAD)),
                    Duration.between(now, span.end())));
        }
        notes.moveBookmark(keys.bookmark(), opened, end);
    }

    private boolean isPausedUntil(NoStart keys, Instant end) {
        return views.pauses(keys.tenant()).stream()
                .filter(known -> known.pattern().equals(keys.pattern()))
                .anyMatch(known ->
                        known.lastsAt(end.minus(LEAD)) && (!known.isWindow() || !known.lastsAt(end.plus(LEAD))));
    }
}
