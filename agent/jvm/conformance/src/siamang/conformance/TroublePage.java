package siamang.conformance;

import android.animation.ValueAnimator;
import android.media.audiofx.Equalizer;
import android.os.Bundle;
import java.io.File;
import java.io.FileOutputStream;
import java.lang.reflect.Method;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What apps do wrong, and what they must not be able to do to the machine. */
public final class TroublePage extends Page {
    private int turns;

    @Override
    void fill(Bundle saved) {
        say("trouble");
        on("crash", new Act() {
            @Override
            public void go() {
                throw new IllegalStateException("planted");
            }
        });
        on("crash elsewhere", new Act() {
            @Override
            public void go() {
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        throw new IllegalStateException("planted elsewhere");
                    }
                }).start();
            }
        });
        on("exit", new Act() {
            @Override
            public void go() {
                System.exit(3);
            }
        });
        on("kill", new Act() {
            @Override
            public void go() {
                android.os.Process.killProcess(android.os.Process.myPid());
            }
        });
        on("hang", new Act() {
            @Override
            public void go() {
                while (turns >= 0) {
                    turns = (turns + 1) % 1000;
                }
            }
        });
        on("wait for ever", new Act() {
            @Override
            public void go() throws InterruptedException {
                synchronized (TroublePage.this) {
                    TroublePage.this.wait();
                }
            }
        });
        on("accept", new Act() {
            @Override
            public void go() throws Exception {
                new ServerSocket(0).accept();
            }
        });
        on("exit by name", new Act() {
            @Override
            public void go() throws Exception {
                Class.forName("java.lang.System").getMethod("exit", int.class).invoke(null, 7);
            }
        });
        on("halt by name", new Act() {
            @Override
            public void go() throws Exception {
                Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 7);
            }
        });
        on("exit by any name", new Act() {
            @Override
            public void go() throws Exception {
                for (Method method : System.class.getMethods()) {
                    if (method.getName().equals("exit")) {
                        method.invoke(null, 7);
                    }
                }
            }
        });
        on("recurse", new Act() {
            @Override
            public void go() {
                say("depth " + deep(0));
            }
        });
        on("heap", new Act() {
            @Override
            public void go() {
                List<byte[]> all = new ArrayList<byte[]>();
                while (turns >= 0) {
                    all.add(new byte[1 << 20]);
                }
            }
        });
        on("take memory", new Act() {
            @Override
            public void go() {
                List<ByteBuffer> all = new ArrayList<ByteBuffer>();
                while (all.size() < 56) {
                    all.add(ByteBuffer.allocateDirect(16 << 20));
                }
                while (all.size() > turns) {
                    turns = (turns + 1) % 50;
                }
            }
        });
        on("write files", new Act() {
            @Override
            public void go() throws Exception {
                for (int i = 0; i < 200; i++) {
                    FileOutputStream file = new FileOutputStream(new File(getFilesDir(), "large" + i));
                    file.write(new byte[1 << 20]);
                    file.close();
                }
                while (turns >= 0) {
                    turns = (turns + 1) % 1000;
                }
            }
        });
        on("threads", new Act() {
            @Override
            public void go() {
                for (int i = 0; i < 10_000; i++) {
                    new Thread(new Runnable() {
                        @Override
                        public void run() {
                            try {
                                Thread.sleep(1_000_000);
                            } catch (InterruptedException e) {
                                turns++;
                            }
                        }
                    }).start();
                }
            }
        });
        on("spin", new Act() {
            @Override
            public void go() {
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        while (turns >= 0) {
                            turns = (turns + 1) % 1000;
                        }
                    }
                }).start();
                ValueAnimator animator = ValueAnimator.ofInt(0, 1);
                animator.setRepeatCount(ValueAnimator.INFINITE);
                animator.start();
                say("spinning");
            }
        });
        on("print", new Act() {
            @Override
            public void go() {
                String line = new String(new char[1 << 16]);
                for (int i = 0; i < 1 << 13; i++) {
                    System.out.println(line);
                    System.err.println(line);
                }
                say("printed");
            }
        });
        on("delete", new Act() {
            @Override
            public void go() {
                delete(getFilesDir().getParentFile());
                say("deleted " + getFilesDir().exists());
            }
        });
        on("native", new Act() {
            @Override
            public void go() {
                System.loadLibrary("nothere");
            }
        });
        on("equalizer", new Act() {
            @Override
            public void go() {
                say("level " + new Equalizer(0, 1).getBandLevel((short) 0));
            }
        });
        on("escape", new Act() {
            @Override
            public void go() {
                say("escaped " + escapes());
            }
        });
        on("draw lots", new Act() {
            @Override
            public void go() {
                say(Math.random() + " " + new java.util.Random().nextInt() + " " + java.util.UUID.randomUUID() + " "
                        + new java.security.SecureRandom().nextInt() + " " + java.util.concurrent.ThreadLocalRandom.current().nextInt() + " "
                        + System.currentTimeMillis() + " " + System.nanoTime() + " " + new java.util.Date().getTime() + " "
                        + java.util.Calendar.getInstance().getTimeInMillis());
            }
        });
    }

    private static int deep(int depth) {
        return 1 + deep(depth + 1);
    }

    private static void delete(File file) {
        File[] below = file.listFiles();
        if (below != null) {
            for (File child : below) {
                delete(child);
            }
        }
        file.delete();
    }

    /** What an app can do to the machine it runs on; nothing, if the fence holds. */
    private static List<String> escapes() {
        List<String> done = new ArrayList<String>();
        try (Socket socket = new Socket("1.1.1.1", 80)) {
            done.add("network");
        } catch (Exception e) {
            // As it should be.
        }
        for (String path : new String[] {"/usr/siamang", "/siamang", "/etc/siamang", "/var/siamang"}) {
            try (FileOutputStream out = new FileOutputStream(path)) {
                done.add(path);
            } catch (Exception e) {
                // As it should be.
            }
        }
        for (String path : new String[] {"/root", "/home", "/etc/passwd"}) {
            if (new File(path).exists()) {
                done.add(path);
            }
        }
        try {
            if (new ProcessBuilder("mount", "-t", "tmpfs", "none", "/tmp").start().waitFor() == 0) {
                done.add("mount");
            }
        } catch (Exception e) {
            // As it should be.
        }
        return done;
    }
}
