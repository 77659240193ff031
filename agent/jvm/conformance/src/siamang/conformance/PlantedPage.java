package siamang.conformance;

import android.os.Bundle;

/** The whole of an app whose failure takes two steps, and whose thread hears of nothing: no later life may see it. */
public final class PlantedPage extends Page {
    private static final String CLINGING = "clinging";

    private boolean armed;

    @Override
    void fill(Bundle saved) {
        Thread[] threads = new Thread[1000];
        int count = Thread.currentThread().getThreadGroup().enumerate(threads, true);
        for (int i = 0; i < count; i++) {
            // One of this life may be there, from before the page was turned.
            if (threads[i].getName().equals(CLINGING) && threads[i].getClass().getClassLoader() != PlantedPage.class.getClassLoader()) {
                throw new IllegalStateException("of a life before");
            }
        }
        say("planted");
        on("arm", new Act() {
            @Override
            public void go() {
                armed = true;
                say("armed");
            }
        });
        on("crash", new Act() {
            @Override
            public void go() {
                if (armed) {
                    throw new IllegalArgumentException("planted");
                }
            }
        });
        on("cling", new Act() {
            @Override
            public void go() {
                new Thread(CLINGING) {
                    @Override
                    public void run() {
                        while (true) {
                            waitForEver();
                        }
                    }
                }.start();
            }
        });
    }

    private static synchronized void waitForEver() {
        try {
            PlantedPage.class.wait();
        } catch (InterruptedException e) {
            App.log("interrupted");
        }
    }
}
