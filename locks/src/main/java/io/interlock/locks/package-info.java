/**
 * The embeddable lock library.
 *
 * <pre>{@code
 * Locks locks = Locks.on(store);
 * try (Lease lease = locks.acquire(key, ofSeconds(5)).orElseThrow()) {
 *     ledger.append(entry, lease.token());
 * }
 * }</pre>
 *
 * <p>A lease ends by itself if its process dies, and is renewed by itself while it lives. What it cannot do is stop a
 * process that was paused and wakes up after its lease ended: pass {@link io.interlock.locks.Lease#token()} to whatever
 * the work changes, and let that refuse smaller tokens than it has met.
 */
@NullMarked
package io.interlock.locks;

import org.jspecify.annotations.NullMarked;
