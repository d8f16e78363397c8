package io.interlock.store.sqlite;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * The ways to the file of one store, and how a {@link Step} is made on them. Renewals have a lane of their own, so that none
 * waits for the work of others to begin. Safe for use by many threads.
 */
final class Lanes implements AutoCloseable {

    private final StoreClock clock;
    private final RandomGenerator random;
    private final Lane writes;
    private final Lane renewals;
    private final Lane reads;

    /**
     * Lanes to a file.
     *
     * @param writers what all lanes of the store queue at before they write
     */
    Lanes(Connector connector, ReentrantLock writers, StoreClock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
        writes = new Lane(connector, writers);
        renewals = new Lane(connector, writers);
        reads = new Lane(connector, writers);
    }

    /** Something done in a step. */
    @FunctionalInterface
    interface Work<T> {
        T run(Step step) throws SQLException;
    }

    /** One of several requests, answered in a step. */
    @FunctionalInterface
    interface RequestWork<Q, A> {
        A answer(Step step, Q request) throws SQLException;
    }

    /** What {@code work} says of the file as it is; nothing is written, whatever it wants. */
    <T> T look(Work<T> work) {
        return reads.read(session -> work.run(Step.looking(session, clock, random)));
    }

    <T> T write(Work<T> work) {
        return write(writes, work);
    }

    /** Does {@code work}, as the only writer only if it has to write. */
    <T> T lookThenWrite(Work<T> work) {
        List<T> said = look(step -> {
            T answer = work.run(step);
            return step.wantsToWrite() ? Collections.<T>emptyList() : List.of(answer);
        });
        return said.isEmpty() ? write(work) : said.get(0);
    }

    <Q, A> List<A> writeEach(List<Q> requests, RequestWork<Q, A> work) {
        return write(writes, step -> each(requests, step, work));
    }

    <Q, A> List<A> renewEach(List<Q> requests, RequestWork<Q, A> work) {
        return write(renewals, step -> each(requests, step, work));
    }

    /**
     * Answers requests in their order: by looking up to the first that has to write, and that and all after it as the only
     * writer.
     */
    <Q, A> List<A> lookThenWriteEach(List<Q> requests, RequestWork<Q, A> work) {
        List<A> answers = new ArrayList<>(look(step -> {
            List<A> said = new ArrayList<>();
            for (Q request : requests) {
                A answer = work.answer(step, request);
                if (step.wantsToWrite()) {
                    break;
                }
                said.add(answer);
            }
            return said;
        }));
        if (answers.size() < requests.size()) {
            answers.addAll(writeEach(requests.subList(answers.size(), requests.size()), work));
        }
        return answers;
    }

    @Override
    public void close() {
        writes.close();
        renewals.close();
        reads.close();
    }

    private <T> T write(Lane lane, Work<T> work) {
        return lane.write(session -> {
            Step step = Step.writing(session, clock, random);
            T result = work.run(step);
            step.finish();
            return result;
        });
    }

    private static <Q, A> List<A> each(List<Q> requests, Step step, RequestWork<Q, A> work) throws SQLException {
        List<A> answers = new ArrayList<>();
        for (Q request : requests) {
            answers.add(work.answer(step, request));
        }
        return answers;
    }
}
