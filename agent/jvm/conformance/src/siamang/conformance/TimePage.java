package siamang.conformance;

import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.Looper;
import android.os.SystemClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.StampedLock;

/** What waits for a time in the JDK, and when it goes on. */
public final class TimePage extends Page {
    private final StringBuffer told = new StringBuffer();
    private final Object lock = new Object();
    private long began;

    /** Work that may be interrupted. */
    private interface Work {
        void go() throws Exception;
    }

    @Override
    void fill(Bundle saved) {
        say("time");
        on("timer", new Act() {
            @Override
            public void go() {
                begin();
                timer();
            }
        });
        on("timer fails", new Act() {
            @Override
            public void go() {
                new Timer(true).schedule(new TimerTask() {
                    @Override
                    public void run() {
                        throw new IllegalStateException("planted in a timer");
                    }
                }, 1000);
            }
        });
        on("scheduler", new Act() {
            @Override
            public void go() {
                begin();
                scheduler();
            }
        });
        on("leave behind", new Act() {
            @Override
            public void go() {
                say("left behind");
                Executors.newScheduledThreadPool(1).schedule(told("of before"), 1000, TimeUnit.MILLISECONDS);
                new Timer().schedule(told("of before"), 1000);
                ExecutorService pool = Executors.newFixedThreadPool(2);
                for (int i = 0; i < 5; i++) {
                    pool.submit(late());
                    new Later().execute();
                }
                inThread(new Work() {
                    @Override
                    public void go() {
                        while (true) {
                            try {
                                late().run();
                            } catch (Throwable e) {
                                told.append(e);
                                mark();
                            }
                        }
                    }
                });
            }
        });
        on("waits", new Act() {
            @Override
            public void go() {
                begin();
                waits();
            }
        });
        on("waits on main", new Act() {
            @Override
            public void go() throws Exception {
                begin();
                final CountDownLatch latch = new CountDownLatch(1);
                inThread(new Work() {
                    @Override
                    public void go() throws InterruptedException {
                        Thread.sleep(250);
                        latch.countDown();
                    }
                });
                tell("latched " + latch.await(3, TimeUnit.SECONDS));
                synchronized (lock) {
                    lock.wait(400);
                }
                tell("waited");
                HandlerThread messages = new HandlerThread("messages");
                messages.start();
                final CountDownLatch sent = new CountDownLatch(1);
                new Handler(messages.getLooper()).postDelayed(new Runnable() {
                    @Override
                    public void run() {
                        sent.countDown();
                    }
                }, 300);
                tell("sent " + sent.await(2, TimeUnit.SECONDS));
            }
        });
        on("rarer waits", new Act() {
            @Override
            public void go() {
                begin();
                rarerWaits();
            }
        });
        on("in real time", new Act() {
            @Override
            public void go() {
                inThread(new Work() {
                    @Override
                    public void go() throws Exception {
                        new ForkJoinPool(1).awaitTermination(1000, TimeUnit.SECONDS);
                    }
                });
                say("waiting for a pool");
            }
        });
    }

    private void timer() {
        final Timer timer = new Timer();
        timer.schedule(told("once"), 1500);
        timer.scheduleAtFixedRate(new TimerTask() {
            private int times;

            @Override
            public void run() {
                tell("rate");
                if (++times == 3) {
                    cancel();
                }
            }
        }, 400, 300);
        timer.schedule(new TimerTask() {
            private int times;

            @Override
            public void run() {
                tell("delay");
                pause(50);
                if (++times == 2) {
                    timer.cancel();
                    try {
                        timer.schedule(told("never"), 1);
                    } catch (IllegalStateException e) {
                        tell(e.getMessage());
                    }
                }
            }
        }, 2000, 200);
        // Not the first in the queue: the timer's thread, which is woken for that one, might take it away before the purge.
        TimerTask never = told("never");
        timer.schedule(never, 450);
        tell("taken back " + never.cancel() + " of " + timer.purge());
    }

    private static Runnable late() {
        return new Runnable() {
            @Override
            public void run() {
                for (int i = 0; i < 4; i++) {
                    pause(1000);
                    mark();
                }
            }
        };
    }

    /** A callback on the main thread, which is seen. */
    private static void mark() {
        new Handler(Looper.getMainLooper()).post(new Runnable() {
            @Override
            public void run() {
            }
        });
    }

    /** What waits for those that were begun before it. */
    private static final class Later extends AsyncTask<Void, Void, Void> {
        @Override
        protected Void doInBackground(Void... none) {
            late().run();
            return null;
        }
    }

    private TimerTask told(final String text) {
        return new TimerTask() {
            @Override
            public void run() {
                tell(text);
            }
        };
    }

    private void scheduler() {
        final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
        executor.schedule(new Runnable() {
            @Override
            public void run() {
                tell("once");
            }
        }, 1500, TimeUnit.MILLISECONDS);
        final List<ScheduledFuture<?>> futures = new ArrayList<ScheduledFuture<?>>();
        futures.add(executor.scheduleAtFixedRate(new Runnable() {
            private int times;

            @Override
            public void run() {
                tell("rate");
                if (++times == 3) {
                    futures.get(0).cancel(false);
                }
            }
        }, 300, 300, TimeUnit.MILLISECONDS));
        executor.scheduleWithFixedDelay(new Runnable() {
            private int times;

            @Override
            public void run() {
                tell("pause");
                pause(50);
                if (++times == 2) {
                    executor.shutdown();
                }
            }
        }, 1600, 250, TimeUnit.MILLISECONDS);
        ScheduledThreadPoolExecutor own = new ScheduledThreadPoolExecutor(1) {
            @Override
            protected void afterExecute(Runnable work, Throwable failure) {
                tell("own");
            }
        };
        own.schedule(new Runnable() {
            @Override
            public void run() {
                pause(10);
            }
        }, 700, TimeUnit.MILLISECONDS);
        own.shutdown();
        ScheduledFuture<?> never = executor.schedule(new Runnable() {
            @Override
            public void run() {
                tell("never");
            }
        }, 5, TimeUnit.MILLISECONDS);
        tell("due in " + never.getDelay(TimeUnit.MILLISECONDS) + " taken back " + never.cancel(false));
    }

    private void waits() {
        inThread(new Work() {
            @Override
            public void go() throws Exception {
                synchronized (TimePage.this) {
                    TimePage.this.wait(1500);
                }
                tell("waited");
            }
        });
        inThread(new Work() {
            @Override
            public void go() throws Exception {
                synchronized (lock) {
                    lock.wait(5000);
                }
                tell("notified");
            }
        });
        final Thread notifier = inThread(new Work() {
            @Override
            public void go() throws Exception {
                Thread.sleep(400);
                synchronized (lock) {
                    lock.notifyAll();
                }
                Thread.sleep(800);
            }
        });
        inThread(new Work() {
            @Override
            public void go() throws Exception {
                tell("polled " + new LinkedBlockingQueue<String>().poll(700, TimeUnit.MILLISECONDS));
                TimeUnit.MILLISECONDS.sleep(50);
                tell("slept");
                notifier.join(10_000);
                tell("joined");
            }
        });
        inThread(new Work() {
            @Override
            public void go() throws Exception {
                FutureTask<String> never = new FutureTask<String>(new Runnable() {
                    @Override
                    public void run() {
                        tell("never");
                    }
                }, null);
                try {
                    never.get(800, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    tell("timed out");
                }
            }
        });
    }

    /** What one thread waits for and does not get, and then what another one brings. */
    private void rarerWaits() {
        final CyclicBarrier met = new CyclicBarrier(2);
        final Exchanger<String> exchanger = new Exchanger<String>();
        inThread(new Work() {
            @Override
            public void go() throws Exception {
                // The ripple of the touch takes the clock along, and nobody is woken before it is over.
                Thread.sleep(400);
                LinkedBlockingDeque<String> deque = new LinkedBlockingDeque<String>(1);
                tell("first " + deque.pollFirst(100, TimeUnit.MILLISECONDS));
                tell("last " + deque.pollLast(100, TimeUnit.MILLISECONDS));
                deque.add("full");
                tell("offered " + deque.offerFirst("more", 100, TimeUnit.MILLISECONDS) + " " + deque.offerLast("more", 100, TimeUnit.MILLISECONDS));
                tell("transferred " + new LinkedTransferQueue<String>().tryTransfer("nobody", 100, TimeUnit.MILLISECONDS));
                try {
                    exchanger.exchange("nobody", 100, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    tell("not exchanged");
                }
                StampedLock stamped = new StampedLock();
                stamped.writeLock();
                tell("locked " + stamped.tryReadLock(100, TimeUnit.MILLISECONDS) + " " + stamped.tryWriteLock(100, TimeUnit.MILLISECONDS));
                try {
                    new Phaser(1).awaitAdvanceInterruptibly(0, 100, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    tell("not advanced");
                }
                tell("met " + (met.await(5000, TimeUnit.MILLISECONDS) >= 0));
                CyclicBarrier alone = new CyclicBarrier(2);
                try {
                    alone.await(100, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    tell("not met, broken " + alone.isBroken());
                }
                tell("got " + exchanger.exchange("here", 5000, TimeUnit.MILLISECONDS));
            }
        });
        inThread(new Work() {
            @Override
            public void go() throws Exception {
                Thread.sleep(1450);
                met.await();
                Thread.sleep(400);
                exchanger.exchange("there");
            }
        });
    }

    private void begin() {
        began = SystemClock.uptimeMillis();
        told.setLength(0);
    }

    private void tell(String what) {
        told.append(what).append(' ').append(SystemClock.uptimeMillis() - began).append(", ");
        runOnUiThread(new Runnable() {
            @Override
            public void run() {
                say(told.toString());
            }
        });
    }

    private static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Thread inThread(final Work work) {
        Thread thread = new Thread(new Runnable() {
            @Override
            public void run() {
                try {
                    work.go();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
        });
        thread.start();
        return thread;
    }
}
