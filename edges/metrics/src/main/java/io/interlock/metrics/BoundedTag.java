package io.interlock.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A tag whose values come from outside. The first ones keep their names; those after the cap are counted together as
 * {@code _other}, so that nobody can fill the memory of a metrics server with names. Safe for use by many threads.
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

    /** These keep their names whatever the cap is: they are bounded by configuration. */
    void know(Collection<String> values) {
        known.addAll(values);
    }

    /** The value to tag with. */
    String of(String value) {
        if (known.contains(value)) {
            return value;
        }
        // Two that come at once may both be let in: the cap may be passed by as many as there are threads, once.
        if (known.size() < cap) {
            known.add(value);
            return value;
        }
        folded.increment();
        return OTHER;
    }
}
