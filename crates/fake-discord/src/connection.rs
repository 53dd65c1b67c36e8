//! TCP connections that can be cut before, or in the middle of, a response.

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections that can be cut.
pub(crate) struct CuttableListener(pub(crate) TcpListener);

/// Cuts one connection at its next response.
#[derive(Clone, Default)]
pub(crate) struct ConnectionCutter(Arc<Mutex<Option<Cut>>>);

/// How a connection ends.
#[derive(Clone, Copy)]
pub(crate) enum Cut {
    /// It is closed before the response.
    Close,
    /// It is reset before the response.
    Reset,
    /// It is closed after the headers and the first byte of the body.
    AfterHeaders,
}

impl ConnectionCutter {
    pub(crate) fn cut(&self, how: Cut) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(how);
    }

    fn get(&self) -> Option<Cut> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that can be cut.
pub(crate) struct CuttableStream {
    stream: TcpStream,
    cutter: ConnectionCutter,
}

impl Listener for CuttableListener {
    type Io = CuttableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (CuttableStream, SocketAddr) {
        loop {
            if let Ok((stream, address)) = self.0.accept().await {
                let _ = stream.set_nodelay(true);
                return (CuttableStream { stream, cutter: ConnectionCutter::default() }, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, CuttableListener>> for ConnectionCutter {
    fn connect_info(incoming: IncomingStream<'_, CuttableListener>) -> Self {
        incoming.io().cutter.clone()
    }
}

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let gone = Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        match self.cutter.get() {
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
            Some(Cut::Close) => gone,
            Some(Cut::Reset) => {
                // Closing without lingering sends RST instead of FIN.
                let _ = self.stream.set_zero_linger();
                gone
            }
            Some(Cut::AfterHeaders) => {
                let headers = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
                let first = &bytes[..bytes.len().min(headers + 1)];
                let written = Pin::new(&mut self.stream).poll_write(context, first);
                if written.is_ready() {
                    self.cutter.cut(Cut::Close);
                }
                written
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.cutter.get() {
            Some(_) => Poll::Ready(Ok(())),
            None => Pin::new(&mut self.stream).poll_shutdown(context),
        }
    }
}
