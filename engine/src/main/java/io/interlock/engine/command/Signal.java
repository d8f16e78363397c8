package io.interlock.engine.command;

/** A signal that can be sent to everything a command has started. */
public enum Signal {
    /** The terminal is gone. */
    HUP,
    /** Ctrl-C. */
    INT,
    /** Ctrl-\. */
    QUIT,
    /** Please end. */
    TERM,
    /** End at once; cannot be ignored. */
    KILL,
    /** Whatever the command takes it for. */
    USR1,
    /** Whatever the command takes it for. */
    USR2
}
