package siamang.agent.jvm.robo;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.robolectric.res.android.ApkAssetsCookie;
import org.robolectric.res.android.AttributeResolution10;
import org.robolectric.res.android.CppApkAssets;
import org.robolectric.res.android.CppAssetManager2;
import org.robolectric.res.android.Ref;
import org.robolectric.res.android.ResTable_config;
import org.robolectric.res.android.ResXMLParser;
import org.robolectric.res.android.ResXMLTree;
import org.robolectric.res.android.ResourceTypes.Res_value;

/** What {@link KnownStylesTest} asks of the patched classes. Each answer is the first difference, or nothing. */
public final class KnownStylesProbe {
    private static final int START_TAG = 0x0102;
    private static final int END_DOCUMENT = 1;
    private static final int BAD_DOCUMENT = -1;
    private static final int ENTRIES = AttributeResolution10.STYLE_NUM_ENTRIES;
    private static final int LANDSCAPE = 2;
    private static final int NIGHT = 0x20;
    private static final int DENSITY = 320;
    private static final int OTHER_DENSITY = 160;
    /** More than are done at once anywhere. */
    private static final int MANY = 40;
    /** A collection that was asked for is done before the next line; several are for collectors that take turns. */
    private static final int COLLECTIONS = 20;

    private static final String[] LAYOUTS = {
        "alert_dialog", "alert_dialog_holo", "alert_dialog_material", "preference", "preference_material", "preference_dialog_edittext_material",
        "simple_list_item_checked", "search_view", "time_picker_legacy_material",
    };
    private static final String[] THEMES = {"Theme_Material_Light", "Theme_Holo", "Theme_DeviceDefault_Dialog_Alert"};
    private static final String[] STYLEABLES = {"View", "ViewGroup", "TextView", "LinearLayout", "ImageView", "ProgressBar", "CompoundButton"};
    private static final String[] DEFAULTS = {"buttonStyle", "textViewStyle", "listViewStyle"};

    private KnownStylesProbe() {
    }

    /** Twice, so that the second time what was learnt in another element is used. */
    public static String compareAttributes() throws Exception {
        CppAssetManager2 resources = resources(1, 0);
        for (String name : THEMES) {
            CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
            theme.ApplyStyle(constant("style", name), true);
            for (int round = 0; round < 2; round++) {
                String difference = compare(theme);
                if (!difference.isEmpty()) {
                    return name + ", round " + round + ": " + difference;
                }
            }
        }
        return "";
    }

    public static String compareConfigurations() throws Exception {
        CppAssetManager2 resources = resources(1, 0);
        CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
        theme.ApplyStyle(constant("style", "Theme_DeviceDefault_DayNight"), true);
        List<int[]> seen = new ArrayList<>();
        for (int[] next : new int[][] {{1, 0}, {LANDSCAPE, NIGHT}, {1, 0}}) {
            resources.SetConfiguration(configuration(next[0], next[1]));
            String difference = compare(theme);
            if (!difference.isEmpty()) {
                return Arrays.toString(next) + ": " + difference;
            }
            int[] wanted = {constant("attr", "colorBackground"), constant("attr", "textColorPrimary")};
            int[] values = new int[wanted.length * ENTRIES];
            AttributeResolution10.ApplyStyle(theme, null, 0, 0, wanted, wanted.length, values, new int[wanted.length + 1]);
            seen.add(values);
        }
        return Arrays.equals(seen.get(0), seen.get(2)) ? "" : "it is not as it was";
    }

    public static String compareThemes() throws Exception {
        CppAssetManager2 resources = resources(1, 0);
        int light = constant("style", "Theme_Material_Light");
        int dark = constant("style", "Theme_Holo");
        CppAssetManager2.Theme one = new CppAssetManager2.Theme(resources);
        one.ApplyStyle(light, false);
        CppAssetManager2.Theme copy = new CppAssetManager2.Theme(resources);
        copy.SetTo(one);
        copy.ApplyStyle(dark, true);
        CppAssetManager2.Theme again = new CppAssetManager2.Theme(resources);
        again.ApplyStyle(light, false);
        again.ApplyStyle(dark, true);
        CppAssetManager2.Theme cleared = new CppAssetManager2.Theme(resources);
        cleared.SetTo(copy);
        cleared.Clear();
        String[] names = {"the first", "the copy", "the one made like the copy", "the cleared one"};
        CppAssetManager2.Theme[] themes = {one, copy, again, cleared};
        CppAssetManager2.Theme[] plain = {plain(resources, light), plain(resources, light, dark), plain(resources, light, dark), plain(resources)};
        for (int i = 0; i < themes.length; i++) {
            String difference = different(themes[i], plain[i]);
            if (!difference.isEmpty()) {
                return names[i] + ": " + difference;
            }
        }
        return "";
    }

    public static String shareAmongResources() throws Exception {
        List<CppApkAssets> files = files();
        Object first = styles(resources(files, 1, 0));
        Object same = styles(resources(files, 1, 0));
        Object turned = styles(resources(files, LANDSCAPE, 0));
        Object others = styles(resources(files(), 1, 0));
        return first == same && first != turned && first != others ? "" : "same " + (first == same) + ", turned " + (first == turned) + ", others " + (first == others);
    }

    /** An app may ask any resources for a drawable of another density: the first of those that share what they know, or a later one. */
    public static String askForAnotherDensity() throws Exception {
        for (int asked = 0; asked < 2; asked++) {
            List<CppApkAssets> files = files();
            CppAssetManager2[] sharing = {resources(files, 1, 0), resources(files, 1, 0)};
            String drawable = drawable(sharing[asked], OTHER_DENSITY);
            String difference = differentDrawable(drawable, OTHER_DENSITY) + differentDrawable(drawable(sharing[asked], 0), DENSITY);
            difference += different("they", sharing[asked], DENSITY) + different("others", sharing[1 - asked], DENSITY);
            difference += different("later ones", resources(files, 1, 0), DENSITY);
            difference += different("ones of that density", resources(files, configuration(1, 0, OTHER_DENSITY)), OTHER_DENSITY);
            if (!difference.isEmpty()) {
                return "asked " + asked + ": " + difference;
            }
        }
        return drawable(resources(1, 0), 0).equals(drawable(resources(1, 0), OTHER_DENSITY)) ? "the drawable is the same in both" : "";
    }

    /** Resources keep the very configuration that they were given. */
    public static String writeToConfiguration() throws Exception {
        List<CppApkAssets> files = files();
        ResTable_config given = configuration(1, 0);
        values(resources(files, given), styleable("Theme"));
        given.density = OTHER_DENSITY;
        return different("later ones", resources(files, 1, 0), DENSITY)
                + different("ones of that density", resources(files, configuration(1, 0, OTHER_DENSITY)), OTHER_DENSITY);
    }

    private static String differentDrawable(String drawable, int density) throws Exception {
        String alone = drawable(resources(files(), configuration(1, 0, density)), 0);
        return drawable.equals(alone) ? "" : "for " + density + " the drawable is " + drawable + " and not " + alone + "; ";
    }

    /** The first attribute that has not what it has in resources that share nothing. */
    private static String different(String who, CppAssetManager2 resources, int density) throws Exception {
        int[] wanted = styleable("Theme");
        int[] values = values(resources, wanted);
        int[] alone = values(resources(files(), configuration(1, 0, density)), wanted);
        int at = Arrays.mismatch(values, alone);
        return at < 0 ? "" : who + " have for " + Integer.toHexString(wanted[at / ENTRIES]) + " " + values[at] + " and not " + alone[at] + "; ";
    }

    private static int[] values(CppAssetManager2 resources, int[] wanted) throws Exception {
        CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
        theme.ApplyStyle(constant("style", "Theme_Holo"), true);
        int[] values = new int[wanted.length * ENTRIES];
        AttributeResolution10.ApplyStyle(theme, null, 0, 0, wanted, wanted.length, values, new int[wanted.length + 1]);
        return values;
    }

    private static String drawable(CppAssetManager2 resources, int density) throws Exception {
        Ref<Res_value> value = new Ref<>(null);
        Ref<ResTable_config> from = new Ref<>(null);
        resources.GetResource(constant("drawable", "btn_star_big_off"), true, (short) density, value, from, new Ref<>(0));
        return value.get().data + " of " + from.get().density;
    }

    /** To resources of other files, of another configuration, and to those that differ in nothing. What the copy was before is gone. */
    public static String copyToOthers() throws Exception {
        List<CppApkAssets> files = files();
        CppAssetManager2 resources = resources(files, 1, 0);
        int light = constant("style", "Theme_Material_Light");
        int dark = constant("style", "Theme_Holo");
        // It says nothing of the attributes that are Android's own secret, of which the others say a lot.
        int small = constant("style", "TextAppearance");
        for (CppAssetManager2 others : List.of(resources(files(), 1, 0), resources(files, LANDSCAPE, NIGHT), resources(files, 1, 0))) {
            for (int[] styles : new int[][] {{}, {small}, {light}, {light, dark}}) {
                CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
                for (int i = 0; i < styles.length; i++) {
                    theme.ApplyStyle(styles[i], i > 0);
                }
                CppAssetManager2.Theme copy = new CppAssetManager2.Theme(others);
                copy.ApplyStyle(dark, true);
                copy.SetTo(theme);
                CppAssetManager2.Theme plain = new CppAssetManager2.Theme(others);
                ((KnownStyles.Themed) (Object) plain).siamangSetTo(plain(resources, styles));
                String difference = different(copy, plain) + compare(copy);
                copy.ApplyStyle(dark, true);
                ((KnownStyles.Themed) (Object) plain).siamangApplyStyle(dark, true);
                difference += different(copy, plain) + compare(copy) + different(theme, plain(resources, styles));
                if (!difference.isEmpty()) {
                    return Arrays.toString(styles) + ": " + difference;
                }
            }
        }
        return "";
    }

    /** Each context that an app makes of another has resources of its own; they need not learn anew what a copied theme holds. */
    public static String shareCopies() throws Exception {
        List<CppApkAssets> files = files();
        CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources(files, 1, 0));
        theme.ApplyStyle(constant("style", "Theme_Material_Light"), true);
        Object[] copied = new Object[2];
        Object[] applied = new Object[2];
        for (int i = 0; i < 2; i++) {
            CppAssetManager2.Theme copy = new CppAssetManager2.Theme(resources(files, LANDSCAPE, 0));
            copy.SetTo(theme);
            copied[i] = ((KnownStyles.Themed) (Object) copy).siamangContent();
            copy.ApplyStyle(constant("style", "Theme_Holo"), true);
            applied[i] = ((KnownStyles.Themed) (Object) copy).siamangContent();
        }
        return copied[0] == copied[1] && applied[0] == applied[1] ? "" : "copied " + (copied[0] == copied[1]) + ", applied " + (applied[0] == applied[1]);
    }

    /** Twice, so that the second time nearly all that was known the first time is forgotten. In each there are two that share it. */
    public static String evictConfigurations() throws Exception {
        List<CppApkAssets> files = files();
        int many = KnownStyles.MOST_RECENT + 5;
        Object[] first = new Object[many];
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < many; i++) {
                for (int one = 0; one < 2; one++) {
                    CppAssetManager2 resources = resources(files, configuration(1, i % 2 * NIGHT, DENSITY + i));
                    CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
                    theme.ApplyStyle(constant("style", "Theme_DeviceDefault_DayNight"), true);
                    String difference = different(theme, plain(resources, constant("style", "Theme_DeviceDefault_DayNight")))
                            + compare(theme, null, constant("attr", "buttonStyle"), 0, styleable("TextView")) + compare(theme, null, 0, 0, styleable("Theme"));
                    if (!difference.isEmpty()) {
                        return "round " + round + ", configuration " + i + ", " + one + ": " + difference;
                    }
                    first[i] = first[i] == null ? styles(resources) : first[i];
                    if ((first[i] == styles(resources)) != (round == 0)) {
                        return "round " + round + ", configuration " + i + ": what is known is kept or forgotten at the wrong time";
                    }
                }
            }
        }
        return "";
    }

    /** With one theme that is held all the time. */
    public static String evictThemes() throws Exception {
        CppAssetManager2 resources = resources(1, 0);
        int[] styles = styles(KnownStyles.MOST_THEMES + MANY);
        CppAssetManager2.Theme held = new CppAssetManager2.Theme(resources);
        held.ApplyStyle(constant("style", "Theme_Material_Light"), true);
        for (int round = 0; round < 2; round++) {
            for (int style : styles) {
                CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
                theme.ApplyStyle(style, true);
                String difference = different(theme, plain(resources, style)) + compare(theme, null, constant("attr", "buttonStyle"), 0, styleable("TextView"))
                        + compare(held, null, constant("attr", "buttonStyle"), 0, styleable("TextView"));
                if (!difference.isEmpty()) {
                    return "round " + round + ", style " + Integer.toHexString(style) + ": " + difference;
                }
            }
        }
        return different(held, plain(resources, constant("style", "Theme_Material_Light")));
    }

    public static String evictAnswers() throws Exception {
        CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources(1, 0));
        theme.ApplyStyle(constant("style", "Theme_Material_Light"), true);
        int[] styles = styles(KnownStyles.MOST_ANSWERS / STYLEABLES.length + MANY);
        for (int round = 0; round < 2; round++) {
            for (int style : styles) {
                for (String styleable : STYLEABLES) {
                    String difference = compare(theme, null, 0, style, styleable(styleable));
                    if (!difference.isEmpty()) {
                        return "round " + round + ", style " + Integer.toHexString(style) + ", " + styleable + ": " + difference;
                    }
                }
            }
        }
        return "";
    }

    private static int[] styles(int count) throws Exception {
        Field[] all = Class.forName("com.android.internal.R$style").getFields();
        int[] styles = new int[count];
        for (int i = 0; i < count; i++) {
            styles[i] = all[i].getInt(null);
        }
        Arrays.sort(styles);
        return styles;
    }

    /** What is known outlives the resources that it was learnt in; they are large. */
    public static String release() throws Exception {
        List<CppApkAssets> files = files();
        List<WeakReference<CppAssetManager2>> released = new ArrayList<>();
        for (int i = 0; i < KnownStyles.MOST_RECENT; i++) {
            released.add(new WeakReference<>(used(resources(files, configuration(1, 0, DENSITY + i)))));
        }
        int alive = released.size();
        for (int i = 0; i < COLLECTIONS && alive > 0; i++) {
            System.gc();
            alive = (int) released.stream().filter(reference -> reference.get() != null).count();
        }
        return alive == 0 ? "" : alive + " of " + released.size() + " are still there";
    }

    private static CppAssetManager2 used(CppAssetManager2 resources) throws Exception {
        CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
        theme.ApplyStyle(constant("style", "Theme_Material_Light"), true);
        String difference = compare(theme, null, constant("attr", "buttonStyle"), 0, styleable("TextView"));
        if (!difference.isEmpty()) {
            throw new IllegalStateException(difference);
        }
        return resources;
    }

    private static Object styles(CppAssetManager2 resources) {
        return ((KnownStyles.Styled) (Object) resources).siamangStyles();
    }

    /** A theme without any help. */
    private static CppAssetManager2.Theme plain(CppAssetManager2 resources, int... styles) {
        CppAssetManager2.Theme theme = new CppAssetManager2.Theme(resources);
        for (int i = 0; i < styles.length; i++) {
            ((KnownStyles.Themed) (Object) theme).siamangApplyStyle(styles[i], i > 0);
        }
        return theme;
    }

    /** Whether a theme holds something else than one without any help. */
    private static String different(CppAssetManager2.Theme theme, CppAssetManager2.Theme plain) throws Exception {
        for (int attribute : styleable("Theme")) {
            String own = held(plain, attribute);
            String shared = held(theme, attribute);
            if (!own.equals(shared)) {
                return Integer.toHexString(attribute) + " is " + shared + " and not " + own;
            }
        }
        return theme.GetChangingConfigurations() == plain.GetChangingConfigurations() ? "" : "it changes with other configurations";
    }

    private static String held(CppAssetManager2.Theme theme, int attribute) {
        Ref<Res_value> value = new Ref<>(null);
        Ref<Integer> flags = new Ref<>(0);
        ApkAssetsCookie cookie = theme.GetAttribute(attribute, value, flags);
        return cookie.intValue() + (value.get() == null ? "" : ":" + value.get().dataType + ":" + value.get().data) + ":" + flags.get();
    }

    /** All elements of all layouts, as several classes of widgets ask for their attributes. */
    private static String compare(CppAssetManager2.Theme theme) throws Exception {
        int compared = 0;
        for (String layout : LAYOUTS) {
            ResXMLTree tree = new ResXMLTree(null);
            byte[] bytes = layout(layout);
            tree.setTo(bytes, bytes.length, true);
            ResXMLParser parser = new ResXMLParser(tree);
            parser.restart();
            for (int event = parser.next(); event != END_DOCUMENT && event != BAD_DOCUMENT; event = parser.next()) {
                if (event != START_TAG) {
                    continue;
                }
                for (String styleable : STYLEABLES) {
                    for (String attribute : DEFAULTS) {
                        String difference = compare(theme, parser, constant("attr", attribute), 0, styleable(styleable));
                        if (!difference.isEmpty()) {
                            return layout + ", " + styleable + ", " + attribute + ": " + difference;
                        }
                        compared++;
                    }
                }
            }
        }
        return compared > 500 ? "" : "only " + compared + " were compared";
    }

    private static String compare(CppAssetManager2.Theme theme, ResXMLParser parser, int attribute, int style, int[] wanted) throws Exception {
        int[] values = new int[wanted.length * ENTRIES];
        int[] indices = new int[wanted.length + 1];
        AttributeResolution10.ApplyStyle(theme, parser, attribute, style, wanted, wanted.length, values, indices);
        int[] ownValues = new int[values.length];
        int[] ownIndices = new int[indices.length];
        AttributeResolution10.class
                .getMethod(StylePatches.LOOK_UP, CppAssetManager2.Theme.class, ResXMLParser.class, int.class, int.class, int[].class, int.class, int[].class, int[].class)
                .invoke(null, theme, parser, attribute, style, wanted, wanted.length, ownValues, ownIndices);
        int at = Arrays.mismatch(values, ownValues);
        if (at >= 0) {
            return Integer.toHexString(wanted[at / ENTRIES]) + " has " + values[at] + " and not " + ownValues[at];
        }
        return Arrays.equals(indices, ownIndices) ? "" : "others are set";
    }

    private static CppAssetManager2 resources(int orientation, int mode) throws Exception {
        return resources(files(), orientation, mode);
    }

    /** Loaded anew, so that nothing is known of them. */
    private static List<CppApkAssets> files() throws Exception {
        return List.of(CppApkAssets.Load(framework().toString(), true));
    }

    private static CppAssetManager2 resources(List<CppApkAssets> files, int orientation, int mode) throws Exception {
        return resources(files, configuration(orientation, mode));
    }

    private static CppAssetManager2 resources(List<CppApkAssets> files, ResTable_config configuration) {
        CppAssetManager2 resources = new CppAssetManager2();
        resources.SetApkAssets(files, true);
        resources.SetConfiguration(configuration);
        return resources;
    }

    private static ResTable_config configuration(int orientation, int mode) {
        return configuration(orientation, mode, DENSITY);
    }

    private static ResTable_config configuration(int orientation, int mode, int density) {
        ResTable_config configuration = new ResTable_config();
        configuration.sdkVersion = 34;
        configuration.density = density;
        configuration.orientation = orientation;
        configuration.uiMode = mode;
        // Its script is computed; the numbers' is said.
        configuration.setBcp47Locale("ar-EG-u-nu-latn");
        return configuration;
    }

    private static Path framework() throws Exception {
        return Path.of(Class.forName("android.R").getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static byte[] layout(String name) throws IOException {
        try (InputStream in = KnownStylesProbe.class.getResourceAsStream("/res/layout/" + name + ".xml")) {
            return in.readAllBytes();
        }
    }

    private static int constant(String kind, String name) throws Exception {
        return Class.forName("com.android.internal.R$" + kind).getField(name).getInt(null);
    }

    private static int[] styleable(String name) throws Exception {
        return (int[]) Class.forName("com.android.internal.R$styleable").getField(name).get(null);
    }
}
