package io.interlock.example.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Start it as often as you like, on as many machines as you like. */
@SpringBootApplication
@EnableScheduling
public class ReportApplication {

    /** Runs until it is stopped. */
    public static void main(String[] arguments) {
        SpringApplication.run(ReportApplication.class, arguments);
    }
}
