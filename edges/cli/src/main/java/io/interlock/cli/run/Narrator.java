package io.interlock.cli.run;

import io.interlock.InterlockException;
import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.backend.KeyAcquirer.Place;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.LockText;
import io.interlock.cli.text.Times;
import io.interlock.client.Json;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.List;

/** What {@code interlock run} says of itself on stderr: sentences for people, or JSON lines. Safe for use by many threads. */
public final class Narrator {

    private final Console console;
    private final boolean json;
    private final boolean verbose;

    public Narrator(Console console, boolean json, boolean verbose) {
        this.console = console;
        this.json = json;
        this.verbose = verbose;
    }

    /** Whether a line may be written over by the next one. */
    boolean mayUpdate() {
        return !json && console.canUpdate();
    }

    void say(String event, Facts facts, String sentence, List<String> more) {
        if (json) {
            console.raw(Json.line(Facts.with("event", event).merge(facts)));
            return;
        }
        console.say(sentence);
        more.forEach(console::more);
    }

    /** Prints a message for programs, and for people only with --verbose. */
    void mention(String event, Facts facts, String sentence) {
        if (json || verbose) {
            say(event, facts, sentence, List.of());
        }
    }

    void note(String event, Facts facts) {
        if (json) {
            say(event, facts, "", List.of());
        }
    }

    /** Writes a line that the next one replaces. */
    void update(String sentence) {
        console.update(sentence);
    }

    /**
     * Says again and again what is waited for: on a terminal one line that changes every second, elsewhere a line at once and one every
     * half minute.
     */
    static final class Waiting implements AutoCloseable {

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
}
