package io.interlock.store.postgres;

import io.interlock.InvalidSettingException;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.DiscardAnswer;
import io.interlock.run.Disposition;
import io.interlock.run.RedriveAnswer;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.RedriveRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is done about dead letters, each as one statement. */
final class LetterSteps {

    private static final String COLUMNS = """
            (a.letter).kind AS letter_kind, (a.letter).actor AS letter_actor, (a.letter).reason AS letter_reason,
            (a.letter).at AS letter_at, (a.letter).successor AS letter_successor,
            """ + RunAnswer.COLUMNS;

    private LetterSteps() {}

    /**
     * An answer about a run, and what was done about that run as a dead letter.
     *
     * @param said the answer
     * @param done what was done, or {@code null} if nothing was
     */
    record Said(RunAnswer said, @Nullable Disposition done) {

        DeadLetter letter() {
            return new DeadLetter(said.requireRun(), done);
        }

        boolean asksToReattach() {
            return said.verdict().equals("reattach");
        }
    }

    static Lane.Step<List<Said>> list(RunCall call, DeadLetterQuery query) {
        return call.columns(
                COLUMNS,
                "dead_letters(?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setString(1, query.tenant());
                    statement.setString(
                            2, query.job() == null ? null : query.job().value());
                    statement.setBoolean(3, query.open());
                    statement.setLong(4, query.after());
                    statement.setInt(5, query.limit());
                },
                LetterSteps::readAll);
    }

    static Lane.Step<List<Said>> redrive(RunCall call, RedriveRequest request) {
        return call.columns(
                COLUMNS,
                "redrive(?, ?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setObject(2, request.dead().value());
                    statement.setObject(3, request.anew().value());
                    statement.setString(4, Texts.shown(request.actor()));
                    statement.setString(5, Texts.shown(request.reason()));
                },
                LetterSteps::readAll);
    }

    static RedriveAnswer redriven(RedriveRequest request, List<Said> rows) {
        if (rows.isEmpty()) {
            return new RedriveAnswer.Unknown();
        }
        Said first = rows.get(0);
        RunAnswer row = first.said();
        return switch (row.verdict()) {
            case "redriven" ->
                new RedriveAnswer.Redriven(first.letter(), rows.get(1).said().requireRun());
            case "refused" -> new RedriveAnswer.Refused(first.letter(), row.requireRefusal());
            case "settled" -> new RedriveAnswer.Settled(first.letter());
            case "callers" -> new RedriveAnswer.CallersWork(row.requireRun());
            case "not-dead" -> new RedriveAnswer.NotDead(row.requireRun());
            case "taken" ->
                throw new InvalidSettingException(
                        "new run", request.anew(), "is the name of another run", "make a fresh name for every redrive");
            default -> throw RunCall.unknown(row);
        };
    }

    static Lane.Step<List<Said>> discard(RunCall call, DiscardRequest request) {
        return call.columns(
                COLUMNS,
                "discard(?, ?, ?, ?)",
                (statement, patience) -> {
                    statement.setInt(1, patience);
                    statement.setObject(2, request.dead().value());
                    statement.setString(3, Texts.shown(request.actor()));
                    statement.setString(4, Texts.shown(request.reason()));
                },
                LetterSteps::readAll);
    }

    static DiscardAnswer discarded(List<Said> rows) {
        if (rows.isEmpty()) {
            return new DiscardAnswer.Unknown();
        }
        Said first = rows.get(0);
        return switch (first.said().verdict()) {
            case "settled" -> new DiscardAnswer.Settled(first.letter());
            case "not-dead" -> new DiscardAnswer.NotDead(first.said().requireRun());
            default -> throw RunCall.unknown(first.said());
        };
    }

    private static List<Said> readAll(ResultSet rows) throws SQLException {
        List<Said> read = new ArrayList<>();
        Columns letter = new Columns(rows, "letter_");
        while (rows.next()) {
            read.add(new Said(RunAnswer.read(rows), disposition(letter)));
        }
        return List.copyOf(read);
    }

    private static @Nullable Disposition disposition(Columns row) throws SQLException {
        String kind = row.text("kind");
        return kind == null
                ? null
                : new Disposition(
                        Disposition.Kind.valueOf(kind),
                        row.requireText("actor"),
                        row.requireText("reason"),
                        row.requireInstant("at"),
                        row.run("successor"));
    }
}
