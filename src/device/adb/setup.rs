//! What `adb_client` does well: sending files. It blocks and knows no deadline, so it has a thread of its own and is left
//! to itself when it takes too long.

use std::io::Cursor;
use std::net::{SocketAddr, ToSocketAddrs};

use adb_client::server_device::ADBServerDevice;

use super::names::{RemotePath, Serial};
use super::wire::{AdbError, Server};

/// Sends a file to a device.
pub async fn push(
    server: &Server,
    serial: &Serial,
    bytes: impl AsRef<[u8]> + Send + 'static,
    to: &RemotePath,
) -> Result<(), AdbError> {
    let (address, serial, path) = (server.address().to_owned(), serial.to_string(), to.to_string());
    let send = async move {
        let blocking = tokio::task::spawn_blocking(move || -> Result<(), AdbError> {
            let broken = |reason: &str| AdbError::Broken(format!("cannot send {path}: {reason}"));
            let found = address.to_socket_addrs().map_err(|error| broken(&error.to_string()))?;
            let address = found.into_iter().find_map(|address| match address {
                SocketAddr::V4(address) => Some(address),
                SocketAddr::V6(_) => None,
            });
            let address = address.ok_or_else(|| broken("the adb server has no IPv4 address"))?;
            let mut device = ADBServerDevice::new(serial, Some(address));
            device.push(Cursor::new(bytes), &path).map_err(|error| broken(&error.to_string()))
        });
        blocking.await.map_err(|error| AdbError::Broken(error.to_string()))?
    };
    server.within(server.deadlines().push, to.as_str(), send).await
}
