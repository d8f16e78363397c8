package io.interlock.config;

import io.interlock.engine.command.InheritedEnvironment;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a job is executed. */
public sealed interface Work {

    /** Its name: {@code command}, {@code http}, {@code java}, {@code nodes} or {@code remote}. */
    default String word() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /**
     * By a program.
     *
     * @param directory its working directory, or {@code null} for that of the worker
     * @param inherited the variables of the worker that it inherits
     * @param permanentExitCodes exit codes after which there is no retry
     */
    record Command(
            List<String> words,
            @Nullable Path directory,
            InheritedEnvironment inherited,
            Set<Integer> permanentExitCodes)
            implements Work {

        public Command {
            words = List.copyOf(words);
            permanentExitCodes = Set.copyOf(permanentExitCodes);
        }
    }

    /**
     * By an HTTP request.
     *
     * @param timeout how long the answer may take
     * @param secret signs the request, or {@code null}
     * @param callback where the other system reports the end of its work, or {@code null} if it may not answer 202
     */
    record Http(
            URI url,
            Duration timeout,
            @Nullable Secret secret,
            @Nullable String callback) implements Work {}

    /**
     * By a class.
     *
     * @param className a {@link io.interlock.engine.RunHandler} with a public constructor without parameters
     */
    record Java(String className) implements Work {}

    /** By other jobs in parallel. */
    record Nodes(List<String> jobs) implements Work {

        public Nodes {
            jobs = List.copyOf(jobs);
        }
    }

    /** By a worker in another process. */
    record Remote() implements Work {}
}
