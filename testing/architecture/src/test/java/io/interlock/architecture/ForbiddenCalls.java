package io.interlock.architecture;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;

/** Calls that use the time, threads or random numbers of the JVM instead of injected ones. */
final class ForbiddenCalls {

    private static final Set<String> ALWAYS = Set.of(
            "java.lang.System.currentTimeMillis",
            "java.lang.System.nanoTime",
            "java.lang.Math.random",
            "java.lang.StrictMath.random",
            "java.lang.Thread.sleep",
            "java.lang.Thread.<init>",
            "java.time.InstantSource.system",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.time.Clock.system",
            "java.time.Clock.tickMillis",
            "java.time.Clock.tickSeconds",
            "java.time.Clock.tickMinutes",
            "java.util.Calendar.getInstance",
            "java.util.Timer.<init>",
            "java.util.UUID.randomUUID",
            "java.util.Random.<init>",
            "java.util.SplittableRandom.<init>",
            "java.util.random.RandomGenerator.getDefault",
            "java.util.random.RandomGenerator.of",
            "java.security.SecureRandom.<init>",
            "java.security.SecureRandom.getInstance",
            "java.security.SecureRandom.getInstanceStrong",
            "java.util.concurrent.ThreadLocalRandom.current",
            "java.util.concurrent.TimeUnit.sleep",
            "java.util.concurrent.ForkJoinPool.commonPool",
            "java.util.concurrent.CompletableFuture.orTimeout",
            "java.util.concurrent.CompletableFuture.completeOnTimeout");

    private static final Set<String> POOLS = Set.of(
            "java.util.concurrent.ThreadPoolExecutor",
            "java.util.concurrent.ScheduledThreadPoolExecutor",
            "java.util.concurrent.ForkJoinPool");

    private static final Set<String> ASYNC =
            Set.of("java.util.concurrent.CompletableFuture", "java.util.concurrent.CompletionStage");

    private ForbiddenCalls() {}

    /** Whether code with injected time and threads must not call {@code target}. */
    static boolean forbids(CodeUnitAccessTarget target) {
        String owner = target.getOwner().getName();
        String name = target.getName();
        if (ALWAYS.contains(owner + "." + name) || name.equals("parallelStream")) {
            return true;
        }
        List<JavaClass> parameters = target.getRawParameterTypes();
        if (owner.startsWith("java.time.") && name.equals("now")) {
            return !takes(parameters, Clock.class);
        }
        if (name.equals("<init>") && (owner.equals("java.util.Date") || owner.equals("java.util.GregorianCalendar"))) {
            return parameters.isEmpty();
        }
        if (owner.equals("java.util.concurrent.Executors")) {
            return (name.startsWith("new") && !takes(parameters, ThreadFactory.class))
                    || name.equals("defaultThreadFactory");
        }
        if (POOLS.contains(owner) && name.equals("<init>")) {
            return !takes(parameters, ThreadFactory.class)
                    && !takes(parameters, ForkJoinPool.ForkJoinWorkerThreadFactory.class);
        }
        if (ASYNC.contains(owner)) {
            return (name.endsWith("Async") || name.equals("delayedExecutor")) && !takes(parameters, Executor.class);
        }
        return false;
    }

    /** Whether {@code target} lets a thread sleep. */
    static boolean sleeps(CodeUnitAccessTarget target) {
        String owner = target.getOwner().getName();
        return target.getName().equals("sleep")
                && (owner.equals("java.lang.Thread") || owner.equals("java.util.concurrent.TimeUnit"));
    }

    private static boolean takes(List<JavaClass> parameters, Class<?> type) {
        return parameters.stream().anyMatch(parameter -> parameter.isEquivalentTo(type));
    }
}
