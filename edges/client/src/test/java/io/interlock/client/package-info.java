@org.jspecify.annotations.NullMarked
package io.interlock.client;
