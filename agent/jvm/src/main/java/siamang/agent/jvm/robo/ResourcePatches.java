package siamang.agent.jvm.robo;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All edits of Robolectric's reader of resources, in the order in which they are made: a class may have several. The set-up and
 * the tests take them from here, so that what is tested is what an app runs on.
 */
public final class ResourcePatches {
    private static final List<Patch> ALL = List.of(
            new Patch(TablePatches.EDITED, TablePatches::apply),
            new Patch(ElementPatches.EDITED, ElementPatches::apply),
            new Patch(StylePatches.EDITED, StylePatches::apply));

    private ResourcePatches() {
    }

    /** Has the classes as they came. */
    public interface Originals {
        byte[] bytes(String name) throws IOException;
    }

    private interface Edit {
        byte[] apply(String name, byte[] bytes);
    }

    private record Patch(List<String> classes, Edit edit) {
    }

    /** The edited classes, by their names. */
    public static Map<String, byte[]> apply(Originals originals) throws IOException {
        Map<String, byte[]> edited = new TreeMap<>();
        for (Patch patch : ALL) {
            for (String name : patch.classes) {
                byte[] before = edited.containsKey(name) ? edited.get(name) : originals.bytes(name);
                edited.put(name, patch.edit.apply(name, before));
            }
        }
        return edited;
    }
}
