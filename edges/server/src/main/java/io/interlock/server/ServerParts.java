package io.interlock.server;

import io.interlock.engine.access.KeyRing;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.Operations;
import io.interlock.server.http.ReadyProbe;
import io.interlock.server.session.Sessions;
import io.interlock.time.Environment;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;

/**
 * What a server is made of, apart from its settings.
 *
 * @param environment time, threads and chance
 * @param keys who may come in
 * @param probe whether it can be of use
 * @param operations who answers
 * @param meters what is counted
 * @param sessions who has signed in; the same as the operations have
 * @param records who was refused; the same as the operations have
 */
public record ServerParts(
        Environment environment,
        KeyRing keys,
        ReadyProbe probe,
        Operations operations,
        PrometheusMeterRegistry meters,
        Sessions sessions,
        AccessRecords records) {

    /** Parts of a server nobody signs in at. */
    public ServerParts(
            Environment environment,
            KeyRing keys,
            ReadyProbe probe,
            Operations operations,
            PrometheusMeterRegistry meters) {
        this(
                environment,
                keys,
                probe,
                operations,
                meters,
                new Sessions(environment),
                AccessRecords.of(Optional.empty(), keys, environment, meters));
    }
}
