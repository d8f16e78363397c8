package io.interlock.benchmark.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import java.util.List;

/** All rounds and all verdicts as JSON. */
final class JsonReport {

    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonReport() {}

    static String of(List<String> head, List<Comparison> comparisons, List<BarResult> verdicts) {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode lines = root.putArray("head");
        head.forEach(lines::add);
        ArrayNode all = root.putArray("comparisons");
        comparisons.forEach(comparison -> describe(comparison, all.addObject()));
        ArrayNode bars = root.putArray("bars");
        for (BarResult verdict : verdicts) {
            ObjectNode bar = bars.addObject()
                    .put("name", verdict.name())
                    .put("kind", verdict.kind())
                    .put("bar", verdict.limit().text())
                    .put("pass", verdict.passes());
            verdict.reached().ifPresent(reached -> bar.put("reached", reached));
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
        } catch (JsonProcessingException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void describe(Comparison comparison, ObjectNode into) {
        into.put("name", comparison.name())
                .put("title", comparison.title())
                .put("main", comparison.main().name());
        comparison.noise().ifPresent(noise -> into.put("noise", noise));
        ArrayNode notes = into.putArray("notes");
        comparison.notes().forEach(notes::add);
        ArrayNode contenders = into.putArray("contenders");
        for (String contender : comparison.contenders()) {
            ObjectNode one = contenders.addObject().put("name", contender);
            for (Figure figure : comparison.figures()) {
                comparison.value(contender, figure).ifPresent(value -> {
                    ObjectNode values = one.putObject(figure.name()).put("value", value);
                    ArrayNode rounds = values.putArray("rounds");
                    comparison.values(contender, figure).forEach(rounds::add);
                });
            }
        }
    }
}
