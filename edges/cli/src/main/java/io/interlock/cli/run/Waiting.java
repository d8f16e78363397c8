package io.interlock.cli.run;

import io.interlock.InterlockException;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.text.LockText;
import io.interlock.cli.text.Times;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.List;

/**
 * Says again and again what is waited for: on a terminal one line that changes every second, elsewhere a line at once and one every
 * half minute.
 */
final class Waiting implements AutoCloseable {

    private static final Duration ON_A_TERMINAL = Duration.ofSeconds(1);
    private static final Duration ELSEWHERE = Duration.ofSeconds(30);

    private final Place place;
    private final String key;
    private final Narrator narrator;
    private final Environment environment;
    private final Timers timers;
    private final long since;

    private Waiting(Place place, String key, Narrator narrator, Environment environment) {
        this.place = place;
        this.key = key;
        this.narrator = narrator;
        this.environment = environment;
        this.timers = environment.timers("interlock-waiting");
        this.since = environment.ticker().nanos();
    }

    /** Begins to print, without delaying the wait. */
    static Waiting begin(Place place, String key, Narrator narrator, Environment environment) {
        Waiting waiting = new Waiting(place, key, narrator, environment);
        waiting.timers.after(Duration.ZERO, waiting::speak);
        return waiting;
    }

    Duration waited() {
        return Duration.ofNanos(environment.ticker().nanos() - since);
    }

    private void speak() {
        try {
            tell(place.look());
        } catch (InterlockException unknown) {
            // The wait goes on; the next look may know more.
            narrator.mention("waiting", Facts.none(), "waiting for " + key + " · " + unknown.getMessage());
        }
        timers.after(narrator.mayUpdate() ? ON_A_TERMINAL : ELSEWHERE, this::speak);
    }

    private void tell(KeyAcquirer.Place.View view) {
        LockText text = new LockText(view.lock(), environment.clock().instant());
        String place = place(view);
        if (narrator.mayUpdate()) {
            // A narrow terminal cuts its end off.
            narrator.update("waiting for " + key + " · " + Times.clock(waited()) + place + " · " + text.inBrief()
                    + "  (Ctrl-C leaves)");
            return;
        }
        String sentence = "waiting for " + key + " · " + text.inShort() + place + " · " + Times.clock(waited());
        Facts facts = Facts.with("key", key)
                .and("position", view.position() == 0 ? null : view.position())
                .and("waited", waited())
                .and("lock", view.lock());
        narrator.say("waiting", facts, sentence, List.of());
    }

    private static String place(KeyAcquirer.Place.View view) {
        long waiting = view.lock().number("waiting").orElse(0);
        return view.position() == 0
                ? ""
                : " · you are number " + view.position() + " of " + Math.max(waiting, view.position()) + " in line";
    }

    @Override
    public void close() {
        timers.close();
    }
}
