package io.interlock.run;

/** The answer of a store to a cancel. */
public sealed interface CancelAnswer {

    /** The run had not started and was ended. */
    record Cancelled(Run run) implements CancelAnswer {}

    /** The run is being executed; its handler gets the stop request with its next heartbeat. */
    record StopRequested(Run run) implements CancelAnswer {}

    /** The run had already ended. */
    record Over(Run run) implements CancelAnswer {}

    /** There is no such run. */
    record Unknown() implements CancelAnswer {}
}
