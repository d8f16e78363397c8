/** What every request passes: ids, limits, caller, problems, the access log. */
@NullMarked
package io.interlock.server.http;

import org.jspecify.annotations.NullMarked;
