package io.interlock.cli.command;

import io.interlock.DurationText;
import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.CliCommand.Confirmation;
import io.interlock.cli.command.CliCommand.Listing;
import io.interlock.cli.command.CliCommand.Verb;
import io.interlock.cli.command.OptionValues.Durations;
import io.interlock.cli.text.Console;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.LockText;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Shown.ShellWords;
import io.interlock.cli.text.Table;
import io.interlock.cli.text.Times;
import io.interlock.service.Facts;
import io.interlock.service.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code interlock locks …}. */
public final class LocksCommands {

    private LocksCommands() {}

    @Command(
            description = "Lists keys that are held or waited for.",
            footer = {"", "Example:", "  interlock locks ls 'pipeline/*' --json"})
    public static final class Ls extends Listing {

        @Parameters(arity = "0..1", paramLabel = "PATTERN", description = "The beginning of keys and a *")
        private String pattern = "";

        @Override
        List<Facts> items(Backend backend) {
            String beginning = pattern.endsWith("*") ? pattern.substring(0, pattern.length() - 1) : pattern;
            if (beginning.contains("*")) {
                throw Failure.usage(
                        "'" + pattern + "' has a * before its end", "write the beginning of keys and a *, as in 'a/*'");
            }
            return backend.requests().items(most(), "/locks", "key", beginning.isEmpty() ? "" : beginning + "*");
        }

        @Override
        int most() {
            return Backend.MAX_LISTED;
        }

        @Override
        String narrower() {
            return "name the beginning of the keys you look for, as in 'pipeline/a*'";
        }

        @Override
        Table columns() {
            return new Table()
                    .of("key", "state")
                    .of("holder", lock -> lock.in("holder").shown("holder"))
                    .of("token")
                    .of("since", when("since"))
                    .of(
                            "left",
                            lock -> lock.duration("leaseLeft").map(Times::span).orElse(""))
                    .of("stage", "waiting")
                    .sparing("stage", "since", "token");
        }

        @Override
        String none() {
            return pattern.isEmpty()
                    ? "no key is held or waited for"
                    : "no key is held or waited for that begins with '" + pattern.replace("*", "") + "'";
        }
    }

    @Command(
            description = "Shows the holder of a key, its stage, and who waits.",
            footer = {"", "Example:", "  interlock locks show ledger/4711"})
    public static final class Show extends Answering {

        @Parameters(paramLabel = "KEY", description = "The key")
        private String key = "";

        @Override
        int carryOut(Backend backend) {
            Facts lock = backend.lock(target().key(key).name());
            LockText text = new LockText(lock, session().environment().clock().instant());
            if (json() || !text.isHeld()) {
                answer(lock, "state", "job", "waiting", "waitingSince", "pause");
                return 0;
            }
            Console console = console();
            console.print(Shown.sentence(lock));
            text.facts().forEach(line -> console.print("  " + line));
            if (!lock.in("holder").is("alive")) {
                console.print("  evict it        " + ShellWords.join(evict(lock.shown("token"))) + " --reason TEXT");
            }
            return 0;
        }

        /** What to type next, at the same place. */
        private List<String> evict(String token) {
            List<String> words = new ArrayList<>(List.of("interlock", "locks", "evict"));
            words.addAll(target().typed());
            words.addAll(List.of(key, "--token", token));
            return words;
        }
    }

    @Command(
            description = "Evicts a lease. The key opens when its work has stopped, or at the old end of the lease.",
            footer = {"", "Example:", "  interlock locks evict ledger/4711 --token 4182 --reason \"app-3 is gone\""})
    public static final class Evict extends Answering {

        @Parameters(paramLabel = "KEY", description = "The key")
        private String key = "";

        @Option(
                names = "--token",
                required = true,
                paramLabel = "N",
                description = "The token you saw: only that lease is evicted")
        private long token;

        @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why, for the audit log")
        private String reason = "";

        @Mixin
        private Confirmation confirmation = new Confirmation();

        @Override
        int carryOut(Backend backend) {
            Facts lock = backend.lock(target().key(key).name());
            confirmation.require(console(), "Evict it? " + Shown.sentence(lock) + ".");
            answer(backend.requests()
                    .post(
                            "/locks/evict",
                            Facts.with("key", key).and("token", token).and("reason", reason)));
            return 0;
        }
    }

    @Command(
            description = "Stops new grants under a key; leases held already go on.",
            footer = {"", "Example:", "  interlock locks pause 'pipeline/*' --reason maintenance --for 2h"})
    public static final class Pause extends Answering {

        @Parameters(paramLabel = "KEY", description = "A key, or the beginning of keys and a *")
        private String pattern = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, shown in refusals")
        private String reason = "paused by hand";

        @Option(names = "--for", paramLabel = "DURATION", description = "How long (default: until it is resumed)")
        private @Nullable String time;

        @Override
        int carryOut(Backend backend) {
            Duration left = Durations.optional("--for", time);
            if (left != null && left.compareTo(Request.LONGEST) > 0) {
                throw Failure.usage(
                        "--for '" + time + "' is above " + DurationText.format(Request.LONGEST),
                        "leave it out to pause until it is resumed");
            }
            Facts pause = named(pattern, reason);
            answer(backend.requests().post("/locks/pause", left == null ? pause : pause.merge(backend.lasting(left))));
            return 0;
        }
    }

    @Command(
            description = "Ends a pause.",
            footer = {"", "Example:", "  interlock locks resume 'pipeline/*'"})
    public static final class Resume extends Verb {

        @Parameters(paramLabel = "KEY", description = "The key or pattern, as it was paused")
        private String pattern = "";

        @Option(names = "--reason", paramLabel = "TEXT", description = "Why, for the audit log")
        private String reason = "resumed by hand";

        @Override
        int carryOut(Backend backend) {
            backend.requests().post("/locks/resume", named(pattern, reason));
            console().say("resumed " + pattern);
            return 0;
        }
    }

    private static Facts named(String pattern, String reason) {
        return Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern).and("reason", reason);
    }
}
