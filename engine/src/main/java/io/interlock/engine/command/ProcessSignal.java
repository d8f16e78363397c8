package io.interlock.engine.command;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Signals that this process gets. {@code sun.misc.Signal} is part of every JDK and supported, but the compiler warns of each use, and our
 * compiler takes warnings for errors; so it is reached by name, here and nowhere else.
 */
public final class ProcessSignal {

    private ProcessSignal() {}

    /**
     * Runs {@code task}, on a thread of the JVM, whenever this process gets the signal. One that is ignored so far, as HUP under
     * {@code nohup} and INT in the background of a script, stays ignored: we are meant not to hear it.
     *
     * @throws IllegalStateException if this JVM handles no such signal
     */
    public static void handle(String name, Runnable task) {
        try {
            Class<?> type = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Method handle = type.getMethod("handle", type, handler);
            Object signal = type.getConstructor(String.class).newInstance(name);
            Object ours = Proxy.newProxyInstance(
                    ProcessSignal.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            task.run();
                        }
                        return null;
                    });
            Object before = handle.invoke(null, signal, ours);
            Object ignored = handler.getField("SIG_IGN").get(null);
            if (ignored.equals(before)) {
                handle.invoke(null, signal, ignored);
            }
        } catch (ReflectiveOperationException unsupported) {
            throw new IllegalStateException("this JVM cannot handle the signal " + name, unsupported);
        }
    }
}
