/** The contracts of systems that had locks of their own. Each maps its words to a key, a job and a policy, and back. */
@NullMarked
package io.interlock.server.compat;

import org.jspecify.annotations.NullMarked;
