/**
 * The interfaces of a store. Everything here is blocking and batched: a call takes many requests and answers each of
 * them, and each key changes in one atomic step. The types of requests and answers are nested in the interface whose methods use them.
 *
 * <p>The rules of every store: its own clock decides, and is read after the key's row is locked; a refusal writes
 * nothing; a change of a lease needs its id and token; an unclear answer is a
 * {@link io.interlock.StoreUnavailableException}, never a grant. The contract tests in {@code interlock-tck} check
 * these rules.
 */
@NullMarked
package io.interlock.spi;

import org.jspecify.annotations.NullMarked;
