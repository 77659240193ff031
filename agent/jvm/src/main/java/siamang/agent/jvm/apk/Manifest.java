package siamang.agent.jvm.apk;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What an AndroidManifest.xml says, as far as the host needs it before the framework reads it anew. */
public final class Manifest {
    public String pkg = "";
    /** Null if the app has none of its own. */
    public String application;
    public String componentFactory;
    /** As people and as stores count it. */
    public String version = "";
    public int minSdk = 1;
    /** An app's own resources have numbers that begin so. */
    private static final String OWN_RESOURCE = "@7f[0-9a-f]{6}";

    private int targetSdk;
    /** The activity behind the launcher's icon (of an alias: its target), or null. */
    public String launcher;
    /** The component that the launcher starts: the alias itself, where it is one. */
    public String launcherComponent;
    /** Not null in a part of a split APK. */
    public String split;
    /** It refers to resources of the app's own. */
    public boolean namesResources;
    public final List<String> activities = new ArrayList<>();
    public final List<String> permissions = new ArrayList<>();
    public final List<String> deepLinks = new ArrayList<>();
    /** Receivers with the actions they listen to. */
    public final Map<String, List<String>> receivers = new LinkedHashMap<>();

    public int targetSdk() {
        return targetSdk > 0 ? targetSdk : minSdk;
    }

    /** The package alone, without any code of its own. */
    public Manifest plain() {
        Manifest plain = new Manifest();
        plain.pkg = pkg;
        plain.minSdk = minSdk;
        plain.targetSdk = targetSdk;
        return plain;
    }

    static Manifest read(byte[] bytes) throws BadApkException {
        Manifest manifest = new Manifest();
        BinaryXml.parse(bytes, manifest.new Reader());
        if (manifest.pkg == null || manifest.pkg.isEmpty()) {
            throw new BadApkException("AndroidManifest.xml names no package");
        }
        return manifest;
    }

    /** A name as the manifest writes it: absolute, or relative to the package. */
    private String full(Object name) {
        String text = String.valueOf(name);
        if (text.startsWith(".")) {
            return pkg + text;
        }
        return text.indexOf('.') < 0 ? pkg + "." + text : text;
    }

    private final class Reader implements BinaryXml.Handler {
        private String component;
        private String target;
        private String receiver;
        private boolean enabled;
        private boolean main;
        private boolean launcherCategory;
        private boolean view;
        private String scheme;
        private String host;

        @Override
        public void start(String tag, Map<String, Object> attributes) {
            Object name = attributes.get("name");
            namesResources |= attributes.values().stream().anyMatch(value -> String.valueOf(value).matches(OWN_RESOURCE));
            switch (String.valueOf(tag)) {
                case "manifest" -> {
                    pkg = String.valueOf(attributes.get("package"));
                    split = (String) attributes.get("split");
                    Object given = attributes.get("versionName");
                    Object code = attributes.get("versionCode");
                    version = (given == null ? "" : String.valueOf(given)) + (code == null ? "" : " (" + code + ")");
                }
                case "uses-sdk" -> {
                    minSdk = attributes.get("minSdkVersion") instanceof Integer level ? level : minSdk;
                    targetSdk = attributes.get("targetSdkVersion") instanceof Integer level ? level : targetSdk;
                }
                case "uses-permission", "uses-permission-sdk-23" -> {
                    if (name != null) {
                        permissions.add(String.valueOf(name));
                    }
                }
                case "application" -> {
                    application = name == null ? null : full(name);
                    Object factory = attributes.get("appComponentFactory");
                    componentFactory = factory == null ? null : full(factory);
                }
                case "activity", "activity-alias", "receiver", "service", "provider" -> component(tag, attributes);
                case "intent-filter" -> {
                    main = launcherCategory = view = false;
                    scheme = host = null;
                }
                case "action" -> {
                    main |= "android.intent.action.MAIN".equals(name);
                    view |= "android.intent.action.VIEW".equals(name);
                    if (receiver != null && name != null) {
                        receivers.get(receiver).add(String.valueOf(name));
                    }
                }
                case "category" -> launcherCategory |= "android.intent.category.LAUNCHER".equals(name);
                case "data" -> {
                    scheme = attributes.get("scheme") instanceof String text ? text : scheme;
                    host = attributes.get("host") instanceof String text ? text : host;
                }
                default -> { }
            }
        }

        private void component(String tag, Map<String, Object> attributes) {
            component = full(attributes.get("name"));
            target = component;
            receiver = null;
            enabled = !Boolean.FALSE.equals(attributes.get("enabled"));
            if (tag.equals("activity")) {
                activities.add(component);
            } else if (tag.equals("activity-alias") && attributes.get("targetActivity") != null) {
                target = full(attributes.get("targetActivity"));
            } else if (tag.equals("receiver")) {
                receiver = component;
                receivers.put(receiver, new ArrayList<>());
            }
        }

        @Override
        public void end(String tag) {
            if ("receiver".equals(tag)) {
                receiver = null;
            }
            if (!"intent-filter".equals(tag) || component == null || !enabled) {
                return;
            }
            if (main && launcherCategory && launcher == null) {
                launcher = target;
                launcherComponent = component;
            }
            if (view && scheme != null && host != null) {
                deepLinks.add(scheme + "://" + host);
            }
        }
    }
}
