package io.interlock.engine.notify;

import io.interlock.InvalidSettingException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a rule may ask to be told of. */
public enum NotificationKind {
    /** A run used up its attempts. */
    DEAD_LETTER,
    /** A dead letter has waited for an hour. */
    DEAD_LETTER_WAITING,
    /** An attempt was lost: its lease ended before its work did. */
    LEASE_LOST,
    /** A run counted as running without a lease. */
    LOCK_STATE_LOST,
    /** A run took longer than its max runtime. */
    OVERDUE,
    /** A lease was taken by force. */
    EVICTED,
    /** Two runs had one key at a time. */
    OVERLAPPING_GRANTS;

    /** The word for it in settings and in what is sent: {@code dead-letter}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The kind with that {@link #word()}.
     *
     * @throws InvalidSettingException if there is none
     */
    public static NotificationKind parse(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new InvalidSettingException(
                        "notify on",
                        word,
                        "is not known",
                        "choose from "
                                + Arrays.stream(values())
                                        .map(NotificationKind::word)
                                        .collect(Collectors.joining(", "))));
    }
}
