@NullMarked
package io.interlock.store.jdbc;

import org.jspecify.annotations.NullMarked;
