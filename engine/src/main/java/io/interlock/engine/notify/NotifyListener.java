package io.interlock.engine.notify;

/** Hears what becomes of notifications, for metrics and the like. It must return soon. */
public interface NotifyListener {

    /** Somebody was told. */
    default void delivered(NotifyRule rule, Notification notification) {}

    /** A try failed; there will be another. */
    default void failed(NotifyRule rule, Notification notification, String why) {}

    /** Nobody will be told any more. */
    default void givenUp(NotifyRule rule, Notification notification, String why) {}
}
