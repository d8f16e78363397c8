package io.interlock.server.api;

import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.server.access.Authentication;
import io.interlock.server.api.Operations.Operation;
import io.interlock.server.api.Operations.Signatures;
import io.interlock.server.http.Exchange;
import io.interlock.server.http.FailureHandler;
import io.interlock.server.http.RequestFilter;
import io.interlock.server.problem.ErrorShape;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.openapi.router.OpenAPIRoute;
import io.vertx.ext.web.openapi.router.RequestExtractor;
import io.vertx.ext.web.openapi.router.RouterBuilder;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.OpenAPIVersion;
import io.vertx.openapi.contract.impl.OpenAPIContractImpl;
import io.vertx.openapi.impl.OpenAPIFormatValidator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The routes of one contract, {@code /api/v1} or a further one, made from its document: who may call, what is a proper call, who answers. */
public final class Api {

    /** The document of {@code /api/v1}. */
    public static final String DOCUMENT = "openapi.yaml";

    private static final String PUBLIC = "public";
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

    private final String name;
    private final OpenAPIContract contract;
    private final JsonObject document;

    private Api(String name, OpenAPIContract contract, JsonObject document) {
        this.name = name;
        this.contract = contract;
        this.document = document;
    }

    /** Reads a contract that comes with the server. */
    public static Future<Api> load(Vertx vertx, String name) {
        JsonObject document = ContractDocument.read(name);
        return contract(vertx, ContractDocument.forRouting(document))
                .map(contract -> new Api(name, contract, document));
    }

    /** Like {@code OpenAPIContract.from}, which also checks the document at every start; the build has checked ours: {@code ApiContractTest}. */
    private static Future<OpenAPIContract> contract(Vertx vertx, JsonObject document) {
        SchemaRepository schemas = SchemaRepository.create(
                new JsonSchemaOptions()
                        .setDraft(Draft.DRAFT202012)
                        .setBaseUri("app://")
                        .setOutputFormat(OutputFormat.Basic),
                new OpenAPIFormatValidator());
        return OpenAPIVersion.V3_1
                .resolve(vertx, schemas, document)
                .map(resolved -> new OpenAPIContractImpl(resolved, OpenAPIVersion.V3_1, schemas));
    }

    /** Has {@code getContract} answered with the document clients read. */
    public static void addTo(Operations operations) {
        JsonObject document = ContractDocument.read(DOCUMENT);
        operations.on("getContract", call -> CompletableFuture.completedFuture(Reply.ok(document)));
    }

    String name() {
        return name;
    }

    public JsonObject document() {
        return document;
    }

    /** Under which path it is served: empty for the root. */
    public String base() {
        return ContractDocument.base(document);
    }

    Set<String> operationIds() {
        return contract.operations().stream()
                .map(io.vertx.openapi.contract.Operation::getOperationId)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * The routes.
     *
     * @throws IllegalStateException if an operation has no role or no answer, or an answer is not in the contract
     */
    public Router routes(
            Vertx vertx,
            Authentication authentication,
            RequestFilter gate,
            TenantRequests requests,
            Operations operations) {
        Set<String> stray = operations.ids();
        stray.removeAll(operationIds());
        if (!stray.isEmpty()) {
            throw new IllegalStateException("the contract knows nothing of " + stray);
        }
        ErrorShape shape = ContractDocument.shape(document);
        RouterBuilder builder = RouterBuilder.create(vertx, contract, RequestExtractor.withBodyHandler());
        for (OpenAPIRoute route : builder.getRoutes()) {
            io.vertx.openapi.contract.Operation operation = route.getOperation();
            String id = operation.getOperationId();
            Operation answering = operations.of(id);
            RequestCheck check = new RequestCheck(operation, contract.getSchemaRepository());
            Map<String, Map<String, String>> byField = rolesByField(operation);
            TenantRequests.Counting counting = counting(operation);
            route.setDoSecurity(false).setDoValidation(false);
            route.addHandler(context -> {
                Exchange.SHAPE.put(context, shape);
                Exchange.OPERATION.put(context, id);
                context.next();
            });
            admit(route, role(operation), authentication, gate, operations.signatures(id));
            route.addHandler(context -> {
                Call call = check.check(context, Exchange.BODY.in(context).orElseGet(Buffer::buffer));
                note(context, call);
                requireForFields(byField, call);
                requests.enter(call, counting);
                answer(context, answering.answer(call));
            });
        }
        Router router = builder.createRouter();
        contract.getPaths().forEach(path -> {
            TreeSet<String> methods = path.getOperations().stream()
                    .map(operation -> operation.getHttpMethod().name())
                    .collect(Collectors.toCollection(TreeSet::new));
            router.route(path.getName().replaceAll("\\{(.*?)}", ":$1")).handler(context -> {
                Exchange.SHAPE.put(context, shape);
                otherMethod(context, methods);
            });
        });
        return router;
    }

    /** Callers are known before their bodies are read, unless it is the body that they signed. */
    private static void admit(
            OpenAPIRoute route,
            Optional<Role> needed,
            Authentication authentication,
            RequestFilter gate,
            Optional<Signatures> signatures) {
        needed.ifPresent(role -> route.addHandler(context -> {
            if (isSigned(context, signatures)) {
                context.next();
            } else {
                authentication.require(context, role);
            }
        }));
        route.addHandler(gate.bodies(
                Boolean.TRUE.equals(route.getOperation().getExtensions().get("x-any-type"))));
        signatures.ifPresent(known -> route.addHandler(context -> {
            if (isSigned(context, signatures)) {
                authentication.admit(
                        context,
                        known.recognise(context, Exchange.BODY.in(context).orElseGet(Buffer::buffer)),
                        needed.orElseThrow());
            } else {
                context.next();
            }
        }));
    }

    private static boolean isSigned(RoutingContext context, Optional<Signatures> signatures) {
        return signatures.isPresent()
                && !Authentication.hasKey(context.request())
                && signatures.get().expects(context);
    }

    private static Optional<Role> role(io.vertx.openapi.contract.Operation operation) {
        Object role = operation.getExtensions().get("x-role");
        if (role == null) {
            throw new IllegalStateException("operation " + operation.getOperationId() + " has no x-role");
        }
        return role.equals(PUBLIC) ? Optional.empty() : Optional.of(named(role.toString()));
    }

    private static Role named(String role) {
        return Role.valueOf(role.toUpperCase(Locale.ROOT));
    }

    private static void answer(RoutingContext context, CompletionStage<Reply> answer) {
        Future.fromCompletionStage(answer, Vertx.currentContext())
                .onSuccess(reply -> send(context, reply))
                .onFailure(context::fail);
    }

    private static TenantRequests.Counting counting(io.vertx.openapi.contract.Operation operation) {
        Object counts = operation.getExtensions().get("x-counts");
        if (counts != null) {
            return TenantRequests.Counting.valueOf(counts.toString().toUpperCase(Locale.ROOT));
        }
        return role(operation).isEmpty() ? TenantRequests.Counting.NONE : TenantRequests.Counting.USUAL;
    }

    /** Which values of which fields are for higher roles than the operation as such: by field, by value, the role. */
    private static Map<String, Map<String, String>> rolesByField(io.vertx.openapi.contract.Operation operation) {
        Map<String, Map<String, String>> roles = new TreeMap<>();
        if (operation.getExtensions().get("x-role-by-field") instanceof JsonObject fields) {
            for (Map.Entry<String, Object> field : fields) {
                // The resolved contract carries marks of the resolver beside what was written.
                if (field.getValue() instanceof JsonObject byValue) {
                    Map<String, String> byName = new TreeMap<>();
                    byValue.fieldNames().forEach(value -> byName.put(value, String.valueOf(byValue.getValue(value))));
                    roles.put(field.getKey(), byName);
                }
            }
        }
        return roles;
    }

    private static void requireForFields(Map<String, Map<String, String>> rolesByField, Call call) {
        rolesByField.forEach((field, roles) -> {
            String value = String.valueOf(call.body().getValue(field));
            String needed = roles.get(value);
            if (needed != null && !call.caller().may(named(needed))) {
                throw Problem.of(ProblemCode.FORBIDDEN, field + " " + value + " needs the role " + needed + ".")
                        .with("neededRole", needed);
            }
        });
    }

    private static void note(RoutingContext context, Call call) {
        call.optional("id", String.class).ifPresent(id -> Exchange.note(context, "run", id));
        call.optional("key", String.class).ifPresent(key -> Exchange.note(context, "key", key));
        for (String name : new String[] {"key", "token"}) {
            Object value = call.body().getValue(name);
            if (value != null) {
                Exchange.note(context, name, value);
            }
        }
    }

    /** What came of it: the run and the token that were not known before. */
    private static void note(RoutingContext context, JsonObject answer) {
        Object token = answer.getValue("token");
        if (token != null) {
            Exchange.note(context, "token", token);
        }
        if (answer.containsKey("submittedAt")) {
            Exchange.note(context, "run", answer.getValue("id"));
            Exchange.note(context, "state", answer.getValue("state"));
        }
    }

    private static void send(RoutingContext context, Reply reply) {
        HttpServerResponse response = context.response();
        if (reply.refusal() != null) {
            FailureHandler.answer(context, reply.refusal());
            return;
        }
        if (response.ended() || response.closed()) {
            return;
        }
        response.setStatusCode(reply.status());
        reply.headers().forEach(response::putHeader);
        if (reply.stream() != null) {
            response.setChunked(true);
            reply.stream().accept(response);
        } else if (reply.body() == null) {
            response.end();
        } else {
            note(context, reply.body());
            response.putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(reply.body().toBuffer());
        }
    }

    private static void otherMethod(RoutingContext context, Set<String> methods) {
        context.response().putHeader("Allow", String.join(", ", methods));
        FailureHandler.answer(
                context,
                Problem.of(
                                ProblemCode.METHOD_NOT_ALLOWED,
                                "The route does not know this method; it knows " + String.join(", ", methods) + ".")
                        .with("allowed", List.copyOf(methods)));
    }

    /** Which version of Interlock this server is. */
    public static final class ServerVersion {

        private ServerVersion() {}

        /** The version of its package; {@code unpackaged} if it runs from folders of classes. */
        public static String here() {
            @Nullable String version = ServerVersion.class.getPackage().getImplementationVersion();
            return version == null ? "unpackaged" : version;
        }
    }

    /**
     * Counts the requests of each tenant that are under way at this node, and refuses those beyond its limits. Requests that wait for something
     * are counted apart, so that they take no places of others; those that keep or give back what a client has are not counted. Safe for use by
     * many threads.
     */
    public static final class TenantRequests {

        private final Kind requests;
        private final Kind waits;

        public TenantRequests(Limits.Tenant limits) {
            requests = new Kind("requests under way at this node", "limits.requests", limits.requests());
            waits = new Kind("requests that wait at this node", "limits.waits", limits.waits());
        }

        /** How a contract says that an operation counts, by {@code x-counts}. */
        enum Counting {
            /** As one that waits if it asks to wait, else as any other. */
            USUAL,
            /** As one that waits. */
            WAIT,
            /** Not at all. */
            NONE
        }

        /**
         * A call begins; it counts until it is over.
         *
         * @throws TenantLimitException if its tenant has too many
         */
        void enter(Call call, Counting counting) {
            if (counting != Counting.NONE) {
                (counting == Counting.WAIT || call.asksToWait() ? waits : requests).enter(call);
            }
        }

        /** Requests of one kind, by tenant; a tenant that has none is not there. */
        private record Kind(String what, String setting, int most, ConcurrentMap<String, Integer> underWay) {

            Kind(String what, String setting, int most) {
                this(what, setting, most, new ConcurrentHashMap<>());
            }

            void enter(Call call) {
                String tenant = call.tenant();
                if (underWay.merge(tenant, 1, Integer::sum) > most) {
                    leave(tenant);
                    throw new TenantLimitException(tenant, what, setting, most, "ask again when some were answered");
                }
                call.whenOver(() -> leave(tenant));
            }

            private void leave(String tenant) {
                underWay.computeIfPresent(tenant, (same, count) -> count == 1 ? null : count - 1);
            }
        }
    }
}
