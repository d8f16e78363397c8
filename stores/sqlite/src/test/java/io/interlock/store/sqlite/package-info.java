@NullMarked
package io.interlock.store.sqlite;

import org.jspecify.annotations.NullMarked;
