package io.interlock.config;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this process can serve requests or take work. A store or server that hangs is asked once, however many requests wait for its answer.
 * Nothing here blocks. Safe for use by many threads.
 */
public final class Readiness {

    private final Executor asking;
    private Supplier<Optional<String>> question;
    private @Nullable CompletableFuture<Optional<String>> asked;

    /**
     * Has {@code question} answered on {@code asking}.
     *
     * @param question why it is not ready, without secrets; empty if it is. It may block
     */
    public Readiness(Executor asking, Supplier<Optional<String>> question) {
        this.asking = asking;
        this.question = question;
    }

    /** From now on, this question is asked. */
    public synchronized void by(Supplier<Optional<String>> other) {
        question = other;
        asked = null;
    }

    /** Why it is not ready; empty if it is. An answer that takes long counts as no. */
    public synchronized CompletionStage<Optional<String>> obstacle() {
        if (asked == null || asked.isDone()) {
            try {
                asked = CompletableFuture.supplyAsync(question, asking);
            } catch (RuntimeException refused) {
                return CompletableFuture.completedFuture(Optional.of("this node has too much to do"));
            }
        }
        return asked;
    }
}
