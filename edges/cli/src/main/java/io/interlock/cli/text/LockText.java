package io.interlock.cli.text;

import io.interlock.service.Facts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The holder of a key in words, for people who look, are refused or wait. */
public final class LockText {

    private final Facts lock;
    private final Facts holder;
    private final Instant now;

    /**
     * The words for {@code lock}.
     *
     * @param now the time it was looked at, if it does not say so itself
     */
    public LockText(Facts lock, Instant now) {
        this.lock = lock;
        this.holder = lock.in("holder");
        this.now = lock.time("observedAt").orElse(now);
    }

    public boolean isHeld() {
        return lock.text("since").isPresent();
    }

    /** The facts, one to a line: who, why, since when, doing what, for how long still, alive or not, who waits. */
    public List<String> facts() {
        List<String> lines = new ArrayList<>();
        if (!holder.isEmpty()) {
            lines.add("holder   " + who()
                    + reason().map(text -> " · reason “" + text + "”").orElse(""));
        }
        lock.time("since")
                .ifPresent(since -> lines.add("since    " + Times.second(since) + " (" + Times.span(ago(since))
                        + " ago)" + doing().map(text -> " · " + text).orElse("")));
        lock.duration("leaseLeft")
                .ifPresent(left -> lines.add("lease    " + Times.span(left) + " left unless renewed · "
                        + (holder.is("alive") ? "alive" : "no heartbeat") + " · token "
                        + lock.shown("token")));
        lines.add("queue    " + queue());
        return lines;
    }

    /** The same for a line that must not be long: what changes comes first. */
    public String inBrief() {
        if (!isHeld()) {
            return Shown.sentence(lock);
        }
        return doing().map(text -> text + " · ").orElse("")
                + "held"
                + lock.time("since").map(since -> " " + Times.span(ago(since))).orElse("")
                + " by " + holder.text("holder").orElse("an unknown holder")
                + reason().map(text -> " “" + text + "”").orElse("")
                + (holder.is("alive") ? "" : ", no heartbeat");
    }

    /** The same for one line. */
    public String inShort() {
        if (!isHeld()) {
            return Shown.sentence(lock);
        }
        return "held by " + who() + reason().map(text -> " (“" + text + "”)").orElse("")
                + lock.time("since")
                        .map(since -> " for " + Times.span(ago(since)))
                        .orElse("")
                + doing().map(text -> ", " + text).orElse("")
                + (holder.is("alive") ? "" : ", no heartbeat");
    }

    private String who() {
        String label = holder.text("holder").orElse("no worker yet");
        return holder.text("runId").map(run -> "run " + run + " · ").orElse("") + label;
    }

    private Optional<String> reason() {
        return holder.text("reason");
    }

    private Optional<String> doing() {
        Facts progress = lock.in("progress");
        String far = "";
        if (progress.number("total").orElse(0) > 0) {
            far = 100
                            * progress.number("done").orElse(0)
                            / progress.number("total").getAsLong() + "%";
        } else if (!progress.isEmpty()) {
            far = progress.shown("done");
        }
        String stage = lock.text("stage").map(name -> "stage " + name).orElse("");
        String both = stage + (stage.isEmpty() || far.isEmpty() ? "" : " ") + far;
        return both.isEmpty() ? Optional.empty() : Optional.of(both);
    }

    private String queue() {
        long waiting = lock.number("waiting").orElse(0);
        if (waiting == 0) {
            return "none waiting";
        }
        return waiting + " waiting"
                + lock.time("waitingSince")
                        .map(since -> ", the first for " + Times.span(ago(since)))
                        .orElse("");
    }

    private Duration ago(Instant since) {
        return Duration.between(since, now);
    }
}
