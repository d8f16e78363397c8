package io.interlock.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.stream.Stream;

/** What the users of a type can see in its signatures, type arguments included. */
final class Signatures {

    private Signatures() {}

    record Shown(String member, JavaClass type) {}

    static Stream<Shown> shownBy(JavaClass api) {
        Stream<Shown> members = api.getMembers().stream()
                .filter(Signatures::isVisible)
                .flatMap(member ->
                        member.getAllInvolvedRawTypes().stream().map(type -> new Shown(member.getFullName(), type)));
        Stream<Shown> parents = Stream.concat(api.getRawInterfaces().stream(), api.getRawSuperclass().stream())
                .map(type -> new Shown(api.getName(), type));
        return Stream.concat(members, parents);
    }

    private static boolean isVisible(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }
}
