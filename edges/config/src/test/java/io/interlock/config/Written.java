package io.interlock.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.interlock.config.Given.Flag;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Configurations written to a real file. */
record Written(Path folder) {

    Configuration read(String yaml) {
        return read(yaml, Map.of());
    }

    Configuration read(String yaml, Map<String, String> environment, Flag... flags) {
        return Configuration.read(new Given(List.of(flags), environment, file(yaml)));
    }

    static Configuration nothing() {
        return Configuration.read(new Given(List.of(), Map.of("HOME", "/home/me"), null));
    }

    JobSettings job(String yaml) {
        return job(read("interlock:\n  jobs:\n    a: " + yaml + "\n"), "a");
    }

    static JobSettings job(Configuration configuration, String name) {
        return Optional.ofNullable(configuration.settings().jobs().get(name)).orElseThrow();
    }

    ConfigurationException mistakes(String yaml) {
        ConfigurationException refused = catchThrowableOfType(ConfigurationException.class, () -> read(yaml));
        assertThat(refused).as("mistakes of\n%s", yaml).isNotNull();
        return refused;
    }

    ConfigurationException mistakesOfJob(String yaml) {
        return mistakes("interlock:\n  jobs:\n    a: " + yaml + "\n");
    }

    Path file(String yaml) {
        return file("interlock.yaml", yaml);
    }

    Path file(String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
