package io.interlock.run;

/** The answer of a store to a move to the front. */
public sealed interface MoveAnswer {

    /** The run is the first of those that are ready; also if it was before. */
    record Moved(Run run) implements MoveAnswer {}

    /** The run does not wait: it has begun or ended. */
    record NotWaiting(Run run) implements MoveAnswer {}

    /** There is no such run. */
    record Unknown() implements MoveAnswer {}
}
