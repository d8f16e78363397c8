/** API keys: how they are made, shown once, recognised and taken back. */
@NullMarked
package io.interlock.engine.access;

import org.jspecify.annotations.NullMarked;
