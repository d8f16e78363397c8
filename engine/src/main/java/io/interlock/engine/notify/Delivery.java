package io.interlock.engine.notify;

/** Takes a notification to where it should go. Blocks, but not for long. */
@FunctionalInterface
interface Delivery {

    /** Tries once. Throws nothing: whatever goes wrong is an answer. */
    Result deliver(Notification notification);

    /** What came of it. */
    sealed interface Result {

        /** It was taken in. */
        record Delivered() implements Result {}

        /**
         * It was not, or nobody knows.
         *
         * @param why for people, without secrets
         * @param refused whether the receiver was there and did not want it
         */
        record Failed(String why, boolean refused) implements Result {}
    }
}
