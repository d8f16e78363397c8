/** A Spring Boot application whose scheduled job runs on one of its instances at a time. */
@NullMarked
package io.interlock.example.spring;

import org.jspecify.annotations.NullMarked;
