package io.interlock.cli.run;

import io.interlock.cli.backend.KeyAcquirer;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.LockText;
import io.interlock.cli.text.ShellWords;
import io.interlock.cli.text.Shown;
import io.interlock.service.Facts;
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
    int say(KeyAcquirer.Entry.Busy busy, Instant now) {
        Facts lock = busy.lock();
        String explanation = Shown.sentence(Facts.with("key", settings.key()).and("explanation", busy.explanation()));
        Facts facts = Facts.with("key", settings.key())
                .and("code", busy.code())
                .and("explanation", busy.explanation())
                .and("lock", lock.isEmpty() ? null : lock);
        if (settings.busyExitCode() == ExitCode.OK) {
            narrator.mention("skipped", facts, explanation + "; " + settings.program() + " was skipped.");
            return ExitCode.OK;
        }
        LockText text = new LockText(lock, now);
        List<String> lines = new ArrayList<>();
        String first = explanation + "; " + settings.program() + " was not started.";
        if (text.isHeld()) {
            lines.addAll(text.facts());
            first = settings.key() + " is held; " + settings.program() + " was not started.";
        }
        lines.add("wait for it     " + command(List.of("run", "-w", "30m"), settings.command()));
        lines.add("look            " + command(List.of("locks", "show"), List.of()));
        narrator.say("busy", facts, first + " [" + busy.code() + "]", lines);
        return settings.busyExitCode();
    }

    /** What to type next, at the same place. */
    private String command(List<String> verb, List<String> program) {
        List<String> words = new ArrayList<>(List.of("interlock"));
        words.addAll(verb);
        words.addAll(settings.place());
        words.add(settings.key());
        if (!program.isEmpty()) {
            words.add("--");
            words.addAll(program);
        }
        return ShellWords.join(words);
    }
}
