@NullMarked
package io.interlock.store.redis;

import org.jspecify.annotations.NullMarked;
