/**
 * What a store implements. Everything here is blocking and batched: a call takes many requests and answers each of them,
 * and each key changes in one atomic step.
 *
 * <p>The rules of every store: its own clock decides, read after the key's row is locked; a refusal writes nothing; nobody
 * changes a lease without its id and token; an answer that is unclear is a
 * {@link io.interlock.StoreUnavailableException}, never a grant. The contract tests in {@code interlock-tck} hold them.
 */
@NullMarked
package io.interlock.spi;

import org.jspecify.annotations.NullMarked;
