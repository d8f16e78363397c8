package io.interlock.engine.internal;

import io.interlock.LeaseRecord;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.run.FinishRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was granted to somebody who had gone away by then, and so cannot know of it: given back at once, for nobody would use it until
 * its lease ends. Not if the same name was asked for again meanwhile, for whoever lost no more than a connection comes back with it
 * and has, or will have, this very grant. Nor if it was a run's last attempt: that is not spent on somebody who may come back.
 *
 * <p>Whoever was answered is never taken for gone: an answer that does not arrive is what names that may be repeated are for. Safe for
 * use by many threads.
 */
final class Abandoned {

    private static final Logger log = LoggerFactory.getLogger(Abandoned.class);
    private static final int MOST_REMEMBERED = 20_000;
    private static final String CLIENT_GONE = "CLIENT_GONE";

    private final House house;
    private final Map<UUID, Long> lastAsked = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Long> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };
    private long asked;

    Abandoned(House house) {
        this.house = house;
    }

    /** Somebody asks for something under {@code name}: what to do with it when nobody is there any more to have it. */
    synchronized <A> Consumer<A> unlessAskedAgain(UUID name, Consumer<A> giveBack) {
        long mine = ++asked;
        lastAsked.put(name, mine);
        return answer -> {
            if (isLast(name, mine)) {
                giveBack.accept(answer);
            }
        };
    }

    private synchronized boolean isLast(UUID name, long number) {
        Long last = lastAsked.get(name);
        return last != null && last == number;
    }

    void giveBack(LeaseRecord lease) {
        told(lease, house.lanes().releases().submit(new ReleaseRequest(lease.key(), lease.id(), lease.token())));
    }

    void giveBack(Run run, LeaseRecord lease) {
        if (!run.spec().retry().allowsAnotherAfter(run.status().attempts())) {
            return;
        }
        RunError error = new RunError(CLIENT_GONE, "whoever asked for it had gone away when it was granted");
        FinishRequest request = new FinishRequest(
                run.id(), run.key(), lease.id(), lease.token(), new Ending.Failed(error, true, Duration.ZERO));
        told(lease, house.lanes().finishes().submit(request));
    }

    private void told(LeaseRecord lease, CompletionStage<?> answer) {
        answer.whenComplete((done, failure) -> {
            if (failure == null) {
                log.debug("{} was granted to {}, who had gone away, and is free again", lease.key(), lease.holder());
                house.workers().wake();
            } else {
                log.debug("{} is left for its lease to end: {}", lease.key(), failure.toString());
            }
        });
    }
}
