package io.interlock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A tag with external values. The first ones keep their names; values beyond the cap are counted together as
 * {@code _other}, so that callers cannot fill the memory of a metrics server. Thread-safe.
 */
final class BoundedTag {

    static final String OTHER = "_other";

    private final String name;
    private final int cap;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final Counter folded;

    BoundedTag(String name, int cap, MeterRegistry registry) {
        this.name = name;
        this.cap = cap;
        this.folded = Counter.builder("interlock.metrics.tag.overflow")
                .description("Readings whose tag value was folded into _other")
                .tag("tag", name)
                .register(registry);
    }

    String name() {
        return name;
    }

    /** These values always keep their names: configuration bounds them. */
    void know(Collection<String> values) {
        known.addAll(values);
    }

    /** The value to tag with. */
    String of(String value) {
        if (known.contains(value)) {
            return value;
        }
        // Concurrent callers may exceed the cap once, by at most the number of threads.
        if (known.size() < cap) {
            known.add(value);
            return value;
        }
        folded.increment();
        return OTHER;
    }
}
