/** How runs, locks and times look in JSON. One class each; nothing here asks anybody. */
@NullMarked
package io.interlock.server.json;

import org.jspecify.annotations.NullMarked;
