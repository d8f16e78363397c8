package io.interlock.site;

import io.interlock.client.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An OpenAPI document as a page in Markdown: its operations with parameters, fields, answers and problems, and its schemas. */
final class ApiPage {

    private static final String OTHERS = "operations";

    private final Map<?, ?> document;
    private final StringBuilder page;

    ApiPage(String title, Map<?, ?> document) {
        this.document = document;
        this.page = new StringBuilder("# ").append(title).append("\n\n");
    }

    String text() {
        Object about = map(document.get("info")).get("description");
        if (about != null) {
            page.append(about).append("\n\n");
        }
        page.append(
                "Made from the OpenAPI document by which the server routes and checks requests. Errors are [problems](../problems.md).\n\n");
        List<String> groups = new ArrayList<>();
        list(document.get("tags")).forEach(tag -> groups.add(String.valueOf(map(tag).get("name"))));
        if (groups.isEmpty()) {
            groups.add(OTHERS);
        }
        String base = String.valueOf(map(list(document.get("servers")).get(0)).get("url"));
        for (String group : groups) {
            page.append("## ").append(capital(group)).append("\n\n");
            map(document.get("paths"))
                    .forEach((path, operations) -> map(operations).forEach((method, operation) -> {
                        if (groups.size() == 1
                                || list(map(operation).get("tags")).contains(group)) {
                            operation(
                                    String.valueOf(method),
                                    base.equals("/") ? path.toString() : base + path,
                                    map(operation));
                        }
                    }));
        }
        page.append("## Schemas\n\n");
        map(map(document.get("components")).get("schemas")).forEach((name, schema) -> {
            page.append("### ").append(name).append("\n\n");
            schema(map(schema));
        });
        return page.toString();
    }

    private void operation(String method, String path, Map<?, ?> operation) {
        page.append("### ")
                .append(method.toUpperCase(Locale.ROOT))
                .append(' ')
                .append(path)
                .append("\n\n");
        page.append(operation.get("summary"))
                .append(". Role: ")
                .append(operation.get("x-role"))
                .append(".\n\n");
        List<?> parameters = list(operation.get("parameters"));
        if (!parameters.isEmpty()) {
            page.append("| parameter | in | type | meaning |\n|---|---|---|---|\n");
            for (Object each : parameters) {
                Map<?, ?> parameter = resolved(map(each));
                page.append("| `").append(parameter.get("name")).append("` | ").append(parameter.get("in"));
                page.append(" | ").append(type(map(parameter.get("schema")))).append(" | ");
                page.append(Boolean.TRUE.equals(parameter.get("required")) ? "required. " : "");
                page.append(cell(words(parameter.get("description")))).append(" |\n");
            }
            page.append('\n');
        }
        map(map(operation.get("requestBody")).get("content")).forEach((media, content) -> {
            page.append("Body: ")
                    .append(type(map(map(content).get("schema"))))
                    .append(", `")
                    .append(media)
                    .append("`\n\n");
            Object example = map(content).get("example");
            if (example != null) {
                page.append("```json\n").append(Json.pretty(example)).append("\n```\n\n");
            }
        });
        page.append("| answer | body | meaning |\n|---|---|---|\n");
        map(operation.get("responses")).forEach((status, answer) -> {
            String body = map(map(answer).get("content")).values().stream()
                    .map(content -> type(map(map(content).get("schema"))))
                    .collect(Collectors.joining(", "));
            page.append("| ").append(status).append(" | ").append(body).append(" | ");
            page.append(cell(words(map(answer).get("description")))).append(" |\n");
        });
        page.append('\n');
        String problems = list(operation.get("x-problems")).stream()
                .map(code -> "[" + code + "](../problems.md#" + code + ")")
                .collect(Collectors.joining(", "));
        if (!problems.isEmpty()) {
            page.append("Problems: ").append(problems).append(".\n\n");
        }
    }

    private void schema(Map<?, ?> schema) {
        if (schema.get("description") != null) {
            page.append(schema.get("description")).append(".\n\n");
        }
        List<Map<?, ?>> parts = new ArrayList<>(List.of(schema));
        for (Object part : list(schema.get("allOf"))) {
            if (map(part).containsKey("$ref")) {
                page.append("All of ").append(type(map(part))).append(", and:\n\n");
            } else {
                parts.add(map(part));
            }
        }
        List<String> rows = new ArrayList<>();
        for (Map<?, ?> part : parts) {
            List<?> required = list(part.get("required"));
            map(part.get("properties"))
                    .forEach((name, field) -> rows.add("| `" + name + "` | " + type(map(field)) + " | "
                            + (required.contains(name) ? "required. " : "")
                            + cell(words(map(field).get("description"))) + " |\n"));
        }
        if (rows.isEmpty()) {
            page.append(type(schema)).append("\n\n");
        } else {
            page.append("| field | type | meaning |\n|---|---|---|\n");
            rows.forEach(page::append);
            page.append('\n');
        }
    }

    private String type(Map<?, ?> schema) {
        if (schema.get("$ref") instanceof String reference) {
            String name = reference.substring(reference.lastIndexOf('/') + 1);
            return "[" + name + "](#" + name.toLowerCase(Locale.ROOT) + ")";
        }
        for (String choice : List.of("anyOf", "oneOf", "allOf")) {
            if (schema.containsKey(choice)) {
                return list(schema.get(choice)).stream()
                        .map(each -> type(map(each)))
                        .collect(Collectors.joining(choice.equals("allOf") ? " and " : " or "));
            }
        }
        if (schema.containsKey("enum")) {
            return list(schema.get("enum")).stream()
                    .map(value -> "`" + value + "`")
                    .collect(Collectors.joining(", "));
        }
        String type = schema.get("type") instanceof List<?> several
                ? several.stream().map(String::valueOf).collect(Collectors.joining(" or "))
                : words(schema.get("type"));
        if (type.equals("array")) {
            return "list of " + type(map(schema.get("items")));
        }
        return type + limits(schema);
    }

    private static String limits(Map<?, ?> schema) {
        List<String> limits = new ArrayList<>();
        if (schema.get("format") != null) {
            limits.add(words(schema.get("format")));
        }
        range(limits, schema.get("minimum"), schema.get("maximum"), "");
        range(limits, schema.get("minLength"), schema.get("maxLength"), " characters");
        if (schema.get("default") != null) {
            limits.add("default " + schema.get("default"));
        }
        return limits.isEmpty() ? "" : " (" + String.join(", ", limits) + ")";
    }

    private static void range(List<String> limits, @Nullable Object least, @Nullable Object most, String unit) {
        if (least != null && most != null) {
            limits.add(least + " to " + most + unit);
        } else if (most != null) {
            limits.add("at most " + most + unit);
        } else if (least != null) {
            limits.add("at least " + least + unit);
        }
    }

    private Map<?, ?> resolved(Map<?, ?> node) {
        if (!(node.get("$ref") instanceof String reference)) {
            return node;
        }
        Map<?, ?> found = document;
        for (String step : reference.substring(2).split("/", -1)) {
            found = map(found.get(step));
        }
        return found;
    }

    /** Words as they may stand in a cell of a table. */
    static String cell(String words) {
        return words.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*").replaceAll("\\s+", " ");
    }

    private static String words(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static String capital(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }
}
