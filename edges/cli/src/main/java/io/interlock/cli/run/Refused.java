package io.interlock.cli.run;

import io.interlock.cli.backend.Entry;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Says that the key was not acquired: who has it, and what to type next. */
final class Refused {

    private final RunSettings settings;
    private final Narrator narrator;

    Refused(RunSettings settings, Narrator narrator) {
        this.settings = settings;
        this.narrator = narrator;
    }

    /** Says so, and returns the exit code. */
    int say(Entry.Busy busy, Instant now) {
        Facts lock = busy.lock();
        String explanation = busy.explanation();
        Facts facts = Facts.with("key", settings.key())
                .and("code", busy.code())
                .and("explanation", explanation)
                .and("lock", lock.isEmpty() ? null : lock)
                .done();
        if (settings.busyExitCode() == ExitCode.OK) {
            narrator.mention("skipped", facts, explanation + "; " + settings.program() + " was skipped.");
            return ExitCode.OK;
        }
        BusyText text = new BusyText(lock, now);
        List<String> lines = new ArrayList<>();
        String first = explanation + "; " + settings.program() + " was not started.";
        if (text.isHeld()) {
            lines.addAll(text.facts());
            first = settings.key() + " is held; " + settings.program() + " was not started.";
        }
        lines.add("wait for it     interlock run -w 30m " + settings.key() + " -- "
                + String.join(" ", settings.command()));
        lines.add("look            interlock locks show " + settings.key());
        narrator.say("busy", facts, first + " [" + busy.code() + "]", lines);
        return settings.busyExitCode();
    }
}
