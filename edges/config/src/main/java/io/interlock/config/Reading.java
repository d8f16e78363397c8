package io.interlock.config;

import io.interlock.DurationText;
import io.interlock.InterlockException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.NearestWord;
import io.interlock.access.Role;
import io.interlock.engine.schedule.MaintenanceWindow;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads typed values, and continues after a mistake so that all of them are found. Not thread-safe. */
final class Reading {

    private record Noted(int line, ConfigurationException.Mistake mistake) {}

    private final Sources sources;
    private final List<Noted> mistakes = new ArrayList<>();

    Reading(Sources sources) {
        this.sources = sources;
    }

    /** All mistakes; those of the file from top to bottom. */
    List<ConfigurationException.Mistake> mistakes() {
        return mistakes.stream()
                .sorted(Comparator.comparingInt(Noted::line))
                .map(Noted::mistake)
                .toList();
    }

    /** Throws if there are mistakes. */
    void requireNoMistakes() {
        if (!mistakes.isEmpty()) {
            throw new ConfigurationException(mistakes());
        }
    }

    Sources sources() {
        return sources;
    }

    boolean isSet(String property) {
        return sources.find(property).isPresent();
    }

    @Nullable
    String text(String property) {
        return sources.find(property)
                .map(found -> found.text().strip())
                .orElseGet(() -> Settings.require(property).otherwise());
    }

    String requiredText(String property) {
        return Objects.requireNonNullElse(text(property), "");
    }

    int number(String property, int least, int most) {
        return Objects.requireNonNullElse(optionalNumber(property, least, most), least);
    }

    @Nullable
    Integer optionalNumber(String property, int least, int most) {
        return converted(property, text -> {
            if (!text.matches("-?\\d{1,9}") || Integer.parseInt(text) < least || Integer.parseInt(text) > most) {
                throw new InvalidSettingException(
                        property, text, "is no whole number from " + least + " to " + most, "correct it");
            }
            return Integer.valueOf(text);
        });
    }

    /** A number that has a default in the table. */
    double decimal(String property) {
        return Objects.requireNonNull(converted(property, text -> {
            if (!text.matches("\\d{1,6}(\\.\\d{1,6})?")) {
                throw new InvalidSettingException(property, text, "is not a number such as 1.5", "correct it");
            }
            return Double.valueOf(text);
        }));
    }

    boolean flag(String property) {
        Boolean flag = converted(property, text -> switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "on" -> true;
            case "false", "no", "off" -> false;
            default -> throw new InvalidSettingException(property, text, "is neither true nor false", "correct it");
        });
        return flag != null && flag;
    }

    /** A duration that has a default in the table. */
    Duration duration(String property) {
        return Objects.requireNonNull(optionalDuration(property));
    }

    Duration duration(String property, Duration otherwise) {
        return Objects.requireNonNullElse(optionalDuration(property), otherwise);
    }

    @Nullable
    Duration optionalDuration(String property) {
        return converted(property, text -> DurationText.parse(property, text));
    }

    List<String> words(String property) {
        return sources.items(property).stream()
                .map(String::strip)
                .filter(item -> !item.isEmpty())
                .toList();
    }

    <E extends Enum<E>> Optional<E> choice(String property, Class<E> type) {
        List<String> choices = Settings.require(property).choices();
        return Optional.ofNullable(converted(property, text -> {
            if (!choices.contains(text)) {
                throw new InvalidSettingException(
                        property,
                        text,
                        "is not one of " + String.join(", ", choices),
                        NearestWord.to(text, choices)
                                .map(near -> "did you mean " + near + "?")
                                .orElse("choose one of them"));
            }
            return Enum.valueOf(type, text.toUpperCase(Locale.ROOT).replace('-', '_'));
        }));
    }

    /** The value of {@code made}; if it throws, that is a mistake of {@code property}. */
    <T> T made(String property, Supplier<T> made, T otherwise) {
        try {
            return made.get();
        } catch (InterlockException broken) {
            mistake(property, said(property, broken));
            return otherwise;
        }
    }

    /** The value of {@code made}; empty if it throws, which is a mistake of {@code property}. */
    <T> Optional<T> tried(String property, Supplier<T> made) {
        return made(property, () -> Optional.of(made.get()), Optional.empty());
    }

    void mistake(String property, String detail) {
        mistake(property, detail, sources.origin(property).orElse(null));
    }

    void mistake(String property, String detail, @Nullable String origin) {
        mistakes.add(new Noted(sources.line(property), new ConfigurationException.Mistake(property, detail, origin)));
    }

    private <T> @Nullable T converted(String property, Function<String, T> conversion) {
        String text = text(property);
        if (text == null) {
            return null;
        }
        try {
            return conversion.apply(text);
        } catch (InvalidSettingException invalid) {
            mistake(property, said(property, invalid));
            String otherwise = Settings.require(property).otherwise();
            return otherwise == null || otherwise.equals(text) ? null : conversion.apply(otherwise);
        }
    }

    /** Removes the name of the property from the message, because it precedes the message. */
    private static String said(String property, InterlockException broken) {
        String message = String.valueOf(broken.getMessage());
        if (broken instanceof InvalidSettingException invalid) {
            boolean own = property.equals(invalid.setting()) || property.endsWith("." + invalid.setting());
            return own && message.startsWith(invalid.setting() + " ")
                    ? message.substring(invalid.setting().length() + 1)
                    : message;
        }
        return message;
    }

    /** A URL; a message about an invalid one does not show it, because it may contain a secret. */
    URI address(String property, String text) {
        return made(
                property,
                () -> {
                    try {
                        URI url = new URI(text);
                        boolean web =
                                "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
                        if (web
                                && url.getHost() != null
                                && url.getRawUserInfo() == null
                                && url.getRawFragment() == null) {
                            return url;
                        }
                    } catch (URISyntaxException broken) {
                        // Reported below.
                    }
                    throw new InvalidSettingException(
                            property, "…", "is not a web address without user and fragment", "write https://host/path");
                },
                URI.create("http://invalid"));
    }

    /** A tenant; another text is a mistake. */
    String tenant(String property) {
        return tenant(property, requiredText(property));
    }

    String tenant(String property, String name) {
        return made(property, () -> LockKey.of(name, "any").tenant(), LockKey.DEFAULT_TENANT);
    }

    @Nullable
    String optionalTenant(String property) {
        String name = text(property);
        return name == null ? null : tenant(property, name);
    }

    /** A role, which must be set; {@code whose} says what it is for. */
    Optional<Role> role(String property, String whose) {
        Optional<Role> role = choice(property, Role.class);
        if (role.isEmpty() && !isSet(property)) {
            mistake(property, "is missing; set the role " + whose);
        }
        return role;
    }

    /** The secret in a file that may be named. */
    @Nullable
    Secret secretFile(String property) {
        String file = text(property);
        return file == null ? null : new Secret(null, Path.of(file));
    }

    /** A secret that is written or in a file; {@code purpose} says what it is for. */
    Secret secret(String at, String purpose) {
        String file = text(at + "secret-file");
        String text = text(at + "secret");
        if ((file == null) == (text == null)) {
            mistake(at + "secret-file", "or secret must be set to " + purpose + ", but not both");
        }
        return new Secret(text, file == null ? null : Path.of(file));
    }

    /** Maintenance windows; other texts are mistakes. */
    List<MaintenanceWindow> windows(String property) {
        return words(property).stream()
                .flatMap(text -> tried(property, () -> MaintenanceWindow.parse(text)).stream())
                .toList();
    }

    /** The entries of a list, each read below its own prefix, as in {@code keys[0].}. */
    <T> List<T> entries(String list, Function<String, T> entry) {
        List<T> all = new ArrayList<>();
        forEach(list, at -> all.add(entry.apply(at)));
        return all;
    }

    /** Reads each entry of a list below its own prefix. */
    void forEach(String list, Consumer<String> entry) {
        for (int i = 0; i < sources.size(list); i++) {
            entry.accept(list + "[" + i + "].");
        }
    }

    /** A hint at the word that {@code word} may stand for. */
    static String nearest(String word, Collection<String> known) {
        return NearestWord.to(word, known)
                .map(near -> "; did you mean " + near + "?")
                .orElse("");
    }
}
