package io.interlock.cli.backend;

import io.interlock.Actor;
import io.interlock.cli.text.Failure;
import io.interlock.client.Requests;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.service.Request;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Answers requests of the REST API in this process, for one tenant of a store. */
abstract class LocalRequests implements Requests {

    private static final Pattern OF_A_RUN = Pattern.compile("/runs/([^/]+)(/.*)?");

    private final StoreBackend.Target target;

    LocalRequests(StoreBackend.Target target) {
        this.target = target;
    }

    /**
     * Carries a request out.
     *
     * @param operation its method and path, with {@code ID} for the id of a run, which is a parameter
     */
    abstract Facts answer(String operation, Request request);

    @Override
    public Facts get(String path, String... query) {
        return send("GET", path, query, null);
    }

    @Override
    public Facts getWithin(Duration wait, String path, String... query) throws InterruptedException {
        return get(path, query);
    }

    @Override
    public Facts post(String path, @Nullable Facts body) {
        return send("POST", path, new String[0], body);
    }

    @Override
    public Facts put(String path, Facts body) {
        return send("PUT", path, new String[0], body);
    }

    @Override
    public void delete(String path, String... query) {
        send("DELETE", path, query, null);
    }

    private Facts send(String method, String path, String[] query, @Nullable Facts body) {
        Facts parameters = Facts.none();
        for (int i = 0; i < query.length; i += 2) {
            parameters.and(query[i], query[i + 1].isEmpty() ? null : query[i + 1]);
        }
        String operation = method + " " + path;
        Matcher ofARun = OF_A_RUN.matcher(path);
        if (ofARun.matches()) {
            parameters.and("id", ofARun.group(1));
            operation = method + " " + ofARun.replaceFirst("/runs/ID$2");
        }
        Actor actor = Actor.of(target.actor());
        try {
            return answer(
                    operation, new Request(target.tenant(), actor, parameters, body == null ? Facts.none() : body));
        } catch (Problem refused) {
            throw Failure.refused(refused, path);
        }
    }
}
