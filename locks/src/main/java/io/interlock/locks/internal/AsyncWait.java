package io.interlock.locks.internal;

import io.interlock.LockKey;
import io.interlock.locks.Acquisition;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Somebody who waits for its turn without a thread. */
final class AsyncWait {

    private final House house;
    private final Ask ask;

    AsyncWait(House house, Ask ask) {
        this.house = house;
        this.ask = ask;
    }

    /** One look. */
    CompletionStage<Acquisition> once() {
        Turn turn = house.lines().turn(ask, house.threads());
        look(turn, false);
        return turn.result();
    }

    /** As many looks as it takes. */
    CompletionStage<Acquisition> upTo(Duration maxWait) {
        LockKey busy = house.lines().busy(ask.request().keys());
        Turn turn = house.lines().turn(ask, maxWait, house.threads());
        if (busy == null) {
            look(turn, true);
        } else {
            house.lines().join(turn, busy);
        }
        return turn.result();
    }

    private void look(Turn turn, boolean waits) {
        house.asker().lookAsync(ask).whenComplete((acquisition, failure) -> {
            if (failure != null) {
                turn.fail(Futures.cause(failure));
            } else if (waits && acquisition instanceof Acquisition.Refused refused) {
                turn.refused(refused.refusal());
                house.lines().join(turn, refused.refusal().key());
            } else {
                turn.settle(acquisition, house.leases());
            }
        });
    }
}
