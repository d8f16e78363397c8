package io.interlock.service;

import io.interlock.Actor;
import io.interlock.DurationText;
import io.interlock.InvalidKeyException;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.run.RunQuery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * A request for an operation under the names of the REST API, and who makes it. A field that cannot be read is refused as
 * {@code invalid-request}, with its place as REST calls it.
 *
 * @param parameters what is asked for or changed; each value is a text or what the text stands for
 * @param body what is to be done
 */
public record Request(String tenant, Actor actor, Facts parameters, Facts body) {

    /** Ten years: whatever is meant to last longer is meant to last for ever, and stores can still count it. */
    public static final Duration LONGEST = Duration.ofDays(3_650);

    /** One key, or all that begin with a prefix. */
    record Keys(@Nullable LockKey one, String prefix) {}

    /** The key that the body names. */
    public LockKey key() {
        return LockKey.of(tenant, body.shown("key"));
    }

    /** The key that a parameter names, if it does. */
    public Optional<LockKey> keyAsked() {
        try {
            return asked("key").map(name -> LockKey.of(tenant, name));
        } catch (InvalidKeyException invalid) {
            throw bad("key", String.valueOf(invalid.getMessage()));
        }
    }

    /** The keys that a parameter names; all if it names none. */
    Keys keysAsked() {
        LockKey named = keyAsked().orElse(null);
        if (named == null || !named.name().endsWith("*")) {
            return new Keys(named, "");
        }
        return new Keys(null, named.name().substring(0, named.name().length() - 1));
    }

    /** A parameter. */
    Optional<String> asked(String name) {
        return parameters.text(name);
    }

    /** A parameter that is required or has a default. */
    String required(String name) {
        return asked(name).orElseThrow(() -> bad(name, "is required"));
    }

    /** Whether a parameter is true. */
    boolean is(String name) {
        return Boolean.parseBoolean(parameters.shown(name));
    }

    /** The words of a parameter that is a list; none if it is not given. */
    <T> Set<T> words(String name, Function<String, T> parse) {
        Object value = parameters.map().get(name);
        Stream<?> words = value instanceof Iterable<?> list
                ? StreamSupport.stream(list.spliterator(), false)
                : asked(name).stream();
        return words.map(String::valueOf).map(parse).collect(Collectors.toSet());
    }

    /** The label that a parameter names, if it does. */
    Optional<RunQuery.Label> label() {
        return asked("label").map(label -> {
            int equals = label.indexOf('=');
            if (equals < 0) {
                throw bad("label", "'" + label + "' is not NAME=VALUE");
            }
            return new RunQuery.Label(label.substring(0, equals), label.substring(equals + 1));
        });
    }

    /** The moment that a parameter names: a time, or a duration back from {@code now}. */
    Optional<Instant> moment(String name, Instant now) {
        return asked(name).map(text -> {
            try {
                return PastTime.parse(text, now);
            } catch (IllegalArgumentException invalid) {
                throw bad(name, String.valueOf(invalid.getMessage()));
            }
        });
    }

    /** A duration of the body, if it is given. */
    public Optional<Duration> duration(String field) {
        return body.text(field).map(text -> duration("/" + field, text));
    }

    /** The duration that stands at {@code place} of a request. */
    public static Duration duration(String place, String text) {
        Duration duration = unlimited(place, text);
        if (duration.compareTo(LONGEST) > 0) {
            throw Problem.invalid(place, "'" + text + "' is above the limit of " + LONGEST.toDays() + "d");
        }
        return duration;
    }

    /** The duration that stands at {@code place} of a request, however long. */
    public static Duration unlimited(String place, String text) {
        try {
            return DurationText.parse(place.substring(place.lastIndexOf('/') + 1), text);
        } catch (InvalidSettingException invalid) {
            throw Problem.invalid(place, String.valueOf(invalid.getMessage()));
        }
    }

    /** Why it is made. */
    String reason() {
        return body.text("reason").orElse("no reason given");
    }

    /** How many items the page wanted has at the most. */
    int limit() {
        return Math.toIntExact(parameters.number("limit").orElseGet(() -> Long.parseLong(required("limit"))));
    }

    /** What {@code parse} makes of the place behind which the page wanted of the listing {@code kind} begins, if it is not the first. */
    <T> Optional<T> cursor(String kind, Function<String, T> parse) {
        try {
            return asked("cursor").map(text -> parse.apply(place(text, kind)));
        } catch (IllegalArgumentException malformed) {
            throw bad("cursor", "is no cursor of this listing; pass on the one of the page before");
        }
    }

    /** The number behind which the page wanted begins, or 0. */
    long cursorNumber(String kind) {
        return cursor(kind, Request::number).orElse(0L);
    }

    private static long number(String place) {
        if (!place.matches("\\d{1,18}")) {
            throw new IllegalArgumentException("'" + place + "' is no number");
        }
        return Long.parseLong(place);
    }

    private static String place(String text, String kind) {
        String plain = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
        String place = plain.startsWith(kind + ":") ? plain.substring(kind.length() + 1) : "";
        if (!cursorOf(kind, place).equals(text)) {
            throw new IllegalArgumentException("'" + text + "' is of another listing");
        }
        return place;
    }

    /**
     * A cursor of the listing {@code kind}, behind {@code place}: that of the last item that was looked at, in an order that does not change,
     * so a page is the same whatever came or went before it. Opaque to clients.
     */
    static String cursorOf(String kind, Object place) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString((kind + ":" + place).getBytes(StandardCharsets.UTF_8));
    }

    /** The refusal of a parameter. */
    static Problem bad(String parameter, String detail) {
        return Problem.invalid("query/" + parameter, detail);
    }
}
