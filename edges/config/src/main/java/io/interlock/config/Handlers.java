package io.interlock.config;

import io.interlock.InvalidSettingException;
import io.interlock.engine.OutsideProbe;
import io.interlock.engine.RunHandler;
import io.interlock.engine.command.CommandSpec;
import io.interlock.engine.handler.CommandHandler;
import io.interlock.engine.handler.HttpHandler;
import io.interlock.engine.http.HttpRules;
import io.interlock.engine.http.HttpSpec;
import io.interlock.engine.http.PinnedHttp;
import io.interlock.engine.http.WebhookSigner;
import io.interlock.time.Environment;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates the handlers of jobs. Requests may go only to the hosts that jobs name. */
final class Handlers implements AutoCloseable {

    private final Environment environment;
    private final @Nullable PinnedHttp http;
    private final List<OutsideProbe> probes = new ArrayList<>();

    Handlers(InterlockSettings settings, Environment environment) {
        this.environment = environment;
        List<String> hosts = settings.jobs().values().stream()
                .flatMap(job ->
                        Stream.concat(Stream.of(job.work()), job.asks().map(JobSettings.Probe::question).stream()))
                .filter(Work.Http.class::isInstance)
                .map(work -> ((Work.Http) work).url().getHost())
                .distinct()
                .toList();
        http = hosts.isEmpty()
                ? null
                : new PinnedHttp(HttpRules.hosts(hosts).networks(settings.privateNetworks()), environment);
    }

    /** The handler of {@code job} in this process; empty if other processes execute it. */
    Optional<RunHandler> of(JobSettings job) {
        JobSettings.Probe probe = job.probe();
        Optional<RunHandler> work = of(job.work());
        if (probe == null || work.isEmpty()) {
            return work;
        }
        OutsideProbe probed =
                new OutsideProbe(of(probe.question()).orElseThrow(), work.get(), probe.every(), environment);
        probes.add(probed);
        return Optional.of(probed);
    }

    private Optional<RunHandler> of(Work work) {
        if (work instanceof Work.Command command) {
            return Optional.of(command(command));
        } else if (work instanceof Work.Http call && http != null) {
            return Optional.of(new HttpHandler(spec(call), http, environment));
        } else if (work instanceof Work.Java java) {
            return Optional.of(loaded(java.className()));
        }
        return Optional.empty();
    }

    @Override
    public void close() {
        probes.forEach(OutsideProbe::close);
        if (http != null) {
            http.close();
        }
    }

    private RunHandler command(Work.Command command) {
        CommandSpec spec = CommandSpec.of(command.words())
                .environment(Map.of(), command.inherited())
                .permanentExitCodes(command.permanentExitCodes());
        return new CommandHandler(
                command.directory() == null ? spec : spec.directory(command.directory()), environment);
    }

    private HttpSpec spec(Work.Http call) {
        HttpSpec spec = HttpSpec.of(call.url()).timeout(call.timeout());
        if (call.secret() != null) {
            spec = spec.signer(new WebhookSigner(List.of(call.secret().reveal()), environment.clock()));
        }
        return call.callback() == null ? spec : spec.callback(call.callback());
    }

    private static RunHandler loaded(String name) {
        try {
            Object made = Class.forName(name).getConstructor().newInstance();
            if (made instanceof RunHandler handler) {
                return handler;
            }
            throw cannot(name, "does not implement " + RunHandler.class.getName());
        } catch (ClassNotFoundException | NoClassDefFoundError missing) {
            throw cannot(name, "is not on the class path (" + missing.getMessage() + ")");
        } catch (InvocationTargetException failed) {
            throw cannot(name, "failed in its constructor: " + failed.getCause());
        } catch (ReflectiveOperationException | LinkageError unfit) {
            throw cannot(name, "has no public constructor without parameters");
        }
    }

    private static InvalidSettingException cannot(String name, String why) {
        return new InvalidSettingException(
                "java",
                name,
                why,
                "name a public class that implements RunHandler, and put it on the class path with INTERLOCK_CLASSPATH");
    }
}
