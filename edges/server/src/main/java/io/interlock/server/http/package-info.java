/** What every request goes through, whatever it asks for: ids, limits, who asks, problems, the access log. */
@NullMarked
package io.interlock.server.http;

import org.jspecify.annotations.NullMarked;
