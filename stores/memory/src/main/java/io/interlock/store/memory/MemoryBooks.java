package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.DeadLetter;
import io.interlock.spi.run.DeadLetterQuery;
import io.interlock.spi.run.DeadLetters;
import io.interlock.spi.run.DiscardAnswer;
import io.interlock.spi.run.DiscardRequest;
import io.interlock.spi.run.RedriveAnswer;
import io.interlock.spi.run.RedriveRequest;
import io.interlock.time.Environment;
import java.util.List;

/** A client's view of what a store in memory keeps beside its runs. Safe for use by many threads. */
abstract class MemoryBooks extends MemoryRuns implements DeadLetters {

    private final Books books;

    MemoryBooks(Environment environment, RunSteps runs, Watchers<LockKey> watchers) {
        super(environment, runs, watchers);
        books = runs.books();
    }

    @Override
    public List<DeadLetter> deadLetters(DeadLetterQuery query) {
        requireOpen();
        return books.letters().list(query);
    }

    @Override
    public RedriveAnswer redrive(RedriveRequest request) {
        requireOpen();
        return books.letters().redrive(request);
    }

    @Override
    public DiscardAnswer discard(DiscardRequest request) {
        requireOpen();
        return books.letters().discard(request);
    }
}
