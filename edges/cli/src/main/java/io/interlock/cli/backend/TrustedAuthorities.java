package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Authorities of one's own, from a file of certificates as {@code curl --cacert} takes it. */
final class TrustedAuthorities {

    private TrustedAuthorities() {}

    /**
     * Makes connections that believe the authorities in {@code file} and no others.
     *
     * @throws Failure if it cannot be read, or holds no certificate
     */
    static SSLSocketFactory in(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw unusable(file, "it holds no certificate");
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate each : found) {
                store.setCertificateEntry("authority-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException unreadable) {
            throw unusable(file, String.valueOf(unreadable.getMessage()));
        }
    }

    private static Failure unusable(Path file, String why) {
        return new Failure(
                ExitCode.CONFIGURATION,
                "--cacert " + file + " cannot be used: " + why,
                "name a PEM file with the certificate of the authority that signed the server's");
    }
}
