/**
 * Leases on databases without rules of their own, which read documents in one snapshot and write them if they are
 * unchanged. {@link io.interlock.store.document.DocumentStore} has the rules; a database supplies
 * {@link io.interlock.store.document.Documents}.
 */
@NullMarked
package io.interlock.store.document;

import org.jspecify.annotations.NullMarked;
