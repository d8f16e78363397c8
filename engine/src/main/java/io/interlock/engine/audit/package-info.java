/**
 * Seals the audit log into a chain, and finds out whether it was changed, or whether two runs ever had one key at a
 * time.
 */
@NullMarked
package io.interlock.engine.audit;

import org.jspecify.annotations.NullMarked;
