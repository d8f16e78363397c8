@NullMarked
package io.interlock.store.firestore;

import org.jspecify.annotations.NullMarked;
