/** The documentation as static pages: {@link io.interlock.site.Site} builds them. */
@NullMarked
package io.interlock.site;

import org.jspecify.annotations.NullMarked;
