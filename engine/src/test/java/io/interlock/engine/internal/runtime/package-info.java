@org.jspecify.annotations.NullMarked
package io.interlock.engine.internal.runtime;
