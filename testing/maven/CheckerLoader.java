package io.interlock.maven;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The class loader of what checks code while it is compiled. The compiler makes one for each module; all with the same jars share classes, so
 * that a build loads and compiles the checkers once. Thread-safe.
 *
 * <p>{@code -XDprocloader} names it to the compiler, which uses a loader of its own if it does not find this one.
 */
public final class CheckerLoader extends ClassLoader {

    private static final Map<List<String>, ClassLoader> SHARED = new ConcurrentHashMap<>();

    /** As the compiler calls it. */
    public CheckerLoader(URL[] jars, ClassLoader parent) {
        super(shared(jars, parent));
    }

    private static ClassLoader shared(URL[] jars, ClassLoader parent) {
        List<String> names = Arrays.stream(jars).map(URL::toString).toList();
        return SHARED.computeIfAbsent(names, first -> new URLClassLoader(jars, parent));
    }
}
