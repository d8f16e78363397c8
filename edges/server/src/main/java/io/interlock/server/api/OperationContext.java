package io.interlock.server.api;

import io.interlock.engine.RunEngine;
import io.interlock.server.api.Operations.Operation;
import io.interlock.service.EngineService;
import io.interlock.time.Environment;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What operations work with.
 *
 * @param service what the command line asks of an engine, too
 * @param blocking where calls of the engine run that block
 * @param lists where calls run that look through much: few at a time, so that they leave processors and connections to all others
 */
public record OperationContext(
        RunEngine engine,
        EngineService service,
        BlockingCalls blocking,
        BlockingCalls lists,
        OpenWaits waits,
        Environment environment) {

    private static final int LISTS_AT_ONCE = 2;

    /** One for {@code engine}. */
    public static OperationContext of(RunEngine engine, Environment environment) {
        return new OperationContext(
                engine,
                EngineService.of(engine, environment.clock(), OperationContext::decoded, Json::encode),
                BlockingCalls.of(environment),
                BlockingCalls.apart(environment, LISTS_AT_ONCE),
                new OpenWaits(),
                environment);
    }

    /** An operation whose answer blocks. */
    public Operation blocking(Function<Call, Reply> answer) {
        return call -> blocking(call, () -> answer.apply(call));
    }

    /** An operation whose answer looks through much. */
    public Operation listing(Function<Call, Reply> answer) {
        return call -> listing(call, () -> answer.apply(call));
    }

    /** Makes a call of the engine that blocks, for the tenant of {@code call}. */
    public <T> CompletionStage<T> blocking(Call call, Supplier<T> task) {
        return blocking.call(call.tenant(), task);
    }

    /** Makes a call of the engine that looks through much, for the tenant of {@code call}. */
    public <T> CompletionStage<T> listing(Call call, Supplier<T> task) {
        return lists.call(call.tenant(), task);
    }

    /** JSON that a client wrote, as values of which answers are made; what is none, because a Java program wrote it, is a text. */
    public static Object decoded(String json) {
        try {
            Object value = Json.decodeValue(json);
            return value instanceof JsonObject object
                    ? object.getMap()
                    : value instanceof JsonArray array ? array.getList() : value;
        } catch (DecodeException text) {
            return json;
        }
    }
}
