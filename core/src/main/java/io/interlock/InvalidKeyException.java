package io.interlock;

/** An invalid key or tenant. */
public final class InvalidKeyException extends InterlockException {

    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 80;

    private final String value;

    InvalidKeyException(String what, String value, String broken, String nextStep) {
        super(what + " '" + printable(value) + "' " + broken + "; " + nextStep);
        this.value = value;
    }

    /** The given value, unabridged. */
    public String value() {
        return value;
    }

    @Override
    public String code() {
        return "invalid-request";
    }

    // The message may be logged: no line breaks from the caller, and a limited length.
    private static String printable(String value) {
        StringBuilder shown = new StringBuilder();
        value.codePoints().limit(SHOWN).forEach(codePoint -> {
            if (Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE) {
                shown.append(String.format("\\u%04x", codePoint));
            } else {
                shown.appendCodePoint(codePoint);
            }
        });
        return value.codePointCount(0, value.length()) > SHOWN ? shown + "…" : shown.toString();
    }
}
