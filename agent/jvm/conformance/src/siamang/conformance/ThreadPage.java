package siamang.conformance;

import android.animation.ValueAnimator;
import android.os.Bundle;
import android.os.SystemClock;
import java.io.IOException;
import java.net.ServerSocket;

/** Threads beside the main one, and what time they see. */
public final class ThreadPage extends Page {
    private static final int MUCH = 30_000_000;

    private final StringBuffer order = new StringBuffer();
    private int turns;

    @Override
    void fill(Bundle saved) {
        say("threads");
        on("work among frames", new Act() {
            @Override
            public void go() {
                final long began = SystemClock.uptimeMillis();
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        int sum = 0;
                        for (int i = 0; i < MUCH; i++) {
                            sum += i ^ turns;
                        }
                        turns = sum;
                        sayLater("late by " + (SystemClock.uptimeMillis() - began) + " ms");
                    }
                }).start();
                ValueAnimator animator = ValueAnimator.ofInt(0, 1);
                animator.setDuration(200);
                animator.start();
            }
        });
        on("doze", new Act() {
            @Override
            public void go() {
                final long began = SystemClock.uptimeMillis();
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        SystemClock.sleep(10_000);
                        sayLater("dozed for " + (SystemClock.uptimeMillis() - began) + " ms");
                    }
                }).start();
                say("dozing");
            }
        });
        on("sleep together", new Act() {
            @Override
            public void go() {
                order.setLength(0);
                for (int i = 1; i <= 8; i++) {
                    final int number = i;
                    new Thread(new Runnable() {
                        @Override
                        public void run() {
                            try {
                                Thread.sleep(50);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            order.append(" ").append(number);
                            sayLater("woke as" + order);
                        }
                    }).start();
                }
            }
        });
        on("post until later", new Act() {
            @Override
            public void go() {
                post(SystemClock.uptimeMillis() + 500);
            }
        });
        on("post for ever", new Act() {
            @Override
            public void go() {
                post(Long.MAX_VALUE);
                say("posting");
            }
        });
        on("serve", new Act() {
            @Override
            public void go() throws IOException {
                final ServerSocket door = new ServerSocket(0);
                new Thread(new Runnable() {
                    @Override
                    public void run() {
                        try {
                            door.accept();
                        } catch (IOException e) {
                            turns++;
                        }
                    }
                }).start();
                say("serving");
            }
        });
    }

    /** Sends itself again at once, as the fling of a gallery does, until the moment has come. */
    private void post(final long until) {
        list.post(new Runnable() {
            @Override
            public void run() {
                if (SystemClock.uptimeMillis() < until) {
                    list.post(this);
                } else {
                    say("posted until later");
                }
            }
        });
    }

    private void sayLater(final String text) {
        runOnUiThread(new Runnable() {
            @Override
            public void run() {
                say(text);
            }
        });
    }
}
