package io.interlock.server.api;

import io.interlock.server.http.FailureHandler;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where clients read the documents of all contracts: each compatible API's at {@code /openapi/API.json}, a list of them at {@code /openapi},
 * without a key, like that of {@code /api/v1}.
 */
public final class DocumentRoutes {

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
                    Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "The route does not know this method; it knows GET."));
        };
    }
}
