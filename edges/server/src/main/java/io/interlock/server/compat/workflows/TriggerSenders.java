package io.interlock.server.compat.workflows;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.config.TriggerSecret;
import io.interlock.engine.http.SignatureCheck;
import io.interlock.server.api.Signatures;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Senders of webhooks, known by secrets that are bound to a trigger and a tenant. They may start that trigger, nothing else. */
final class TriggerSenders implements Signatures {

    private static final int ID_LENGTH = 24;

    private final List<TriggerSecret> secrets;

    TriggerSenders(Collection<TriggerSecret> secrets) {
        this.secrets = List.copyOf(secrets);
    }

    @Override
    public boolean expects(RoutingContext context) {
        return secrets.stream()
                .filter(secret -> secret.trigger().equals(trigger(context)))
                .anyMatch(secret -> context.request().getHeader(secret.check().header()) != null);
    }

    @Override
    public Optional<AccessKey> recognise(RoutingContext context, Buffer body) {
        return secrets.stream()
                .filter(secret -> secret.trigger().equals(trigger(context)))
                .filter(secret -> secret.check().verify(context.request()::getHeader, body.getBytes()))
                .map(TriggerSenders::sender)
                .findFirst();
    }

    /** By what {@code key} was recognised, if it stands for one of them: what it asks for was signed. */
    Optional<SignatureCheck> signatureOf(AccessKey key) {
        return secrets.stream()
                .filter(secret -> sender(secret).equals(key))
                .map(TriggerSecret::check)
                .findFirst();
    }

    private static String trigger(RoutingContext context) {
        return String.valueOf(context.pathParam("triggerId"));
    }

    /** What an API key would be for others: it has no secret of its own that could be shown. */
    private static AccessKey sender(TriggerSecret secret) {
        String hash = hash(
                secret.tenant() + ":" + secret.trigger() + ":" + secret.check().header());
        return new AccessKey(
                "webhook" + hash.substring(0, ID_LENGTH),
                secret.tenant(),
                Role.TRIGGER,
                "webhook " + secret.trigger(),
                hash,
                Instant.EPOCH,
                null,
                null);
    }

    private static String hash(String text) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
