package siamang.conformance;

import android.app.ActivityManager;
import android.content.Intent;
import android.os.Bundle;

/** Launch modes, flags, results, and the life cycle that follows from them. */
public final class TaskPage extends Page {
    private static int made;
    private int count;
    private int number;

    @Override
    void fill(Bundle saved) {
        number = ++made;
        count = saved == null ? 0 : saved.getInt("count");
        show();
        on("count", new Act() {
            @Override
            public void go() {
                count++;
                show();
            }
        });
        on("log", new Act() {
            @Override
            public void go() {
                say(App.LOG.toString());
            }
        });
        on("clear log", new Act() {
            @Override
            public void go() {
                App.LOG.setLength(0);
                say("cleared");
            }
        });
        opens("again", TaskPage.class, 0);
        opens("again on top", TaskPage.class, Intent.FLAG_ACTIVITY_SINGLE_TOP);
        opens("to main", MainPage.class, Intent.FLAG_ACTIVITY_CLEAR_TOP | Intent.FLAG_ACTIVITY_SINGLE_TOP);
        opens("single top", SingleTopPage.class, 0);
        opens("single task", SingleTaskPage.class, 0);
        opens("no history", NoHistoryPage.class, 0);
        opens("floating", FloatingPage.class, 0);
        opens("all anew", MainPage.class, Intent.FLAG_ACTIVITY_NEW_TASK | Intent.FLAG_ACTIVITY_CLEAR_TASK);
        on("ask", new Act() {
            @Override
            public void go() {
                startActivityForResult(new Intent(TaskPage.this, AnswerPage.class).putExtra("asked", "question"), 7);
            }
        });
        on("ask by alias", new Act() {
            @Override
            public void go() {
                startActivityForResult(new Intent().setClassName(TaskPage.this, "siamang.conformance.AnswerAlias").putExtra("asked", "alias"), 8);
            }
        });
        on("ask a new task", new Act() {
            @Override
            public void go() {
                startActivityForResult(new Intent(TaskPage.this, AnswerPage.class).addFlags(Intent.FLAG_ACTIVITY_NEW_TASK), 9);
            }
        });
        opens("single", SinglePage.class, 0);
        opens("leaves no trace", AnswerPage.class, Intent.FLAG_ACTIVITY_NO_HISTORY);
        on("who am I", new Act() {
            @Override
            public void go() {
                ActivityManager manager = (ActivityManager) getSystemService(ACTIVITY_SERVICE);
                ActivityManager.RunningTaskInfo task = manager.getRunningTasks(1).get(0);
                say("top " + task.topActivity.getShortClassName() + " base " + task.baseActivity.getShortClassName() + " of " + task.numActivities
                        + " tasks " + manager.getAppTasks().size() + " named " + manager.getAppTasks().get(0).getTaskInfo().baseIntent.getComponent().getShortClassName()
                        + " in " + manager.getRunningAppProcesses().get(0).processName);
            }
        });
        on("end all", new Act() {
            @Override
            public void go() {
                finishAffinity();
            }
        });
        on("recreate", new Act() {
            @Override
            public void go() {
                recreate();
            }
        });
        on("not declared", new Act() {
            @Override
            public void go() {
                startActivity(new Intent(TaskPage.this, App.class));
            }
        });
    }

    private void show() {
        say("task " + number + " count " + count + " root " + isTaskRoot());
    }

    @Override
    protected void onSaveInstanceState(Bundle out) {
        super.onSaveInstanceState(out);
        out.putInt("count", count);
    }

    @Override
    protected void onActivityResult(int request, int result, Intent data) {
        App.log("Task.result");
        say("result " + request + " " + result + " " + (data == null ? null : data.getStringExtra("answer")));
    }
}
