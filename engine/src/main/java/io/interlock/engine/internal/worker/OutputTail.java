package io.interlock.engine.internal.worker;

/** The end of what work has to say, at most {@link #MOST} characters of it. Safe for use by many threads. */
public final class OutputTail {

    /** So many characters never make more than the 64 KiB a store keeps. */
    static final int MOST = 16 * 1024;

    private final StringBuilder text = new StringBuilder();

    synchronized void add(String more) {
        text.append(more);
        if (text.length() > 2 * MOST) {
            text.delete(0, beginning(MOST));
        }
    }

    /** The last {@code most} characters of it. */
    synchronized String text(int most) {
        return text.substring(beginning(most));
    }

    private int beginning(int most) {
        int from = Math.max(0, text.length() - most);
        return from > 0 && Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from;
    }
}
