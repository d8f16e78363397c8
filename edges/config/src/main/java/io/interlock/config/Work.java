package io.interlock.config;

import io.interlock.engine.command.InheritedEnvironment;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How a job is done. */
public sealed interface Work {

    /** The word for it: {@code command}, {@code http}, {@code java}, {@code nodes} or {@code remote}. */
    String word();

    /**
     * By a program.
     *
     * @param words the program and its arguments
     * @param directory where it works, or {@code null} for where the worker does
     * @param inherited which variables of the worker it sees
     * @param permanentExitCodes exit codes after which it is not tried again
     */
    record Command(
            List<String> words,
            @Nullable Path directory,
            InheritedEnvironment inherited,
            Set<Integer> permanentExitCodes)
            implements Work {

        /** Copies the lists. */
        public Command {
            words = List.copyOf(words);
            permanentExitCodes = Set.copyOf(permanentExitCodes);
        }

        @Override
        public String word() {
            return "command";
        }
    }

    /**
     * By a call over HTTP.
     *
     * @param url where to
     * @param timeout how long the answer may take
     * @param secret signs it, or {@code null}
     * @param callback where the other side says how its work ended, or {@code null} if it may not answer 202
     */
    record Http(
            URI url,
            Duration timeout,
            @Nullable Secret secret,
            @Nullable String callback) implements Work {

        @Override
        public String word() {
            return "http";
        }
    }

    /**
     * By a class.
     *
     * @param className a {@link io.interlock.engine.RunHandler} with a public constructor without parameters
     */
    record Java(String className) implements Work {

        @Override
        public String word() {
            return "java";
        }
    }

    /**
     * By other jobs beside each other.
     *
     * @param jobs their names
     */
    record Nodes(List<String> jobs) implements Work {

        /** Copies the list. */
        public Nodes {
            jobs = List.copyOf(jobs);
        }

        @Override
        public String word() {
            return "nodes";
        }
    }

    /** By whoever claims it. */
    record Remote() implements Work {

        @Override
        public String word() {
            return "remote";
        }
    }
}
