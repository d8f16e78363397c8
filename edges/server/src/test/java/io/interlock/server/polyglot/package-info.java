/** Workers in other languages, as real processes at a real server. */
@NullMarked
package io.interlock.server.polyglot;

import org.jspecify.annotations.NullMarked;
