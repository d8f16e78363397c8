package io.interlock.cli.command;

import io.interlock.cli.backend.Backend;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code interlock audit …}. */
public final class AuditCommands {

    private AuditCommands() {}

    /** {@code audit ls}. */
    @Command(
            name = "ls",
            description = "Lists what was done, by whom and why, the newest first.",
            footer = {"", "Example:", "  interlock audit ls --key ledger/4711 --limit 10"})
    public static final class Ls extends Listing {

        @Option(names = "--key", paramLabel = "KEY", description = "Only under this key")
        private @Nullable String key;

        @Option(names = "--run", paramLabel = "ID", description = "Only about this run")
        private @Nullable String run;

        @Mixin
        private LimitOption limit = new LimitOption();

        /** The command. */
        public Ls(Session session) {
            super(session);
        }

        @Override
        List<Facts> items(Backend backend) {
            return backend.house().audit(key, run, limit.value());
        }

        @Override
        int most() {
            return limit.value();
        }

        @Override
        Table table() {
            return new Table("number", "at", "key", "actor", "action", "before", "after", "token", "reason");
        }

        @Override
        String[] row(Facts record) {
            return new String[] {
                record.shown("sequence"),
                when(record, "at"),
                record.shown("key"),
                record.shown("actor"),
                record.shown("action"),
                record.shown("before"),
                record.shown("after"),
                record.shown("token"),
                record.shown("reason")
            };
        }

        @Override
        String[] spare() {
            return new String[] {"token", "number", "before", "action"};
        }

        @Override
        String none() {
            return key == null && run == null ? "nothing is on record" : "nothing is on record about that";
        }
    }

    /** {@code audit verify}. */
    @Command(
            name = "verify",
            description = "Looks at the whole audit log: whether somebody has touched it, and whether grants overlap."
                    + " Exit code 1 if so.",
            footer = {"", "Example:", "  interlock audit verify --store 'postgresql://il@db/locks?sslmode=require'"})
    public static final class Verify extends Answering {

        /** The command. */
        public Verify(Session session) {
            super(session);
        }

        @Override
        int carryOut(Backend backend) {
            Facts report = backend.house().verifyAudit();
            if (json()) {
                answer(report);
            } else {
                session().console().print(report.shown("sentence"));
                if (report.number("records").orElse(0) == 0) {
                    session()
                            .console()
                            .say("servers and workers seal what is on record; until then only audit ls shows it");
                }
                if (report.values().get("findings") instanceof List<?> findings) {
                    findings.forEach(finding -> session().console().print("  " + finding));
                }
            }
            return report.is("clean") ? ExitCode.OK : ExitCode.FAILED;
        }
    }
}
