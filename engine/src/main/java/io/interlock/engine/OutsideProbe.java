package io.interlock.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks an outside system, before each attempt does its work, whether that work still goes on there: a lock that ended with its worker
 * does not end what the worker had begun elsewhere. The attempt has its key meanwhile, so no other run begins; it asks again and again
 * until the answer is that nothing goes on, it is told to stop, or its max runtime is over. A question that gets no answer is asked
 * again, too.
 *
 * <p>Safe for use by many threads.
 *
 * @param question returns if nothing goes on outside, and throws if something does or if it cannot be told
 */
public record OutsideProbe(RunHandler question, RunHandler work, Duration every) implements RunHandler {

    /** The stage of an attempt that asks. */
    public static final String STAGE = "probe";

    /** The stage of one that has asked and begins its work, until that names a stage itself. */
    public static final String WORK = "work";

    private static final Logger log = LoggerFactory.getLogger(OutsideProbe.class);

    @Override
    public @Nullable String run(RunContext context) throws Exception {
        CountDownLatch stop = new CountDownLatch(1);
        context.onStop(stop::countDown);
        boolean waited = false;
        while (!isFree(context, !waited)) {
            waited = true;
            boolean unused = stop.await(TimeUnit.NANOSECONDS.convert(every), TimeUnit.NANOSECONDS);
            context.checkpoint();
        }
        if (waited) {
            context.stage(WORK);
        }
        return work.run(context);
    }

    private boolean isFree(RunContext context, boolean first) throws Exception {
        try {
            question.run(context);
            return true;
        } catch (PermanentFailureException | TransientFailureException busy) {
            if (context.stopping().isPresent()) {
                throw busy;
            }
            if (first) {
                context.stage(STAGE);
                log.info(
                        "run {} under {} waits for what goes on outside: {}",
                        context.run().id(),
                        context.key(),
                        busy.getMessage());
            }
            return false;
        }
    }
}
