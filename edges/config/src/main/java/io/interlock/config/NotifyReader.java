package io.interlock.config;

import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.NearestWord;
import io.interlock.config.NotifySettings.To;
import io.interlock.engine.notify.NotificationKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Reads the notifications. */
final class NotifyReader {

    private final Reading reading;

    NotifyReader(Reading reading) {
        this.reading = reading;
    }

    List<NotifySettings> read() {
        List<NotifySettings> all = new ArrayList<>();
        for (int i = 0; i < reading.sources().size("notify"); i++) {
            String at = "notify[" + i + "].";
            String tenant = reading.text(at + "tenant");
            if (tenant != null) {
                reading.made(at + "tenant", () -> LockKey.of(tenant, "any").tenant(), tenant);
            }
            all.add(new NotifySettings(kinds(at + "on"), target(at), tenant));
        }
        return all;
    }

    private Set<NotificationKind> kinds(String property) {
        Set<NotificationKind> kinds = EnumSet.noneOf(NotificationKind.class);
        List<String> known = new ArrayList<>();
        for (NotificationKind kind : NotificationKind.values()) {
            known.add(kind.word());
        }
        for (String word : reading.words(property)) {
            try {
                kinds.add(NotificationKind.parse(word));
            } catch (InterlockException unknown) {
                reading.mistake(
                        property,
                        "has '" + word + "', which is not one of " + String.join(", ", known)
                                + NearestWord.to(word, known)
                                        .map(near -> "; did you mean " + near + "?")
                                        .orElse(""));
            }
        }
        if (reading.words(property).isEmpty()) {
            reading.mistake(property, "is missing; choose from " + String.join(", ", known));
        }
        return kinds;
    }

    private To target(String at) {
        String url = reading.text(at + "url");
        List<String> command = reading.words(at + "command");
        if ((url == null) == command.isEmpty()) {
            reading.mistake(at + "url", "or command must be set, but not both");
        }
        String file = reading.text(at + "secret-file");
        String text = reading.text(at + "secret");
        if (url == null) {
            return new To.Command(command);
        }
        if ((file == null) == (text == null)) {
            reading.mistake(at + "secret-file", "or secret must be set to sign the notifications, but not both");
        }
        return new To.Webhook(
                WorkReader.address(reading, at + "url", url), new Secret(text, file == null ? null : Path.of(file)));
    }
}
