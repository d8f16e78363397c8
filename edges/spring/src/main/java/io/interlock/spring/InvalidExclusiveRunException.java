package io.interlock.spring;

import io.interlock.InterlockException;
import java.lang.reflect.Method;

/** An {@link ExclusiveRun} that cannot work where it stands. It keeps the application from starting. */
public final class InvalidExclusiveRunException extends InterlockException {

    private static final long serialVersionUID = 1L;

    InvalidExclusiveRunException(Method method, String problem, String nextStep) {
        super("@ExclusiveRun on " + name(method) + " " + problem + "; " + nextStep);
    }

    @Override
    public String code() {
        return "invalid-request";
    }

    static String name(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }
}
