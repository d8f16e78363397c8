package io.interlock.cli.health;

import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Whether a worker can be of use: nobody has asked it to end, and where it takes its work from answers. What hangs is asked once, however
 * many want to know. Safe for use by many threads.
 */
final class Readiness {

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Environment environment;
    private @Nullable Runnable question;
    private @Nullable CompletableFuture<Optional<String>> asked;

    Readiness(Environment environment) {
        this.environment = environment;
    }

    /** From now on it is ready if this question is answered without an exception; never with {@code null}. */
    synchronized void by(@Nullable Runnable question) {
        this.question = question;
    }

    /** Why it is not ready; empty if it is. */
    Optional<String> obstacle() {
        CompletableFuture<Optional<String>> answer;
        synchronized (this) {
            if (question == null) {
                return Optional.of("it takes no work now");
            }
            if (asked == null || asked.isDone()) {
                asked = ask(question);
            }
            answer = asked;
        }
        try {
            return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException unanswered) {
            return Optional.of("there was no answer within " + PATIENCE.toSeconds() + "s");
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            return Optional.of("it ends");
        }
    }

    private CompletableFuture<Optional<String>> ask(Runnable question) {
        CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
        environment
                .threads("interlock-ready")
                .newThread(() -> {
                    try {
                        question.run();
                        answer.complete(Optional.empty());
                    } catch (RuntimeException unanswered) {
                        answer.complete(Optional.of(String.valueOf(unanswered.getMessage())));
                    }
                })
                .start();
        return answer;
    }
}
