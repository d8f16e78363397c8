package io.interlock.server.problem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.server.ProjectPage;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CatalogueTest {

    @Test
    void everyProblemIsListedWithAStatusAndSentences() {
        assertThat(Catalogue.all()).hasSameSizeAs(ProblemCode.values()).allSatisfy(entry -> {
            assertThat(entry.status()).isBetween(400, 599);
            assertThat(entry.says()).endsWith(".");
            assertThat(entry.next()).endsWith(".");
            assertThat(entry.detail()).isNotBlank();
        });
    }

    @Test
    void everyProblemIsOneTheServerAnswersWith() throws IOException {
        StringBuilder sources = new StringBuilder();
        for (String module : List.of("src/main/java", "../../service/src/main/java")) {
            try (Stream<Path> files = Files.walk(Path.of(module))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    sources.append(Files.readString(file));
                }
            }
        }
        List<ProblemCode> named = new ArrayList<>();
        // Refusals name themselves.
        for (String file : List.of("Refusal.java", "RunRefusal.java")) {
            Matcher code = Pattern.compile("return \"([a-z-]+)\";")
                    .matcher(Files.readString(Path.of("../../core/src/main/java/io/interlock", file)));
            while (code.find()) {
                named.add(ProblemCode.of(code.group(1)));
            }
        }
        assertThat(ProblemCode.values())
                .allSatisfy(problem -> assertThat(
                                named.contains(problem) || sources.indexOf("ProblemCode." + problem.name()) >= 0)
                        .as("a source file answers with %s", problem)
                        .isTrue());
    }

    @Test
    void thePageOfProblemsIsTheCatalogue() {
        ProjectPage.compare("docs/problems.md", page());
    }

    @Test
    void aProblemHasTheMembersOfTheStandardAndOurs() {
        JsonObject json = Problems.json(
                Problem.of(ProblemCode.LEASE_LOST, "gone")
                        .with("currentToken", 7)
                        .with("status", 200),
                "abc");
        assertThat(json.fieldNames())
                .containsExactly("type", "title", "status", "detail", "instance", "code", "retryable", "currentToken");
        assertThat(json.getInteger("status")).as("facts replace nothing").isEqualTo(410);
        assertThat(json.getString("type")).isEqualTo("urn:interlock:problem:lease-lost");
        assertThat(json.getString("instance")).isEqualTo("urn:request:abc");
    }

    @Test
    void anInvalidSettingPointsToItsField() {
        Problem problem = Problems.of(
                new CompletionException(new InvalidSettingException("max-wait", "-1s", "is negative", "wait longer")));
        assertThat(problem.kind()).isEqualTo(ProblemCode.INVALID_REQUEST);
        JsonArray errors = Problems.json(problem, "abc").getJsonArray("errors");
        assertThat(errors.getJsonObject(0).getString("pointer")).isEqualTo("/maxWait");
        assertThat(errors.getJsonObject(0).getString("detail")).isEqualTo("max-wait '-1s' is negative; wait longer");
    }

    @Test
    void aBadKeyIsABadRequest() {
        RuntimeException failure = catchThrowableOfType(RuntimeException.class, () -> LockKey.of("acme", "a\nb"));
        assertThat(Problems.status(Problems.of(failure))).isEqualTo(400);
    }

    @Test
    void aStoreThatIsAwayIsSaidWithoutItsName() {
        Problem problem = Problems.of(new StoreUnavailableException("postgresql://db.internal/x", "did not answer"));
        assertThat(Catalogue.of(problem.kind()).status()).isEqualTo(503);
        assertThat(problem.retryAfter()).isNotNull();
        assertThat(Problems.json(problem, "abc").encode()).doesNotContain("db.internal");
    }

    @Test
    void whatNobodyForesawSaysNothingAboutItself() {
        Problem problem = Problems.of(new IllegalStateException("secret inside"));
        assertThat(Catalogue.of(problem.kind()).status()).isEqualTo(500);
        assertThat(Problems.json(problem, "abc").encode()).doesNotContain("secret", "IllegalState");
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # Problems

                Every error of the server is an RFC 9457 problem (`application/problem+json`) with these members: `type`, `title`, `status`,
                `detail` about the case, `instance` (the request id), `code`, `retryable`, and the facts of the case. `Retry-After` comes with
                problems that pass by themselves.

                This page is made from the server's catalogue `problems.yaml`; a test compares them.
                """);
        for (Catalogue.Entry entry : Catalogue.all()) {
            page.append("\n## ").append(entry.code().code()).append("\n\n");
            page.append(entry.status()).append(" · ").append(entry.title()).append(" · ");
            page.append(entry.retryable() ? "may be tried again" : "do not try again")
                    .append("\n\n");
            page.append(entry.says()).append("\n\n");
            page.append("**What to do:** ").append(entry.next()).append("\n\n");
            page.append("```json\n").append(entry.example().encodePrettily()).append("\n```\n");
        }
        return page.toString();
    }
}
