package io.interlock.spring;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** The {@link ExclusiveRun} methods of an application, each checked when it is found. Safe for many threads. */
final class ExclusiveRunMethods {

    private final ConfigurableListableBeanFactory beans;
    private final Supplier<ExclusiveRunSettings> settings;
    private final Map<Method, ExclusiveRunPlan> plans = new ConcurrentHashMap<>();

    ExclusiveRunMethods(ConfigurableListableBeanFactory beans, Supplier<ExclusiveRunSettings> settings) {
        this.beans = beans;
        this.settings = settings;
    }

    /**
     * Reads and checks the methods of a bean.
     *
     * @param type the bean's class, without its proxy
     * @param byInterface whether the bean has a proxy already that has only the methods of its interfaces
     * @throws InvalidExclusiveRunException if a method cannot be guarded
     */
    void add(Class<?> type, boolean byInterface) {
        if (!AnnotationUtils.isCandidateClass(type, ExclusiveRun.class)) {
            return;
        }
        Map<Method, ExclusiveRun> found =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<@Nullable ExclusiveRun>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, ExclusiveRun.class));
        found.forEach((method, annotation) -> {
            requireProxy(type, method, byInterface);
            requireReturnType(method, annotation);
            plans.computeIfAbsent(method, unread -> plan(method, annotation));
        });
        SelfCalls.refuse(type, found.keySet().stream().map(plans::get).toList());
    }

    /** The plan of a call to a bean of class {@code type}, if the method has one. */
    @Nullable
    ExclusiveRunPlan find(Method method, Class<?> type) {
        return plans.get(AopUtils.getMostSpecificMethod(method, type));
    }

    Collection<ExclusiveRunPlan> all() {
        return plans.values();
    }

    private ExclusiveRunPlan plan(Method method, ExclusiveRun annotation) {
        ExclusiveRunSettings common = settings.get();
        Duration maxWait = duration(method, "maxWait", annotation.maxWait());
        return new ExclusiveRunPlan(
                method,
                new KeyExpression(method, common.tenant(), resolved(annotation.key()), beans),
                annotation.onConflict() == ExclusiveRun.OnConflict.SKIP,
                common.insideTransactions(),
                maxWait == null ? Duration.ZERO : maxWait,
                duration(method, "lease", annotation.lease()),
                duration(method, "maxRuntime", annotation.maxRuntime()));
    }

    private String resolved(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }

    private @Nullable Duration duration(Method method, String name, String written) {
        String text = resolved(written);
        try {
            return text.isBlank() ? null : DurationText.parse(name, text);
        } catch (InterlockException invalid) {
            throw new InvalidExclusiveRunException(
                    method, "has an invalid time: " + invalid.getMessage(), "correct it");
        }
    }

    private static void requireProxy(Class<?> type, Method method, boolean byInterface) {
        String problem = null;
        if (Modifier.isPrivate(method.getModifiers())) {
            problem = "is private";
        } else if (Modifier.isStatic(method.getModifiers())) {
            problem = "is static";
        } else if (byInterface) {
            problem =
                    isOfAnInterface(type, method) ? null : "is in no interface of its bean, whose proxy has no others";
        } else if (Modifier.isFinal(method.getModifiers())) {
            problem = "is final";
        } else if (Modifier.isFinal(type.getModifiers())) {
            problem = "is in a final class";
        }
        if (problem != null) {
            throw new InvalidExclusiveRunException(
                    method,
                    "guards nothing: the method " + problem + ", so calls do not go through a proxy",
                    "make it a public method of a class that can be extended, or call Locks.call in it");
        }
    }

    private static boolean isOfAnInterface(Class<?> type, Method method) {
        return Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
                .anyMatch(one -> ClassUtils.hasMethod(one, method.getName(), method.getParameterTypes()));
    }

    private static void requireReturnType(Method method, ExclusiveRun annotation) {
        Class<?> returned = method.getReturnType();
        boolean suspends = Arrays.stream(method.getParameterTypes())
                .anyMatch(parameter -> parameter.getName().equals("kotlin.coroutines.Continuation"));
        if (suspends
                || Future.class.isAssignableFrom(returned)
                || Stream.class.isAssignableFrom(returned)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(returned) != null) {
            throw new InvalidExclusiveRunException(
                    method,
                    "would end too early: the method returns " + (suspends ? "from a coroutine" : returned.getName())
                            + ", whose work goes on after the call, when the key is free again",
                    "return the result itself, or use Locks.acquireAsync and release the lease when the work has ended");
        }
        if (annotation.onConflict() == ExclusiveRun.OnConflict.SKIP
                && returned.isPrimitive()
                && returned != void.class) {
            throw new InvalidExclusiveRunException(
                    method,
                    "cannot skip a call: the method returns " + returned + ", which cannot be null",
                    "return an object or an Optional, or set onConflict = REJECT");
        }
    }

    /**
     * One {@link ExclusiveRun} method, its annotation read and checked. Safe for many threads.
     *
     * @param maxWait how long a call waits for the key
     * @param lease how long the lease lasts, or {@code null} for as long as the locks say
     * @param maxRuntime how long the method may run, or {@code null} for as long as the locks say
     */
    record ExclusiveRunPlan(
            Method method,
            KeyExpression key,
            boolean skips,
            boolean insideTransactions,
            Duration maxWait,
            @Nullable Duration lease,
            @Nullable Duration maxRuntime) {

        /**
         * On what terms it is run.
         *
         * @throws InvalidExclusiveRunException if they contradict each other or the limits of the store
         */
        LeaseOptions options(Locks locks) {
            try {
                LeaseOptions leased = lease == null ? locks.defaultOptions() : withLease(locks.defaultOptions(), lease);
                LeaseOptions options = maxRuntime == null ? leased : leased.maxHold(maxRuntime);
                options.terms().within(locks.capabilities().maxLease());
                return options;
            } catch (InterlockException invalid) {
                throw new InvalidExclusiveRunException(
                        method, "has terms that cannot be kept: " + invalid.getMessage(), "correct them");
            }
        }

        // Built anew: the renewal of the defaults belongs to their ttl.
        private static LeaseOptions withLease(LeaseOptions defaults, Duration lease) {
            LeaseOptions own = LeaseOptions.defaults()
                    .ttl(lease)
                    .lockDelay(defaults.terms().lockDelay());
            return defaults.maxHold().map(own::maxHold).orElse(own);
        }
    }
}
