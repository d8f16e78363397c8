package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.command.CliCommand.Answering;
import io.interlock.cli.command.CliCommand.Confirmation;
import io.interlock.cli.command.CliCommand.LimitedListing;
import io.interlock.cli.command.OptionValues.Durations;
import io.interlock.cli.command.OptionValues.PastTimes;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Table;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.service.Facts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock audit …}. */
public final class AuditCommands {

    private AuditCommands() {}

    @Command(
            description = "Lists audit records, the newest first.",
            footer = {"", "Example:", "  interlock audit ls --key ledger/4711 --limit 10"})
    public static final class Ls extends LimitedListing {

        @Option(names = "--key", paramLabel = "KEY", description = "Only under this key; PREFIX* for several")
        private @Nullable String key;

        @Option(names = "--run", paramLabel = "ID", description = "Only about this run")
        private @Nullable String run;

        @Option(names = "--action", paramLabel = "ACTION", description = "Only this action, such as evicted or paused")
        private @Nullable String action;

        @Option(names = "--since", paramLabel = "TIME", description = "Only those since: 2h, 7d or a time in UTC")
        private @Nullable String since;

        @Option(names = "--until", paramLabel = "TIME", description = "Only those before: 2h, 7d or a time in UTC")
        private @Nullable String until;

        @Override
        List<Facts> items(Backend backend) {
            Facts filter = Facts.with("key", key)
                    .and("run", run)
                    .and("action", action)
                    .and("since", PastTimes.optional("--since", since))
                    .and("until", PastTimes.optional("--until", until));
            return backend.requests().items(most(), "/audit", query(filter));
        }

        @Override
        Table columns() {
            return new Table()
                    .of("number", record -> record.shown("sequence"))
                    .of("at", when("at"))
                    .of("key", "actor", "action", "before", "after", "token", "reason")
                    .sparing("token", "number", "before", "action");
        }

        @Override
        String none() {
            boolean all = key == null && run == null && action == null && since == null && until == null;
            return all ? "there are no audit records" : "there are no such audit records";
        }
    }

    @Command(
            description = "Checks the whole audit log: whether it was tampered with, and whether grants overlap. Exit"
                    + " code 1 if so. Witnesses and a key, kept outside the store, also find an end that was cut off and a"
                    + " log that was written anew.",
            footer = {"", "Example:", "  interlock audit verify --witness-file seen --write-witness seen"})
    public static final class Verify extends Answering {

        @Option(
                names = "--witness",
                paramLabel = "POSITION:HASH",
                description = "A link that was written down earlier; the log must still have it. May be repeated")
        private List<String> witnesses = new ArrayList<>();

        @Option(
                names = "--witness-file",
                paramLabel = "FILE",
                description = "A file with one witness per line; through a server the last 20 count")
        private @Nullable Path witnessFile;

        @Option(
                names = "--write-witness",
                paramLabel = "FILE",
                description = "Append the end of the log to this file as a witness, if nothing is wrong")
        private @Nullable Path writeTo;

        @Option(
                names = "--audit-key-file",
                paramLabel = "FILE",
                description = "The file that holds the key that signs the log; a server has its own")
        private @Nullable Path keyFile;

        @Option(
                names = "--kept-for",
                paramLabel = "DURATION",
                description = "How long records are kept (history.audit): finds witnesses whose records are gone before"
                        + " that; a server knows it")
        private @Nullable String keptFor;

        @Override
        int carryOut(Backend backend) {
            Facts report = backend.verifyAudit(new Backend.Evidence(
                    witnesses(), keyFile == null ? null : key(keyFile), Durations.optional("--kept-for", keptFor)));
            if (json()) {
                answer(report);
            } else {
                console().print(report.shown("sentence"));
                if (report.number("records").orElse(0) == 0) {
                    console().say("servers and workers seal what is on record; until then only audit ls shows it");
                }
                if (report.map().get("findings") instanceof List<?> findings) {
                    findings.forEach(finding -> console().print("  " + finding));
                }
            }
            if (writeTo != null) {
                write(writeTo, report);
            }
            return report.is("clean") ? ExitCode.OK : ExitCode.FAILED;
        }

        private List<Witness> witnesses() {
            List<String> texts = new ArrayList<>(witnesses);
            if (witnessFile != null) {
                text("witnesses", witnessFile, "leave --witness-file out until --write-witness has written it")
                        .lines()
                        .filter(line -> !line.isBlank())
                        .forEach(texts::add);
            }
            return texts.stream().map(Witness::parse).toList();
        }

        // What is wrong now must not be what is right later.
        private void write(Path file, Facts report) {
            String head = report.shown("head");
            if (!report.is("clean") || head.startsWith("0:")) {
                console().say("no witness was written to " + file);
                return;
            }
            try {
                Files.writeString(file, head + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException unwritable) {
                throw new Failure(
                        ExitCode.CONFIGURATION,
                        "the witness cannot be written to " + file + ": " + unwritable,
                        "name a file that can be written, outside the store");
            }
        }
    }

    @Command(
            description = "Signs the audit log as it is now, with a key that it was not signed with before: once after"
                    + " audit.key-file was set for a log that had records already, and after the key was replaced."
                    + " Verify the log first.",
            footer = {"", "Example:", "  interlock audit sign --store sqlite:il.db --audit-key-file audit.key"})
    public static final class Sign extends Answering {

        @Option(
                names = "--audit-key-file",
                required = true,
                paramLabel = "FILE",
                description = "The file that holds the key")
        private Path keyFile = Path.of("");

        @Mixin
        private Confirmation confirmation = new Confirmation();

        @Override
        int carryOut(Backend backend) {
            AuditKey key = key(keyFile);
            confirmation.require(console(), "Sign the audit log as it is now? Verify it first.");
            answer(backend.signAudit(key));
            return ExitCode.OK;
        }
    }

    private static AuditKey key(Path file) {
        return AuditKey.of(text("audit key", file, "name a file that holds the key and nothing else"));
    }

    private static String text(String what, Path file, String nextStep) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new Failure(
                    ExitCode.CONFIGURATION,
                    "the " + what + " cannot be read from " + file + ": " + unreadable,
                    nextStep);
        }
    }
}
