package io.interlock.spring.boot;

import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.spring.InvalidExclusiveRunException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains why the application did not start, and the next step, in place of a stack trace. */
final class InterlockFailureAnalyzer extends AbstractFailureAnalyzer<InterlockException> {

    @Override
    protected FailureAnalysis analyze(Throwable root, InterlockException cause) {
        String message = String.valueOf(cause.getMessage());
        // Their last part is the next step.
        boolean tells = cause instanceof InvalidSettingException || cause instanceof InvalidExclusiveRunException;
        int step = tells ? message.lastIndexOf("; ") : -1;
        return step < 0
                ? new FailureAnalysis(
                        capital(message) + ".",
                        "Make the store or server available, or correct interlock.store or interlock.server.url.",
                        cause)
                : new FailureAnalysis(
                        capital(message.substring(0, step)) + ".", capital(message.substring(step + 2)) + ".", cause);
    }

    // The name of a property is written as it is.
    private static String capital(String text) {
        return text.startsWith("interlock.") ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
