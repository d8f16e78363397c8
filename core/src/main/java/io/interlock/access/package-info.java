/** Access control: roles and API keys. */
@NullMarked
package io.interlock.access;

import org.jspecify.annotations.NullMarked;
