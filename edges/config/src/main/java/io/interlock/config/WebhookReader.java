package io.interlock.config;

import io.interlock.LockKey;
import io.interlock.NearestWord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Reads the secrets of webhook senders. */
final class WebhookReader {

    private final Reading reading;
    private final Set<String> triggers;

    /** A reader. */
    WebhookReader(Reading reading, Set<String> triggers) {
        this.reading = reading;
        this.triggers = triggers;
    }

    List<WebhookSettings> read() {
        List<WebhookSettings> all = new ArrayList<>();
        for (int i = 0; i < reading.sources().size("webhooks"); i++) {
            String at = "webhooks[" + i + "].";
            String tenant = reading.requiredText(at + "tenant");
            reading.made(at + "tenant", () -> LockKey.of(tenant, "any").tenant(), tenant);
            SignatureKind signature =
                    reading.choice(at + "signature", SignatureKind.class).orElse(SignatureKind.STANDARD);
            all.add(new WebhookSettings(trigger(at + "trigger"), tenant, signature, secret(at)));
        }
        return all;
    }

    private String trigger(String property) {
        String trigger = reading.requiredText(property);
        if (!triggers.contains(trigger)) {
            reading.mistake(
                    property,
                    (trigger.isEmpty() ? "is missing" : "'" + trigger + "' starts no workflow")
                            + "; there are " + triggers
                            + NearestWord.to(trigger, List.copyOf(triggers))
                                    .map(near -> "; did you mean " + near + "?")
                                    .orElse(""));
        }
        return trigger;
    }

    private Secret secret(String at) {
        String file = reading.text(at + "secret-file");
        String text = reading.text(at + "secret");
        if ((file == null) == (text == null)) {
            reading.mistake(at + "secret-file", "or secret must be set to check signatures, but not both");
        }
        return new Secret(text, file == null ? null : Path.of(file));
    }
}
