package io.interlock.spring;

import io.interlock.spring.ExclusiveRunMethods.ExclusiveRunPlan;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Calls in which an object calls its own {@link ExclusiveRun} method, past its proxy: the method would run without the key.
 *
 * <p>A call is found in the byte code if its receiver can only be {@code this}: the calling method has no other way to an object of its
 * class, such as a field, an argument or a bean asked for. A call from a method with the same key is allowed, because that one has
 * the key already.
 */
final class SelfCalls {

    private record Signature(String name, String descriptor) {}

    private final Map<Signature, ExclusiveRunPlan> guarded = new HashMap<>();
    private final Set<String> hierarchy = new HashSet<>();
    private final Class<?> type;

    private SelfCalls(Class<?> type, Collection<ExclusiveRunPlan> plans) {
        this.type = type;
        for (ExclusiveRunPlan plan : plans) {
            Method method = plan.method();
            guarded.put(new Signature(method.getName(), Type.getMethodDescriptor(method)), plan);
        }
    }

    /**
     * Refuses the first one in {@code type}.
     *
     * @throws InvalidExclusiveRunException if there is one
     */
    static void refuse(Class<?> type, Collection<ExclusiveRunPlan> plans) {
        new SelfCalls(type, plans).refuse();
    }

    private void refuse() {
        if (guarded.isEmpty()) {
            return;
        }
        List<Class<?>> classes = new ArrayList<>();
        for (Class<?> one = type; one != null && one != Object.class; one = one.getSuperclass()) {
            classes.add(one);
            hierarchy.add(Type.getInternalName(one));
        }
        classes.forEach(this::read);
    }

    private void read(Class<?> one) {
        ClassLoader loader = one.getClassLoader();
        try (InputStream bytes =
                loader == null ? null : loader.getResourceAsStream(Type.getInternalName(one) + ".class")) {
            if (bytes != null) {
                new ClassReader(bytes).accept(new Calls(), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private final class Calls extends ClassVisitor {

        Calls() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            return (access & Opcodes.ACC_STATIC) != 0 ? null : new Caller(name, descriptor);
        }
    }

    private final class Caller extends MethodVisitor {

        private final String caller;
        private final @Nullable ExclusiveRunPlan own;
        private final List<ExclusiveRunPlan> called = new ArrayList<>();
        private boolean otherReceivers;

        Caller(String name, String descriptor) {
            super(SpringAsmInfo.ASM_VERSION);
            // The body of a lambda belongs to the method around it.
            String[] parts = name.split("\\$", -1);
            this.caller = parts[0].equals("lambda") && parts.length > 2 ? parts[1] : name;
            this.own = guarded.get(new Signature(name, descriptor));
            this.otherReceivers =
                    Arrays.stream(Type.getArgumentTypes(descriptor)).anyMatch(this::isOwn);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            otherReceivers |= isOwn(Type.getReturnType(descriptor));
            if (opcode != Opcodes.INVOKESTATIC) {
                note(owner, name, descriptor);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Handle handle && handle.getTag() != Opcodes.H_INVOKESTATIC) {
                    note(handle.getOwner(), handle.getName(), handle.getDesc());
                }
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            otherReceivers |= isOwn(Type.getType(descriptor));
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            otherReceivers |= opcode != Opcodes.INSTANCEOF && isOwn(Type.getObjectType(type));
        }

        @Override
        public void visitInsn(int opcode) {
            otherReceivers |= opcode == Opcodes.AALOAD;
        }

        @Override
        public void visitEnd() {
            if (!otherReceivers && !called.isEmpty()) {
                Method method = called.get(0).method();
                throw new InvalidExclusiveRunException(
                        method,
                        "is bypassed: " + caller + " of the same object calls " + method.getName()
                                + " directly, not through the proxy, and so without the key",
                        "move the method to another bean, or put @ExclusiveRun with the same key on " + caller
                                + " too");
            }
        }

        private void note(String owner, String name, String descriptor) {
            ExclusiveRunPlan plan = hierarchy.contains(owner) ? guarded.get(new Signature(name, descriptor)) : null;
            if (plan != null
                    && (own == null || !own.key().text().equals(plan.key().text()))) {
                called.add(plan);
            }
        }

        private boolean isOwn(Type value) {
            return value.getSort() == Type.OBJECT && hierarchy.contains(value.getInternalName());
        }
    }
}
