/**
 * The interfaces of a store. Everything here is blocking and batched: a call takes many requests and answers each of
 * them, and each key changes in one atomic step. Requests are nested in the interface whose methods take them, and so are
 * their answers, except those that reach users: these are nested in what they are about, such as a run or an attempt.
 *
 * <p>The rules of every store: its own clock decides, and is read after the key's row is locked; a refusal writes
 * nothing; a change of a lease needs its id and token; an unclear answer is a
 * {@link io.interlock.StoreUnavailableException}, never a grant. The contract tests in {@code interlock-tck} check
 * these rules.
 */
@NullMarked
package io.interlock.spi;

import org.jspecify.annotations.NullMarked;
