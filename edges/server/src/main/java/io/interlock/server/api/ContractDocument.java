package io.interlock.server.api;

import io.interlock.server.YamlResource;
import io.interlock.server.http.FailureHandler;
import io.interlock.server.problem.Catalogue;
import io.interlock.server.problem.ErrorShape;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The OpenAPI document: {@code openapi.yaml}, with a response and an example for every problem an operation names, and for
 * those any operation can meet.
 */
public final class ContractDocument {

    private static final List<ProblemCode> ANYWHERE = List.of(
            ProblemCode.INVALID_REQUEST,
            ProblemCode.RATE_LIMITED,
            ProblemCode.INTERNAL_ERROR,
            ProblemCode.STORE_UNAVAILABLE);
    private static final List<ProblemCode> WITH_KEY =
            List.of(ProblemCode.UNAUTHENTICATED, ProblemCode.FORBIDDEN, ProblemCode.TENANT_LIMIT);
    private static final List<ProblemCode> WITH_BODY =
            List.of(ProblemCode.BODY_TOO_LARGE, ProblemCode.UNSUPPORTED_MEDIA_TYPE, ProblemCode.REQUEST_TIMEOUT);

    private static final Map<String, JsonObject> READ = new ConcurrentHashMap<>();

    private ContractDocument() {}

    /** A copy of the document called {@code name}, which is read once. */
    static JsonObject read(String name) {
        return READ.computeIfAbsent(name, ContractDocument::readFile).copy();
    }

    private static JsonObject readFile(String name) {
        JsonObject document = YamlResource.object(name);
        ErrorShape shape = shape(document);
        document.getJsonObject("paths").forEach(path -> {
            JsonObject operations = (JsonObject) path.getValue();
            operations.forEach(operation -> addProblems((JsonObject) operation.getValue(), shape));
        });
        JsonObject examples = new JsonObject();
        for (Catalogue.Entry entry : Catalogue.all()) {
            examples.put(
                    entry.code().code(),
                    new JsonObject().put("summary", entry.title()).put("value", shape.of(entry.example())));
        }
        document.getJsonObject("components").put("examples", examples);
        return document;
    }

    static ErrorShape shape(JsonObject document) {
        return ErrorShape.named(document.getString("x-errors", "problem"));
    }

    /** Under which path it is served: empty for the root. */
    static String base(JsonObject document) {
        String url = document.getJsonArray("servers").getJsonObject(0).getString("url");
        return url.equals("/") ? "" : url;
    }

    /**
     * As much of it as the router takes: an absolute URL, because it knows no other; no media types of answers, because it
     * knows neither problems nor event streams; no security, because that is {@code Authentication}'s. Requests are checked by
     * what stays.
     */
    static JsonObject forRouting(JsonObject document) {
        JsonObject routed = document.copy()
                .put("servers", new JsonArray().add(new JsonObject().put("url", "http://localhost" + base(document))));
        routed.remove("security");
        routed.getJsonObject("paths")
                .forEach(path -> ((JsonObject) path.getValue()).forEach(entry -> {
                    JsonObject operation = (JsonObject) entry.getValue();
                    operation.remove("security");
                    operation
                            .getJsonObject("responses")
                            .forEach(response -> ((JsonObject) response.getValue()).remove("content"));
                }));
        routed.getJsonObject("components").remove("examples");
        return routed;
    }

    private static void addProblems(JsonObject operation, ErrorShape shape) {
        List<ProblemCode> codes = new ArrayList<>(ANYWHERE);
        if (!operation.getString("x-role").equals("public")) {
            codes.addAll(WITH_KEY);
        }
        if (operation.containsKey("requestBody")) {
            codes.addAll(WITH_BODY);
        }
        // What is answered on a store of leases, too, says so.
        if (!operation.getBoolean("x-leases", false)) {
            codes.add(ProblemCode.NEEDS_RUN_STORE);
        }
        for (Object code : operation.getJsonArray("x-problems", new JsonArray())) {
            codes.add(ProblemCode.of((String) code));
        }
        Map<Integer, JsonObject> byStatus = new TreeMap<>();
        for (ProblemCode code : codes) {
            byStatus.computeIfAbsent(shape.status(code), status -> new JsonObject())
                    .put(code.code(), new JsonObject().put("$ref", "#/components/examples/" + code.code()));
        }
        JsonObject responses = operation.getJsonObject("responses");
        byStatus.forEach((status, examples) -> {
            // What a document says itself about a status stands.
            if (!responses.containsKey(Integer.toString(status))) {
                responses.put(Integer.toString(status), response(examples, shape));
            }
        });
    }

    private static JsonObject response(JsonObject examples, ErrorShape shape) {
        JsonObject content = new JsonObject()
                .put("schema", new JsonObject().put("$ref", "#/components/schemas/" + shape.schema()))
                .put("examples", examples);
        return new JsonObject()
                .put("description", String.join(", ", examples.fieldNames()))
                .put("content", new JsonObject().put(shape.mediaType(), content));
    }

    /**
     * Where clients read the documents of all contracts: each compatible API's at {@code /openapi/API.json}, a list of them at {@code /openapi},
     * without a key, like that of {@code /api/v1}.
     */
    public static final class DocumentRoutes {

        private static final String LIST = "/openapi";
        private static final Pattern COMPAT = Pattern.compile("compat/(\\w+)\\.yaml");

        private DocumentRoutes() {}

        /** Has {@code router} serve the documents of {@code contracts}. */
        public static void addTo(Router router, Collection<Api> contracts) {
            JsonArray list = new JsonArray();
            for (Api api : contracts) {
                Matcher path = COMPAT.matcher(api.name());
                String url = api.base() + "/openapi.json";
                if (path.matches()) {
                    url = LIST + "/" + path.group(1) + ".json";
                    serve(router, url, api.document());
                }
                list.add(new JsonObject()
                        .put("title", api.document().getJsonObject("info").getString("title"))
                        .put("url", url));
            }
            serve(router, LIST, new JsonObject().put("items", list));
        }

        private static void serve(Router router, String path, JsonObject document) {
            Buffer text = document.toBuffer();
            router.get(path)
                    .handler(context -> context.response()
                            .putHeader("Content-Type", "application/json")
                            .end(text));
            router.route(path).handler(otherMethod());
        }

        private static Handler<RoutingContext> otherMethod() {
            return context -> {
                context.response().putHeader("Allow", "GET");
                FailureHandler.answer(
                        context,
                        Problem.of(
                                ProblemCode.METHOD_NOT_ALLOWED, "The route does not know this method; it knows GET."));
            };
        }
    }
}
