@NullMarked
package io.interlock.store.etcd;

import org.jspecify.annotations.NullMarked;
