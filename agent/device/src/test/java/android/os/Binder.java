package android.os;

import java.io.FileDescriptor;

/** Stands before the framework's class of this name on the tests' class path; a binder that nobody calls from outside. */
public class Binder implements IBinder {
    private IInterface owner;

    public void attachInterface(IInterface attached, String descriptor) {
        owner = attached;
    }

    @Override
    public IInterface queryLocalInterface(String descriptor) {
        return owner;
    }

    protected boolean onTransact(int code, Parcel data, Parcel reply, int flags) throws RemoteException {
        return false;
    }

    @Override
    public String getInterfaceDescriptor() {
        return null;
    }

    @Override
    public boolean pingBinder() {
        return true;
    }

    @Override
    public boolean isBinderAlive() {
        return true;
    }

    @Override
    public void dump(FileDescriptor fd, String[] args) {
    }

    @Override
    public void dumpAsync(FileDescriptor fd, String[] args) {
    }

    @Override
    public void shellCommand(FileDescriptor in, FileDescriptor out, FileDescriptor err, String[] args, ShellCallback callback, ResultReceiver result) {
    }

    @Override
    public boolean transact(int code, Parcel data, Parcel reply, int flags) {
        return false;
    }

    @Override
    public void linkToDeath(DeathRecipient recipient, int flags) {
    }

    @Override
    public boolean unlinkToDeath(DeathRecipient recipient, int flags) {
        return true;
    }
}
