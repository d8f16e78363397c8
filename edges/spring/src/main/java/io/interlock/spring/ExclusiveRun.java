package io.interlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method under a key: at most one run per key at a time, across threads, processes and machines, as far as the store
 * reaches. Calls go through the bean's proxy; a method that no proxy can guard is refused when the application starts.
 *
 * <pre>{@code
 * @Scheduled(cron = "0 0 3 * * *")
 * @ExclusiveRun(key = "nightly-close", maxRuntime = "2h")
 * public void close() { … }
 *
 * @ExclusiveRun(key = "'ledger/' + #tenant", onConflict = REJECT, maxWait = "5s")
 * public Report post(String tenant) { … }
 * }</pre>
 *
 * <p>The lease is renewed while the method runs, and released after it has returned, outside of the method's transaction. If the
 * lease is lost, the thread is interrupted, the call ends with a {@link io.interlock.LeaseLostException}, and a transaction that
 * has not committed rolls back. {@link CurrentLease} has the fencing token.
 *
 * <p>All texts may have placeholders such as <code>${app.lease}</code>.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ExclusiveRun {

    /**
     * What is exclusive. A text with a {@code #} or a {@code '} is a SpEL expression, in which {@code #name} and {@code #p0} are
     * the method's arguments, {@code #root.method} is the method and {@code @bean} is a bean; every other text is the key itself.
     * An expression may also return a {@link io.interlock.LockKey}, with a tenant of its own.
     */
    String key();

    /** What happens to a call that does not get the key. */
    OnConflict onConflict() default OnConflict.SKIP;

    /** How long a call waits for the key, such as {@code 5s}; not at all by default. */
    String maxWait() default "";

    /** How long the key stays closed after this process has died, such as {@code 30s}; by default the one of the locks. */
    String lease() default "";

    /** How long the method may run, such as {@code 2h}; then its lease counts as lost. By default the one of the locks. */
    String maxRuntime() default "";

    /** What happens to a call that does not get its key. */
    enum OnConflict {
        /** The method does not run; the call returns {@code null}, or an empty {@link java.util.Optional}. */
        SKIP,
        /** The call throws a {@link io.interlock.RefusedException} that names the holder. */
        REJECT
    }
}
