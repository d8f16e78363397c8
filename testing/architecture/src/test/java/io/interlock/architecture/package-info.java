/**
 * The rules of the code, as tests. Every rule is also shown a sample that keeps it and one that breaks it, so that a rule
 * that no longer looks at anything is found out.
 */
@NullMarked
package io.interlock.architecture;

import org.jspecify.annotations.NullMarked;
