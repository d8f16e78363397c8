package io.interlock.site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Pages that are made from the code: the OpenAPI documents, which the server routes by, and the settings of the Spring Boot starter, as its compiler found them. */
final class Reference {

    private static final String DOCUMENTS = "edges/server/src/main/resources/io/interlock/server";
    private static final String SPRING = "/META-INF/spring-configuration-metadata.json";

    private Reference() {}

    static List<Page> pages(Path home) throws IOException {
        List<Page> pages = new ArrayList<>();
        Path documents = home.resolve(DOCUMENTS);
        pages.add(new Page(
                "docs/reference/http.md", new ApiPage("HTTP API", document(documents.resolve("openapi.yaml"))).text()));
        try (Stream<Path> files = Files.list(documents.resolve("compat"))) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString().replace(".yaml", "");
                String title = "HTTP API: " + name;
                pages.add(new Page("docs/reference/" + name + ".md", new ApiPage(title, document(file)).text()));
            }
        }
        pages.add(new Page("docs/reference/spring.md", spring()));
        return pages;
    }

    private static Map<?, ?> document(Path file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
    }

    private static String spring() throws IOException {
        StringBuilder page = new StringBuilder("""
                # Spring properties

                Made from the configuration metadata of `interlock-spring-boot-starter`, which editors show too. [Spring](../spring.md#settings) explains them.

                | property | type | default | meaning |
                |---|---|---|---|
                """);
        try (InputStream in = Reference.class.getResourceAsStream(SPRING)) {
            if (in == null) {
                throw new IOException("no " + SPRING + " on the class path");
            }
            // JSON is YAML, but for an escape that only JSON has.
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\\/", "/");
            Map<?, ?> metadata = new Yaml(new SafeConstructor(new LoaderOptions())).load(json);
            for (Object each : (List<?>) Objects.requireNonNull(metadata.get("properties"))) {
                Map<?, ?> property = (Map<?, ?>) each;
                String type = String.valueOf(property.get("type")).replaceAll("[a-z]+\\.", "");
                Object value = property.get("defaultValue");
                page.append("| `")
                        .append(property.get("name"))
                        .append("` | ")
                        .append(ApiPage.cell(type))
                        .append(" | ");
                page.append(value == null ? "" : "`" + value + "`").append(" | ");
                page.append(ApiPage.cell(String.valueOf(property.get("description"))))
                        .append(" |\n");
            }
        }
        return page.toString();
    }
}
