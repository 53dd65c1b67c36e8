//! A stand-in for Discord: REST and gateway on the loopback address, and people who use it.
//!
//! | question | file |
//! |---|---|
//! | What is there? | [`model`] |
//! | What does a bot ask, and what goes wrong? | [`rest`] |
//! | What is refused as too long or too much? | [`limits`] |
//! | What is a bot told? | [`gateway`] |
//! | What do people do and see? | [`people`] |
//! | How is the program run? | [`bot`] |

#![allow(dead_code, reason = "each program uses its own part")]

pub mod bot;
pub mod gateway;
pub mod limits;
pub mod model;
pub mod people;
pub mod rest;

use axum::body::Body;
use axum::extract::connect_info::Connected;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, FromRequestParts, Multipart, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::serve::{IncomingStream, Listener};
use axum::{Router, body};
use gateway::Frame;
use model::{Id, Member, Message, World, may};
use people::{Person, Post};
use rest::{Asked, Call, Fault, File, Storm, Trouble};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How long a test waits for something that should happen soon: as long as the bot gives an answer under way before it
/// posts what is owed, and a little more.
pub const PATIENCE: Duration = Duration::from_secs(12);

/// The world, and who waits for it to change.
pub struct Shared {
    world: Mutex<World>,
    changed: watch::Sender<u64>,
}

impl Shared {
    /// Looks at the world.
    pub fn look<T>(&self, see: impl FnOnce(&World) -> T) -> T {
        see(&self.world.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the world, and tells those who wait.
    pub fn change<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let changed = change(&mut self.world.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.send_modify(|times| *times += 1);
        changed
    }
}

/// Discord, seen from a server that has one channel, where the bot is.
#[derive(Clone)]
pub struct Discord {
    pub shared: Arc<Shared>,
    pub server: Id,
    pub here: Id,
}

impl Discord {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut world = World::new(listener.local_addr().unwrap().to_string());
        let (server, here) = world.found_server("Asgard");
        let shared = Arc::new(Shared { world: Mutex::new(world), changed: watch::channel(0).0 });
        let app = Router::new().fallback(answer).layer(DefaultBodyLimit::disable()).with_state(Arc::clone(&shared));
        let service = app.into_make_service_with_connect_info::<Scissors>();
        tokio::spawn(async move { axum::serve(Door(listener), service).await });
        Self { shared, server, here }
    }

    /// Founds another server with one channel, where the bot is, too; gives the same Discord as it is seen from there.
    pub fn another_server(&self, name: &str) -> Self {
        let (server, here) = self.shared.change(|world| {
            let (server, here) = world.found_server(name);
            let shown = world.guild_json(&world.guilds[&server], true);
            world.dispatch("GUILD_CREATE", Some(server), &shown);
            (server, here)
        });
        Self { shared: Arc::clone(&self.shared), server, here }
    }

    /// Gives the address for REST.
    pub fn base(&self) -> String {
        format!("http://{}", self.shared.look(|world| world.address.clone()))
    }

    /// Brings a person into the server.
    pub fn user(&self, name: &str) -> Person {
        let id = self.shared.change(|world| world.add_user(name, false));
        self.welcome(id)
    }

    /// Brings somebody into the server who is known from another one.
    pub fn welcome(&self, id: Id) -> Person {
        let member = Member { nick: None, permissions: may::PERSON };
        self.shared.change(|world| world.guilds.get_mut(&self.server).unwrap().members.insert(id, member));
        Person::new(self.clone(), id, self.here)
    }

    /// Adds a channel to the server.
    pub fn channel(&self, name: &str) -> Id {
        self.shared.change(|world| {
            let id = world.add_channel(Some(self.server), model::TEXT, name);
            let shown = world.channel_json(&world.channels[&id]);
            world.dispatch("CHANNEL_CREATE", Some(self.server), &shown);
            id
        })
    }

    /// Opens a thread in the server's channel; it is archived when nobody has used it for a day.
    pub fn thread(&self, name: &str) -> Id {
        self.shared.change(|world| {
            let id = world.add_channel(Some(self.server), model::THREAD, name);
            world.channels.get_mut(&id).unwrap().parent = Some(self.here);
            let shown = world.channel_json(&world.channels[&id]);
            world.dispatch("THREAD_CREATE", Some(self.server), &shown);
            id
        })
    }

    /// Deletes a channel with all that was said in it.
    pub fn delete_channel(&self, id: Id) {
        self.shared.change(|world| {
            let shown = world.channel_json(&world.channels[&id]);
            world.channels.remove(&id);
            world.dispatch("CHANNEL_DELETE", Some(self.server), &shown);
        });
    }

    /// Archives a thread, and says so.
    pub fn archive(&self, id: Id) {
        self.shared.change(|world| {
            world.channels.get_mut(&id).unwrap().archived = true;
            let shown = world.channel_json(&world.channels[&id]);
            world.dispatch("THREAD_UPDATE", Some(self.server), &shown);
        });
    }

    /// Deletes a thread with all that was said in it.
    pub fn delete_thread(&self, id: Id) {
        self.shared.change(|world| {
            let parent = world.channels[&id].parent.map(|parent| parent.to_string());
            let (thread, guild) = (id.to_string(), self.server.to_string());
            let gone = json!({ "id": thread, "guild_id": guild, "parent_id": parent, "type": model::THREAD });
            world.channels.remove(&id);
            world.dispatch("THREAD_DELETE", Some(self.server), &gone);
        });
    }

    /// Shows the bot the door.
    pub fn expel_bot(&self) {
        self.shared.change(|world| {
            let bot = world.bot;
            world.guilds.get_mut(&self.server).unwrap().members.remove(&bot);
            world.dispatch("GUILD_DELETE", Some(self.server), &json!({ "id": self.server.to_string() }));
        });
    }

    /// Invites the bot again.
    pub fn invite_bot(&self) {
        self.shared.change(|world| {
            let member = Member { nick: None, permissions: may::BOT };
            world.guilds.get_mut(&self.server).unwrap().members.insert(world.bot, member);
            let shown = world.guild_json(&world.guilds[&self.server], true);
            world.dispatch("GUILD_CREATE", Some(self.server), &shown);
        });
    }

    /// Has every channel take only so many messages in a while, and say so, as Discord does.
    pub fn count_posts(&self, most: usize, within: Duration) {
        let allowance = rest::Allowance { most, within, taken: Default::default() };
        self.shared.change(|world| world.allowance = Some(allowance));
    }

    /// Makes the bot's token worthless.
    pub fn revoke_token(&self) {
        self.shared.change(|world| world.token = String::from("MTE3NDk4NTc2MTI4MzY1NTY4MA.Newer1.than-before"));
        self.close_gateway(4004);
    }

    /// Forbids the bot something in a channel.
    pub fn deny(&self, channel: Id, what: u64) {
        self.shared.change(|world| {
            world.channels.get_mut(&channel).unwrap().denied |= what;
            let shown = world.channel_json(&world.channels[&channel]);
            world.dispatch("CHANNEL_UPDATE", Some(self.server), &shown);
        });
    }

    /// Allows the bot everything in a channel again.
    pub fn allow(&self, channel: Id) {
        self.shared.change(|world| {
            world.channels.get_mut(&channel).unwrap().denied = 0;
            let shown = world.channel_json(&world.channels[&channel]);
            world.dispatch("CHANNEL_UPDATE", Some(self.server), &shown);
        });
    }

    /// Puts Discord's clock forward.
    pub fn advance(&self, by: Duration) {
        self.shared.change(|world| world.advance(by));
    }

    /// Makes the next requests to a route, such as `POST /channels/*/messages`, go wrong.
    pub fn trouble(&self, route: &str, times: usize, trouble: Trouble) {
        self.shared.change(|world| world.faults.push(Fault { route: route.to_owned(), times, trouble }));
    }

    /// Makes requests go wrong by chance.
    pub fn storm(&self, chance: impl FnMut(&str, &str) -> Option<Trouble> + Send + 'static) {
        self.shared.change(|world| world.storm = Some(Storm(Box::new(chance))));
    }

    /// Ends all trouble.
    pub fn no_trouble(&self) {
        self.shared.change(|world| {
            world.faults.clear();
            world.storm = None;
        });
    }

    /// Holds interactions back from now on.
    pub fn hold_back(&self) {
        self.shared.change(|world| {
            world.gateway.held.get_or_insert_default();
        });
    }

    /// Delivers what was held back, in another order.
    pub fn deliver_backwards(&self) {
        self.shared.change(World::deliver_backwards);
    }

    /// Delivers the next interaction twice.
    pub fn deliver_twice(&self) {
        self.shared.change(|world| world.gateway.duplicate += 1);
    }

    /// Cuts the bot's connection to the gateway without a word.
    pub fn cut_gateway(&self) {
        self.shared.change(|world| world.gateway.send_all(|| Frame::Cut));
    }

    /// Closes the bot's connection to the gateway.
    pub fn close_gateway(&self, code: u16) {
        self.shared.change(|world| world.gateway.send_all(|| Frame::Close(code, "")));
    }

    /// Asks the bot to connect anew.
    pub fn ask_to_reconnect(&self) {
        self.shared.change(|world| world.gateway.send_all(|| Frame::Say(json!({ "op": 7, "d": null }))));
    }

    /// Tells the bot that its session is not valid any more.
    pub fn invalidate_session(&self, resumable: bool) {
        self.shared.change(|world| world.gateway.send_all(|| Frame::Say(json!({ "op": 9, "d": resumable }))));
    }

    /// Lets nobody in at the gateway, or lets everybody in again.
    pub fn shut_gateway(&self, shut: bool) {
        self.shared.change(|world| world.gateway.closed = shut);
    }

    /// Waits until something can be seen.
    pub async fn wait_for<T>(&self, what: &str, see: impl Fn(&World) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        let waiting = async {
            loop {
                changed.borrow_and_update();
                if let Some(seen) = self.shared.look(&see) {
                    return seen;
                }
                let _ = changed.changed().await;
            }
        };
        match tokio::time::timeout(PATIENCE, waiting).await {
            Ok(seen) => seen,
            Err(_) => panic!("waited in vain for {what}; this is what there was:\n{}", self.shared.look(World::tell)),
        }
    }

    /// Waits until everything that the bot has asked is answered, and it has asked nothing more for a moment.
    pub async fn settle(&self) {
        const A_MOMENT: Duration = Duration::from_millis(250);
        const LONG: Duration = Duration::from_secs(60);
        let began = Instant::now();
        let count = |world: &World| (world.calls, world.under_way);
        while began.elapsed() < LONG {
            let (before, _) = self.shared.look(count);
            tokio::time::sleep(A_MOMENT).await;
            if self.shared.look(count) == (before, 0) {
                return;
            }
        }
        let (calls, under_way) = self.shared.look(count);
        panic!("the bot does not come to rest: {calls} calls, {under_way} of them not answered yet");
    }

    /// Waits for the first public post in a channel that says something.
    pub async fn post_saying(&self, channel: Id, words: &str) -> Post {
        let found = |world: &World| {
            let posts = world.posts(channel);
            posts.iter().rev().find(|post| post.content.contains(words)).map(|post| post.id)
        };
        let id = self.wait_for(&format!("a post that says {words:?}"), found).await;
        Post::new(self.clone(), id)
    }

    /// Gives all public posts in a channel that say something.
    pub fn posts_saying(&self, channel: Id, words: &str) -> Vec<Post> {
        let says = |message: &&Message| message.content.contains(words);
        let ids: Vec<Id> = self.shared.look(|w| w.posts(channel).into_iter().filter(says).map(|m| m.id).collect());
        ids.into_iter().map(|id| Post::new(self.clone(), id)).collect()
    }

    /// Fails if a message or an edit has left it to Discord whom it calls.
    pub fn nobody_is_called_by_chance(&self) {
        let offences = self.shared.look(|world| world.offences.clone());
        assert!(offences.is_empty(), "{} messages may call anybody, such as {}", offences.len(), offences[0]);
    }

    /// Gives what the bot has asked of a route, such as `POST /channels/*/messages`.
    pub fn asked(&self, route: &str) -> Vec<Asked> {
        let fault = Fault { route: route.to_owned(), times: 1, trouble: Trouble::Cut };
        let fits = |asked: &&Asked| fault.fits(&asked.method, &asked.path);
        self.shared.look(|world| world.asked.iter().filter(fits).cloned().collect())
    }
}

/// Answers one request, with the trouble that is wanted.
async fn answer(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    if path == "/" {
        let (mut parts, _) = request.into_parts();
        if shared.look(|world| world.gateway.closed) {
            return plain(503, String::from("no gateway"));
        }
        return match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
            Ok(upgrade) => upgrade.on_upgrade(move |socket| gateway::talk(shared, socket)),
            Err(refusal) => refusal.into_response(),
        };
    }
    let Some(call) = read(&path, request).await else { return plain(400, String::from("not understood")) };
    let (trouble, allowance) = shared.change(|world| {
        (world.calls, world.under_way) = (world.calls + 1, world.under_way + 1);
        (world.trouble(&call.method, &call.path), world.allowance(&call.method, &call.path))
    });
    let trouble = match allowance {
        Some((Err(()), reset)) => Some(Trouble::Limit(reset)),
        _ => trouble,
    };
    // In a task of its own: what was asked is done even if the one who asked hangs up.
    let serving = tokio::spawn(async move {
        if let Some(Trouble::Slow(time)) = trouble {
            tokio::time::sleep(time).await;
        }
        let response = serve(&shared, call, trouble, &scissors);
        if let Some(Trouble::SlowReceipt(time)) = trouble {
            tokio::time::sleep(time).await;
        }
        shared.change(|world| world.under_way -= 1);
        match allowance {
            Some((Ok(left), reset)) => counted(response, left, reset),
            _ => response,
        }
    });
    serving.await.unwrap_or_else(|_| plain(500, String::new()))
}

/// Does what was asked, and gives the receipt that is wanted.
fn serve(shared: &Shared, call: Call, trouble: Option<Trouble>, scissors: &Scissors) -> Response {
    let in_vain = matches!(
        trouble,
        Some(Trouble::Fail(_) | Trouble::Cut | Trouble::Reset | Trouble::Limit(_) | Trouble::LimitAll(_))
    );
    shared.change(|world| {
        let done = if in_vain { Ok((204, Value::Null)) } else { world.serve(&call) };
        let (status, body) = done.unwrap_or_else(|refusal| (refusal.status, refusal.body));
        let answer = || plain(status, if body.is_null() { String::new() } else { body.to_string() });
        let cut = |how: Cut| {
            scissors.cut(how);
            (0, answer())
        };
        let (told, response) = match trouble {
            None | Some(Trouble::Slow(_) | Trouble::SlowReceipt(_)) => (status, answer()),
            Some(Trouble::Fail(status) | Trouble::FailAfterDoing(status)) => (status, failure(status)),
            Some(Trouble::Cut | Trouble::CutAfterDoing) => cut(Cut::Closed),
            Some(Trouble::Reset | Trouble::ResetAfterDoing) => cut(Cut::Reset),
            Some(Trouble::Torn) => cut(Cut::AfterHeaders),
            Some(Trouble::Limit(time)) => (429, limited(time, false)),
            Some(Trouble::LimitAll(time)) => (429, limited(time, true)),
        };
        if !world.forgetful || told == 400 {
            world.asked.push(Asked { method: call.method, path: call.path, status: told, body: call.body });
        }
        response
    })
}

/// Reads a request: JSON, or a form with JSON and files.
async fn read(path: &str, request: Request) -> Option<Call> {
    let (parts, content) = request.into_parts();
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (token, kind) = (header(AUTHORIZATION), header(CONTENT_TYPE));
    let mut call = Call {
        method: parts.method.to_string(),
        path: path.strip_prefix("/api/v10")?.to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        token: Some(token).filter(|token| !token.is_empty()),
        ..Call::default()
    };
    if kind.starts_with("multipart/form-data") {
        let mut form = Multipart::from_request(Request::from_parts(parts, content), &()).await.ok()?;
        while let Some(field) = form.next_field().await.ok()? {
            let name = field.name().unwrap_or_default().to_owned();
            let file = field.file_name().map(str::to_owned);
            let kind = field.content_type().map(str::to_owned);
            let bytes = field.bytes().await.ok()?.to_vec();
            if name == "payload_json" {
                call.body = serde_json::from_slice(&bytes).ok()?;
            } else {
                let number = name.strip_prefix("files[")?.strip_suffix(']')?.parse().ok()?;
                let guessed = if bytes.starts_with(b"\x89PNG") { "image/png" } else { "text/plain" };
                let kind = kind.unwrap_or_else(|| guessed.to_owned());
                call.files.insert(number, File { name: file?, kind, bytes });
            }
        }
    } else {
        let bytes = body::to_bytes(content, usize::MAX).await.ok()?;
        call.body = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes).ok()? };
    }
    Some(call)
}

fn plain(status: u16, body: String) -> Response {
    let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
    response.body(Body::from(body)).unwrap()
}

/// An error of whatever stands in front of Discord, which does not speak JSON, or of Discord itself.
fn failure(status: u16) -> Response {
    if status == 500 {
        return plain(500, json!({ "code": 0, "message": "500: Internal Server Error" }).to_string());
    }
    let page = format!("<html><head><title>{status}</title></head><body>upstream error</body></html>");
    Response::builder().status(status).header(CONTENT_TYPE, "text/html").body(Body::from(page)).unwrap()
}

/// Tells how many more calls there may be.
fn counted(mut response: Response, left: usize, reset: Duration) -> Response {
    let said = [
        ("X-RateLimit-Remaining", left.to_string()),
        ("X-RateLimit-Reset-After", format!("{:.3}", reset.as_secs_f64())),
        ("X-RateLimit-Bucket", String::from("stand-in")),
    ];
    for (name, value) in said {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}

fn limited(time: Duration, global: bool) -> Response {
    let seconds = time.as_secs_f64();
    let body = json!({ "message": "You are being rate limited.", "retry_after": seconds, "global": global });
    let response = Response::builder().status(429).header(CONTENT_TYPE, "application/json");
    let response = response.header("Retry-After", format!("{}", seconds.ceil()));
    if global {
        let response = response.header("X-RateLimit-Global", "true").header("X-RateLimit-Scope", "global");
        return response.body(Body::from(body.to_string())).unwrap();
    }
    let response = response.header("X-RateLimit-Scope", "user");
    let response = response.header("X-RateLimit-Limit", "5").header("X-RateLimit-Remaining", "0");
    let response = response.header("X-RateLimit-Reset-After", format!("{seconds:.3}"));
    response.header("X-RateLimit-Bucket", "stand-in").body(Body::from(body.to_string())).unwrap()
}

/// Where connections come in, each of which can be cut.
struct Door(TcpListener);

/// Cuts a connection at the next answer.
#[derive(Clone, Default)]
struct Scissors(Arc<Mutex<Option<Cut>>>);

/// How a connection ends.
#[derive(Clone, Copy)]
enum Cut {
    /// It is closed before the answer.
    Closed,
    /// It is reset before the answer.
    Reset,
    /// It is closed in the middle of the answer.
    AfterHeaders,
}

impl Scissors {
    fn cut(&self, how: Cut) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(how);
    }

    fn how(&self) -> Option<Cut> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Wire {
    stream: TcpStream,
    scissors: Scissors,
}

impl Listener for Door {
    type Io = Wire;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Wire, SocketAddr) {
        loop {
            if let Ok((stream, address)) = self.0.accept().await {
                let _ = stream.set_nodelay(true);
                return (Wire { stream, scissors: Scissors::default() }, address);
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connected<IncomingStream<'_, Door>> for Scissors {
    fn connect_info(incoming: IncomingStream<'_, Door>) -> Self {
        incoming.io().scissors.clone()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let gone = Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        match self.scissors.how() {
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
            Some(Cut::Closed) => gone,
            Some(Cut::Reset) => {
                // Whoever is gone without having lingered sends no farewell but a reset.
                let _ = self.stream.set_zero_linger();
                gone
            }
            Some(Cut::AfterHeaders) => {
                let headers = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |at| at + 4);
                // With them the first letter of what was promised.
                let first = &bytes[..bytes.len().min(headers + 1)];
                let written = Pin::new(&mut self.stream).poll_write(context, first);
                if written.is_ready() {
                    self.scissors.cut(Cut::Closed);
                }
                written
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.scissors.how() {
            Some(_) => Poll::Ready(Ok(())),
            None => Pin::new(&mut self.stream).poll_shutdown(context),
        }
    }
}
