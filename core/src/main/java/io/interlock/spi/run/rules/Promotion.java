package io.interlock.spi.run.rules;

import io.interlock.FencingToken;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.run.Execution;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.spi.TokenLayout;
import io.interlock.spi.run.SubmitRequest;
import java.util.Optional;

/** Lets the first in line have the key as soon as it is free. */
final class Promotion {

    private Promotion() {}

    /** Keeps the key for the next in line, if it is free and somebody is there. */
    static void promote(Room room) {
        Optional<Run> next = next(room);
        if (next.isEmpty()) {
            return;
        }
        Run run = next.get();
        if (run.spec().execution() == Execution.CALLER) {
            room.setLease(null);
            room.setReservation(new Reservation(run.id(), room.now(), room.now().plus(Reservation.OFFER)));
        } else {
            reserve(room, run);
        }
    }

    static Run reserve(Room room, Run run) {
        Run pending = room.move(run, run.status(), RunState.PENDING, Why.rule("its key is free"));
        room.setLease(null);
        room.setReservation(new Reservation(run.id(), room.now(), null));
        return pending;
    }

    /** Whose turn it is, if the key is free. Whoever may not start from the resource's state ends here. */
    static Optional<Run> next(Room room) {
        while (Line.closed(room) == null) {
            Optional<Run> first = Line.first(room);
            if (first.isEmpty()) {
                return first;
            }
            RunRefusal.WrongState wrong = Line.wrongState(room, first.get());
            if (wrong == null) {
                return first;
            }
            Verdict.fail(room, first.get(), new RunError(RunError.WRONG_STATE, wrong.explanation()));
        }
        return Optional.empty();
    }

    /** Starts a run whose turn it is. */
    static Run start(Room room, Run run, SubmitRequest.Caller holder) {
        FencingToken token = TokenLayout.next(
                room.lastToken(), room.facts().tokenFloor(), room.facts().epoch(), room.now());
        return room.grant(run, holder, token);
    }
}
