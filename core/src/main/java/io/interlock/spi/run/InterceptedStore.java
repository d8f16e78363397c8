package io.interlock.spi.run;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A store whose calls all pass through one function, those of its parts as well: for meters, and for faults in tests.
 * Thread-safe if the function is.
 */
public final class InterceptedStore implements InvocationHandler {

    private final Object target;
    private final Interceptor interceptor;
    private final Map<Method, Object> parts = new ConcurrentHashMap<>();

    /** Answers calls. */
    @FunctionalInterface
    public interface Interceptor {

        /** The answer to {@code call}, such as that of {@link Call#proceed}. */
        @Nullable
        Object answer(Call call) throws Throwable;
    }

    /** A call of a method of the store or of one of its parts. */
    public static final class Call {

        private final Object target;
        private final Method method;
        private final Object @Nullable [] arguments;

        private Call(Object target, Method method, Object @Nullable [] arguments) {
            this.target = target;
            this.method = method;
            this.arguments = arguments;
        }

        /** The name of the method. */
        public String step() {
            return method.getName();
        }

        /** An argument, by its place from 0. */
        public Object argument(int place) {
            return Objects.requireNonNull(arguments)[place];
        }

        /** Calls the store. */
        public @Nullable Object proceed() throws Throwable {
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException failure) {
                throw failure.getCause();
            }
        }
    }

    private InterceptedStore(Object target, Interceptor interceptor) {
        this.target = target;
        this.interceptor = interceptor;
    }

    /** {@code store}, or a part of one, with every call answered by {@code interceptor}. */
    public static <S> S of(S store, Class<S> type, Interceptor interceptor) {
        return type.cast(proxy(store, type, interceptor));
    }

    private static Object proxy(Object target, Class<?> type, Interceptor interceptor) {
        return Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, new InterceptedStore(target, interceptor));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Call call = new Call(target, method, arguments);
        if (method.getDeclaringClass() == Object.class) {
            return call.proceed();
        }
        if (method.getDeclaringClass() == RunStore.class) {
            if (!parts.containsKey(method)) {
                Object part = Objects.requireNonNull(call.proceed());
                // Another thread may have been first; a part is the same object at each call.
                parts.putIfAbsent(method, proxy(part, method.getReturnType(), interceptor));
            }
            return parts.get(method);
        }
        return interceptor.answer(call);
    }
}
