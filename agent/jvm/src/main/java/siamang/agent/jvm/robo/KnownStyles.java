package siamang.agent.jvm.robo;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.robolectric.res.android.AttributeResolution10;
import org.robolectric.res.android.CppApkAssets;
import org.robolectric.res.android.CppAssetManager2;
import org.robolectric.res.android.Ref;
import org.robolectric.res.android.ResTable_config;
import org.robolectric.res.android.ResXMLParser;
import org.robolectric.res.android.ResourceTypes.Res_value;
import siamang.agent.jvm.robo.shared.Hidden;
import siamang.agent.jvm.robo.shared.HiddenMethod;

/**
 * What themes hold and what the attributes of widgets come to, for one list of files in one configuration. Every widget
 * asks for some hundred attributes, of which its layout sets a handful; the rest is what the theme says, the same for each
 * widget of a class, and looking it up was more than a third of a step. So it is looked up once. Themes whose styles were
 * applied in the same order share what they hold, until one of them changes. Android makes resources anew for each activity
 * that comes back in another configuration; what was known of the same files in the same configuration still holds.
 * {@link StylePatches} has Robolectric ask here.
 */
public final class KnownStyles {
    /** A theme, which may share what it holds. */
    public interface Themed {
        /** Whose resources it shows. */
        CppAssetManager2 GetAssetManager();

        /** What it holds, by package; of the theme's own until it is in a {@link Content}. */
        Object[] siamangParts();

        /** The configurations that change it. */
        int siamangFlags();

        void siamangFlags(int flags);

        /** What it is known to hold, or null. */
        Object siamangContent();

        void siamangContent(Object content);

        /** As Robolectric does it, in the theme's own parts. */
        boolean siamangApplyStyle(int style, boolean force);

        /** As Robolectric does it: a copy of everything. */
        boolean siamangSetTo(CppAssetManager2.Theme other);
    }

    /** Resources, which know what was looked up in them until they change. */
    public interface Styled {
        /** Their files. */
        List<CppApkAssets> GetApkAssets();

        ResTable_config siamangConfiguration();

        /** Their packages, in groups. */
        List<?> siamangGroups();

        Object siamangStyles();

        void siamangStyles(Object styles);

        /** As Robolectric does it: looks through all packages for what fits the configuration. */
        void siamangRebuild();
    }

    /**
     * What a theme holds. It never changes and is told apart by being another one. Java's own number of an object is drawn by
     * chance from those of its thread, and an app whose sets are in the order of such numbers would get other ones.
     */
    private static final class Content {
        private static final AtomicInteger MADE = new AtomicInteger();
        private static final Content NOTHING = new Content(new Object[0], 0);

        private final int number = MADE.incrementAndGet();
        private final Object[] parts;
        private final int flags;
        private Content systems;

        Content(Object[] parts, int flags) {
            this.parts = parts;
            this.flags = flags;
        }

        /**
         * What is left of it in other resources: the parts of all but the system may be others' there. It is always the same one,
         * so that what is known of one copy is known of the next.
         */
        Content systems() {
            if (systems == null) {
                Object[] left = new Object[parts.length];
                if (parts.length > SYSTEM) {
                    left[SYSTEM] = parts[SYSTEM];
                }
                systems = Arrays.equals(left, parts) ? this : new Content(left, flags);
            }
            return systems;
        }
    }

    /** A style on top of what a theme holds. */
    private record Applied(Content to, int style, boolean force) {
        @Override
        public int hashCode() {
            return (to.number * 31 + style) * 2 + (force ? 1 : 0);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Applied that && to == that.to && style == that.style && force == that.force;
        }
    }

    /** What a theme holds then, and whether the style could be applied. */
    private record Outcome(Content content, boolean done) {
    }

    /** What a widget asks, but for what its layout says of single attributes. */
    private record Question(Content theme, int attribute, int style, int ownType, int own, int[] attributes) {
        @Override
        public int hashCode() {
            int hash = theme.number;
            hash = hash * 31 + attribute;
            hash = hash * 31 + style;
            hash = hash * 31 + ownType;
            hash = hash * 31 + own;
            return hash * 31 + Arrays.hashCode(attributes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Question that && theme == that.theme && attribute == that.attribute && style == that.style
                    && ownType == that.ownType && own == that.own && Arrays.equals(attributes, that.attributes);
        }
    }

    /** The answer, as far as it is known: what a layout has set so far says nothing about the attribute elsewhere. */
    private static final class Answer {
        private final int[] values;
        private final boolean[] known;

        Answer(int count) {
            values = new int[count * ENTRIES];
            known = new boolean[count];
        }
    }

    private static final int ENTRIES = AttributeResolution10.STYLE_NUM_ENTRIES;
    /** The number of the system's package. */
    private static final int SYSTEM = 1;
    private static final int TYPE = AttributeResolution10.STYLE_TYPE;
    private static final int DATA = AttributeResolution10.STYLE_DATA;
    /** The type of what is not set, and what is in it if it is set to nothing. */
    private static final int NULL = 0;
    private static final int EMPTY = 1;
    /** No layout says which style, or what it says is none. */
    private static final int NO_STYLE = -1;
    /** More of them are a sign that they do not come back. */
    static final int MOST_ANSWERS = 1_500;
    static final int MOST_THEMES = 100;
    /** So many configurations are remembered: upright and turned, of the app and of the system, before and after they are set. */
    static final int MOST_RECENT = 20;

    private static final MethodHandle LOOK_UP = lookUp();
    private static final HiddenMethod COMPARE = new HiddenMethod(ResTable_config.class, "compare", ResTable_config.class);
    private static final Hidden SCRIPT_WAS_COMPUTED = new Hidden(ResTable_config.class, "localeScriptWasComputed");
    private static final Hidden NUMBERING_SYSTEM = new Hidden(ResTable_config.class, "localeNumberingSystem");
    private static final Hidden PACKAGES = new Hidden(CppAssetManager2.class, "PackageGroup", "packages_");
    private static final Hidden FITTING = new Hidden(CppAssetManager2.class, "ConfiguredPackage", "filtered_configs_");

    /** Those that were made or found last, the newest first. */
    private static final List<KnownStyles> RECENT = new ArrayList<>();

    private final List<CppApkAssets> files;
    private final ResTable_config configuration;
    /** What fits the configuration, for each of the packages; null until that is known. */
    private List<Object> fitting;
    private final Map<Applied, Outcome> outcomes = new HashMap<>();
    private final Map<Question, Answer> answers = new HashMap<>();

    private KnownStyles(Styled resources) {
        files = List.copyOf(resources.GetApkAssets());
        // Whoever has the resources may write to theirs, but what is known here stays what fits this one.
        configuration = copy(resources.siamangConfiguration());
    }

    /**
     * Called in place of writing to the density of what {@code CppAssetManager2.FindEntry} looks for: Robolectric writes to the
     * resources' own configuration, and all that is looked up later is of that density, too. Android writes to a copy.
     */
    public static ResTable_config withDensity(ResTable_config configuration, int density) {
        ResTable_config copy = copy(configuration);
        copy.density = density;
        return copy;
    }

    /** Robolectric leaves out two fields, without which no configuration with a language is the same as its copy. */
    private static ResTable_config copy(ResTable_config configuration) {
        ResTable_config copy = new ResTable_config(configuration);
        SCRIPT_WAS_COMPUTED.put(copy, SCRIPT_WAS_COMPUTED.of(configuration));
        NUMBERING_SYSTEM.put(copy, NUMBERING_SYSTEM.of(configuration));
        return copy;
    }

    /** Called in place of {@code CppAssetManager2.RebuildFilterList}: their files or their configuration are other ones now. */
    public static void rebuild(CppAssetManager2 changed) {
        Styled resources = (Styled) (Object) changed;
        synchronized (RECENT) {
            KnownStyles known = find(resources);
            resources.siamangStyles(known);
            List<Object> packages = packages(resources);
            if (known.fitting == null) {
                resources.siamangRebuild();
                known.fitting = new ArrayList<>();
                for (Object one : packages) {
                    known.fitting.add(FITTING.of(one));
                }
                return;
            }
            for (int i = 0; i < packages.size(); i++) {
                FITTING.put(packages.get(i), known.fitting.get(i));
            }
        }
    }

    private static KnownStyles find(Styled resources) {
        for (int i = 0; i < RECENT.size(); i++) {
            if (RECENT.get(i).isOf(resources)) {
                KnownStyles known = RECENT.remove(i);
                RECENT.add(0, known);
                return known;
            }
        }
        KnownStyles known = new KnownStyles(resources);
        RECENT.add(0, known);
        if (RECENT.size() > MOST_RECENT) {
            RECENT.remove(MOST_RECENT);
        }
        return known;
    }

    private boolean isOf(Styled resources) {
        List<CppApkAssets> others = resources.GetApkAssets();
        boolean same = files.size() == others.size();
        for (int i = 0; same && i < files.size(); i++) {
            same = files.get(i) == others.get(i);
        }
        return same && COMPARE.<Integer>call(configuration, resources.siamangConfiguration()) == 0;
    }

    private static List<Object> packages(Styled resources) {
        List<Object> all = new ArrayList<>();
        for (Object group : resources.siamangGroups()) {
            all.addAll(PACKAGES.<List<?>>of(group));
        }
        return all;
    }

    private static MethodHandle lookUp() {
        MethodType type = MethodType.methodType(void.class, CppAssetManager2.Theme.class, ResXMLParser.class, int.class, int.class, int[].class,
                int.class, int[].class, int[].class);
        try {
            return MethodHandles.lookup().findStatic(AttributeResolution10.class, StylePatches.LOOK_UP, type);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Robolectric's reader of attributes is not patched", e);
        }
    }

    private static KnownStyles of(CppAssetManager2 resources) {
        Styled styled = (Styled) (Object) resources;
        if (styled.siamangStyles() instanceof KnownStyles known) {
            return known;
        }
        KnownStyles known = new KnownStyles(styled);
        styled.siamangStyles(known);
        return known;
    }

    /**
     * Called in place of {@code Theme.SetTo}. Nothing is left of what the theme held, as on Android; Robolectric leaves the types of
     * attributes that the other has none of.
     */
    public static boolean setTo(CppAssetManager2.Theme theme, CppAssetManager2.Theme other) {
        if (theme == other) {
            return true;
        }
        Content content = content((Themed) (Object) other);
        hold((Themed) (Object) theme, theme.GetAssetManager() == other.GetAssetManager() ? content : content.systems());
        return true;
    }

    /** Called in place of {@code Theme.ApplyStyle}. */
    public static boolean applyStyle(CppAssetManager2.Theme theme, int style, boolean force) {
        KnownStyles known = of(theme.GetAssetManager());
        synchronized (known) {
            Themed themed = (Themed) (Object) theme;
            Applied applied = new Applied(content(themed), style, force);
            Outcome outcome = known.outcomes.get(applied);
            if (outcome == null) {
                outcome = known.change(theme, applied);
            }
            hold(themed, outcome.content);
            return outcome.done;
        }
    }

    private Outcome change(CppAssetManager2.Theme theme, Applied applied) {
        Themed themed = (Themed) (Object) theme;
        CppAssetManager2.Theme before = new CppAssetManager2.Theme(theme.GetAssetManager());
        hold((Themed) (Object) before, applied.to);
        Arrays.fill(themed.siamangParts(), null);
        themed.siamangContent(null);
        themed.siamangSetTo(before);
        boolean done = themed.siamangApplyStyle(applied.style, applied.force);
        Outcome outcome = new Outcome(content(themed), done);
        if (outcomes.size() >= MOST_THEMES) {
            outcomes.clear();
            // A theme that is made again is another one, for which they would be no answers but still hold what is in the old one.
            answers.clear();
        }
        outcomes.put(applied, outcome);
        return outcome;
    }

    /** What a theme holds. From now on nobody may write to its parts. */
    private static Content content(Themed theme) {
        if (theme.siamangContent() instanceof Content content) {
            return content;
        }
        Object[] parts = theme.siamangParts();
        boolean holdsNothing = theme.siamangFlags() == 0 && Arrays.stream(parts).allMatch(Objects::isNull);
        Content content = holdsNothing ? Content.NOTHING : new Content(parts.clone(), theme.siamangFlags());
        theme.siamangContent(content);
        return content;
    }

    private static void hold(Themed theme, Content content) {
        if (theme.siamangContent() == content) {
            return;
        }
        Object[] parts = theme.siamangParts();
        if (content.parts.length == 0) {
            Arrays.fill(parts, null);
        } else {
            System.arraycopy(content.parts, 0, parts, 0, parts.length);
        }
        theme.siamangFlags(content.flags);
        theme.siamangContent(content);
    }

    /** Called in place of {@code AttributeResolution10.ApplyStyle}. */
    public static void attributes(CppAssetManager2.Theme theme, ResXMLParser layout, int attribute, int style, int[] wanted, int count, int[] values,
            int[] indices) {
        int[] set = AttributeNames.of(layout);
        int ownType = NO_STYLE;
        int own = 0;
        int place = layout == null ? -1 : layout.indexOfStyle();
        if (place >= 0) {
            Ref<Res_value> value = new Ref<>(null);
            if (layout.getAttributeValue(place, value) >= 0) {
                ownType = value.get().dataType;
                own = value.get().data;
            }
        }
        int[] asked = count == wanted.length ? wanted : Arrays.copyOf(wanted, count);
        KnownStyles known = of(theme.GetAssetManager());
        synchronized (known) {
            Question question = new Question(content((Themed) (Object) theme), attribute, style, ownType, own, asked);
            Answer answer = known.answers.get(question);
            if (answer == null) {
                if (known.answers.size() >= MOST_ANSWERS) {
                    known.answers.clear();
                }
                answer = new Answer(count);
                // Whoever asks may write to what it asked with.
                known.answers.put(new Question(question.theme, attribute, style, ownType, own, asked.clone()), answer);
            }
            int[] here = placesOf(set, asked);
            if (isKnown(answer, here)) {
                System.arraycopy(answer.values, 0, values, 0, answer.values.length);
                lookUpSome(theme, layout, attribute, style, asked, here, values);
            } else {
                lookUp(theme, layout, attribute, style, asked, values, indices);
                learn(answer, here, values);
            }
        }
        int found = 0;
        for (int i = 0; i < count; i++) {
            if (values[i * ENTRIES + TYPE] != NULL || values[i * ENTRIES + DATA] == EMPTY) {
                indices[++found] = i;
            }
        }
        indices[0] = found;
    }

    /** Which of the attributes that are wanted the layout has set. */
    private static int[] placesOf(int[] set, int[] wanted) {
        int[] places = new int[Math.min(set.length, wanted.length)];
        int found = 0;
        for (int i = 0; i < wanted.length && found < places.length; i++) {
            if (AttributeNames.indexOf(set, wanted[i]) >= 0) {
                places[found++] = i;
            }
        }
        return found == places.length ? places : Arrays.copyOf(places, found);
    }

    private static boolean isKnown(Answer answer, int[] but) {
        int next = 0;
        for (int i = 0; i < answer.known.length; i++) {
            if (next < but.length && but[next] == i) {
                next++;
            } else if (!answer.known[i]) {
                return false;
            }
        }
        return true;
    }

    private static void learn(Answer answer, int[] but, int[] values) {
        int next = 0;
        for (int i = 0; i < answer.known.length; i++) {
            if (next < but.length && but[next] == i) {
                next++;
            } else if (!answer.known[i]) {
                answer.known[i] = true;
                System.arraycopy(values, i * ENTRIES, answer.values, i * ENTRIES, ENTRIES);
            }
        }
    }

    /** Only what the layout has set. */
    private static void lookUpSome(CppAssetManager2.Theme theme, ResXMLParser layout, int attribute, int style, int[] wanted, int[] places, int[] values) {
        if (places.length == 0) {
            return;
        }
        int[] some = new int[places.length];
        for (int i = 0; i < places.length; i++) {
            some[i] = wanted[places[i]];
        }
        int[] found = new int[places.length * ENTRIES];
        lookUp(theme, layout, attribute, style, some, found, new int[places.length + 1]);
        for (int i = 0; i < places.length; i++) {
            System.arraycopy(found, i * ENTRIES, values, places[i] * ENTRIES, ENTRIES);
        }
    }

    private static void lookUp(CppAssetManager2.Theme theme, ResXMLParser layout, int attribute, int style, int[] wanted, int[] values, int[] indices) {
        try {
            LOOK_UP.invokeExact(theme, layout, attribute, style, wanted, wanted.length, values, indices);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
