package io.interlock.server.launch;

import io.interlock.config.IntakeContext;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Shows the numbers of intakes among the meters.
 *
 * @param registry where
 */
record MeterGauges(MeterRegistry registry) implements IntakeContext.Gauges {

    @Override
    public void show(String name, Map<String, String> labels, DoubleSupplier value) {
        List<Tag> tags = labels.entrySet().stream()
                .map(label -> Tag.of(label.getKey(), label.getValue()))
                .toList();
        Gauge.builder(name, value::getAsDouble).tags(tags).register(registry);
    }
}
