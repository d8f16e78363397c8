package io.interlock.server.api;

import java.util.concurrent.CompletionStage;

/**
 * Answers the calls of one operation of the contract. Called on the event loop, so it must not block: what takes time comes
 * back as a stage. A problem is thrown, or the stage fails with it.
 */
@FunctionalInterface
public interface Operation {

    /** Answers a call that keeps the contract, from somebody who may make it. */
    CompletionStage<Reply> answer(Call call);
}
