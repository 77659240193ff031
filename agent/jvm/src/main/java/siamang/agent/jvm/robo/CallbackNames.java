package siamang.agent.jvm.robo;

import java.util.Set;
import org.objectweb.asm.Opcodes;

/**
 * Which methods of an app are callbacks: those that Android calls by their well-known names. What only draws and measures
 * is none, since it follows the frames and not what is done; nor are the libraries that an app brings along.
 */
final class CallbackNames {
    private static final Set<String> OTHERS = Set.of(
            "run", "call", "handleMessage", "doInBackground", "afterTextChanged", "beforeTextChanged", "publishResults", "deliverResult");
    private static final Set<String> FRAMES = Set.of(
            "onDraw", "onDrawForeground", "onMeasure", "onLayout", "onLayoutChange", "onPreDraw", "onGlobalLayout", "onSizeChanged",
            "onAnimationUpdate", "onDrawScrollBars", "onResolveDrawables", "onRtlPropertiesChanged", "onCreateDrawableState", "onInitializeAccessibilityNodeInfo",
            "onPopulateNodeForVirtualView", "onPopulateAccessibilityEvent", "onInitializeAccessibilityEvent");
    private static final String[] LIBRARIES = {"androidx/", "android/", "kotlin/", "kotlinx/", "com/google/android/"};
    private static final int NOT_CALLED = Opcodes.ACC_PRIVATE | Opcodes.ACC_STATIC | Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_BRIDGE;

    private CallbackNames() {
    }

    static boolean isCallback(String owner, String name, int access) {
        if ((access & NOT_CALLED) != 0 || !(OTHERS.contains(name) || isOn(name) && !FRAMES.contains(name))) {
            return false;
        }
        for (String library : LIBRARIES) {
            if (owner.startsWith(library)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOn(String name) {
        return name.length() > 2 && name.startsWith("on") && Character.isUpperCase(name.charAt(2));
    }
}
