package io.interlock.server.launch;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for somebody to end the process. The first TERM, INT or HUP asks for it; the second ends it at once.
 *
 * <p>A shutdown hook would do for the first, but the JVM then ends with 128 + signal, as if it had been killed, and hears no second
 * one. The class that hears signals is not part of the Java platform, but of every JDK; without it, hooks have to do.
 */
final class StopSignals {

    private static final Logger log = LoggerFactory.getLogger(StopSignals.class);
    private static final int KILLED = 128;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final AtomicBoolean first = new AtomicBoolean(true);

    private StopSignals() {}

    /** Listens from now on. */
    static StopSignals listen() {
        StopSignals signals = new StopSignals();
        for (String name : List.of("TERM", "INT", "HUP")) {
            signals.hear(name);
        }
        return signals;
    }

    /** Waits until somebody asks. */
    void await() throws InterruptedException {
        asked.await();
    }

    private void hear(String name) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object ours = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            heard(signal, arguments[0]);
                        }
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
        } catch (ReflectiveOperationException | RuntimeException deaf) {
            log.debug("cannot listen for {}: {}", name, deaf.toString());
        }
    }

    private void heard(Class<?> type, Object signal) throws ReflectiveOperationException {
        if (first.compareAndSet(true, false)) {
            asked.countDown();
        } else {
            Runtime.getRuntime().halt(KILLED + (int) type.getMethod("getNumber").invoke(signal));
        }
    }
}
