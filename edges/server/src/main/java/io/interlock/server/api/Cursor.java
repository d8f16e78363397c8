package io.interlock.server.api;

import io.interlock.server.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Where a listing goes on. Opaque to clients: what stands in it is the place of the last item that was looked at, in an order that
 * does not change, so a page is the same whatever came or went before it.
 */
public final class Cursor {

    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private Cursor() {}

    /** A cursor of the listing {@code kind}, behind {@code place}. */
    public static String of(String kind, String place) {
        return ENCODER.encodeToString((kind + ":" + place).getBytes(StandardCharsets.UTF_8));
    }

    /** A cursor behind a number. */
    public static String of(String kind, long place) {
        return of(kind, Long.toString(place));
    }

    /** The place in the call's cursor, if it has one. */
    public static Optional<String> place(Call call, String kind) {
        return call.optional("cursor", String.class).map(text -> read(text, kind));
    }

    /** The number in the call's cursor, or 0. */
    public static long number(Call call, String kind) {
        String place = place(call, kind).orElse("0");
        if (!place.matches("\\d{1,18}")) {
            throw bad();
        }
        return Long.parseLong(place);
    }

    private static String read(String text, String kind) {
        String plain;
        try {
            plain = new String(DECODER.decode(text), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notBase64) {
            throw bad();
        }
        if (!plain.startsWith(kind + ":")
                || !of(kind, plain.substring(kind.length() + 1)).equals(text)) {
            throw bad();
        }
        return plain.substring(kind.length() + 1);
    }

    private static RuntimeException bad() {
        return Problem.invalid("query/cursor", "is no cursor of this listing; pass on the one of the page before")
                .thrown();
    }
}
