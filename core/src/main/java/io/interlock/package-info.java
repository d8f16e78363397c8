/**
 * The words of Interlock: what is exclusive, who has it, and the proof of turn.
 *
 * <p>Interlock promises that for every key there is at most one <em>live lease</em>, judged by the store's own clock, and
 * that every lease carries a fencing token greater than all tokens given out for that key before. It does
 * <strong>not</strong> promise that only one process is running code: a paused process can wake up after its lease ended.
 * Give your resource the token.
 *
 * <p>Unless a parameter says otherwise, passing {@code null} throws {@link NullPointerException}. All types here are
 * immutable and safe for use by many threads.
 */
@NullMarked
package io.interlock;

import org.jspecify.annotations.NullMarked;
