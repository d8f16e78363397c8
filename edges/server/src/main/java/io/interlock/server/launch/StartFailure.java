package io.interlock.server.launch;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.config.ConfigurationException;
import io.interlock.config.Listen;
import io.interlock.server.launch.CommandLine.UsageException;
import io.interlock.server.problem.Problems;
import java.net.BindException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why the process could not start, for people.
 *
 * @param nextStep what to do about it; empty if the cause says so
 */
record StartFailure(int exitCode, String cause, String nextStep) {

    private static final Logger log = LoggerFactory.getLogger(StartFailure.class);

    static StartFailure of(Throwable thrown) {
        Throwable failure = Problems.unwrapped(thrown);
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof UsageException) {
            return new StartFailure(ExitCode.USAGE, message, "interlock server --help lists the options");
        }
        if (failure instanceof StoreUnavailableException) {
            return new StartFailure(ExitCode.UNAVAILABLE, message, "start the store, or name another one: --store URL");
        }
        if (failure instanceof ConfigurationException
                || failure instanceof InvalidSettingException
                || failure instanceof UnsafeStoreException) {
            return new StartFailure(ExitCode.CONFIGURATION, message, "");
        }
        if (failure instanceof PortTakenException) {
            return new StartFailure(
                    ExitCode.UNAVAILABLE, message, "end what listens there, or choose another one: --port N");
        }
        if (failure instanceof InterlockException) {
            return new StartFailure(ExitCode.FAILED, message, "");
        }
        log.error("could not start", failure);
        return new StartFailure(ExitCode.FAILED, failure.toString(), "the log above says where");
    }

    /** Another process listens at the port. */
    static final class PortTakenException extends InterlockException {

        private static final long serialVersionUID = 1L;

        PortTakenException(Listen listen, String said) {
            super("cannot listen at " + listen.host() + ":" + listen.port() + ": " + said);
        }
    }

    /** What was thrown on another thread, as it was thrown there; a port that is taken by its name. */
    static RuntimeException onThisThread(Throwable thrown, Listen listen) {
        Throwable failure = Problems.unwrapped(thrown);
        if (failure instanceof BindException bind) {
            return new PortTakenException(listen, String.valueOf(bind.getMessage()));
        }
        return failure instanceof RuntimeException told ? told : new CompletionException(failure);
    }

    /** How the process ends, in the numbers of {@code sysexits.h}. */
    static final class ExitCode {

        static final int OK = 0;

        static final int USAGE = 64;

        /** The store or the port cannot be had now. */
        static final int UNAVAILABLE = 69;

        static final int CONFIGURATION = 78;

        static final int FAILED = 125;

        private ExitCode() {}
    }
}
