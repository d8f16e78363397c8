@NullMarked
package io.interlock.store.sql;

import org.jspecify.annotations.NullMarked;
