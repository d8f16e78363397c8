package io.interlock.benchmark.server;

/**
 * Finds the messages of a PostgreSQL client that make the server answer: Sync and simple queries. Used by one thread.
 */
final class FrontendMessages {

    private static final int CANCEL_REQUEST = 80877102;
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;
    private static final int LENGTH_BYTES = 4;

    // Before the session begins, messages have no type, and a code in the place of the first four bytes of their body.
    private boolean begun;
    private int header;
    private int type;
    private int length;
    private int code;
    private int body;
    private boolean asked;

    /** Takes the next bytes of the client; whether they end a message that makes the server answer. */
    boolean accept(byte[] bytes, int count) {
        asked = false;
        for (int i = 0; i < count; i++) {
            if (body > 0 && begun) {
                int skipped = Math.min(body, count - i);
                body -= skipped;
                i += skipped - 1;
            } else {
                take(bytes[i] & 0xff);
            }
        }
        return asked;
    }

    private void take(int value) {
        if (!begun) {
            takeOfStart(value);
            return;
        }
        if (header == 0) {
            type = value;
            length = 0;
        } else {
            length = length << Byte.SIZE | value;
        }
        header++;
        if (header > LENGTH_BYTES) {
            header = 0;
            body = length - LENGTH_BYTES;
            if (type == 'S' || type == 'Q' || type == 'F') {
                asked = true;
            }
        }
    }

    private void takeOfStart(int value) {
        if (header < LENGTH_BYTES) {
            length = length << Byte.SIZE | value;
        } else if (header < 2 * LENGTH_BYTES) {
            code = code << Byte.SIZE | value;
        }
        header++;
        if (header >= 2 * LENGTH_BYTES && header == length) {
            begun = code != SSL_REQUEST && code != GSS_REQUEST && code != CANCEL_REQUEST;
            header = 0;
            length = 0;
            code = 0;
        }
    }
}
