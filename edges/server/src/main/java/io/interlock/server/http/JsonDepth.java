package io.interlock.server.http;

import io.vertx.core.buffer.Buffer;

/** Measures how deeply JSON nests without reading it, so that a parser never has to follow it down. */
final class JsonDepth {

    private JsonDepth() {}

    /** Whether {@code json} opens more than {@code most} arrays and objects within each other. */
    static boolean exceeds(Buffer json, int most) {
        int depth = 0;
        boolean text = false;
        for (int i = 0; i < json.length(); i++) {
            byte at = json.getByte(i);
            if (text) {
                if (at == '\\') {
                    i++;
                } else if (at == '"') {
                    text = false;
                }
            } else if (at == '"') {
                text = true;
            } else if (at == '[' || at == '{') {
                depth++;
                if (depth > most) {
                    return true;
                }
            } else if (at == ']' || at == '}') {
                depth--;
            }
        }
        return false;
    }
}
