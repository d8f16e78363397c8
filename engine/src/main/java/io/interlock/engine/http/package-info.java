/**
 * Work done elsewhere, over HTTP: {@link io.interlock.engine.http.HttpHandler} asks for it, by
 * {@link io.interlock.engine.http.PinnedHttp}, which cannot be led to places it must not reach.
 */
@NullMarked
package io.interlock.engine.http;

import org.jspecify.annotations.NullMarked;
