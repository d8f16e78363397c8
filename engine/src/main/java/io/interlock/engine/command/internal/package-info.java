/** What commands and requests share and nobody else should use. */
@NullMarked
package io.interlock.engine.command.internal;

import org.jspecify.annotations.NullMarked;
