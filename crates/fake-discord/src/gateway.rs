//! The gateway: hello, identify, heartbeat, numbered events, resume with replay, and everything that can go wrong.

use crate::SharedState;
use crate::state::{DiscordState, Id};
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// All sessions, and what is to go wrong.
#[derive(Debug, Default)]
pub struct Gateway {
    pub sessions: BTreeMap<String, Session>,
    /// How many sessions were started.
    pub identified: usize,
    /// How many were resumed.
    pub resumed: usize,
    /// How many of the next interactions are delivered twice.
    pub duplicate: usize,
    /// Whether connections are refused.
    pub closed: bool,
    /// How many were refused.
    pub refused: usize,
    /// Interactions that are held back, to be delivered in another order.
    pub held: Option<Vec<(Option<Id>, Value)>>,
}

/// A gateway session: the events since the bot identified itself.
#[derive(Debug)]
pub struct Session {
    shard: (u64, u64),
    intents: u64,
    /// How many old events have been dropped.
    first: usize,
    events: Vec<Value>,
    out: Option<UnboundedSender<Frame>>,
}

/// Something to do with a connection.
#[derive(Debug)]
pub enum Frame {
    /// Sends a payload.
    Payload(Value),
    /// Sends a close frame.
    Close(u16, &'static str),
    /// Drops the connection without a close frame.
    Drop,
}

const GUILDS: u64 = 1;
const PRIVILEGED: u64 = (1 << 1) | (1 << 8) | (1 << 15);

impl Gateway {
    /// Returns whether the bot is connected.
    pub fn connected(&self) -> bool {
        self.sessions.values().any(|session| session.out.is_some())
    }

    /// Drops all but the last events: a bot that resumes needs only those.
    pub fn forget(&mut self) {
        const KEPT: usize = 1_000;
        for session in self.sessions.values_mut() {
            let gone = session.events.len().saturating_sub(KEPT);
            session.events.drain(..gone);
            session.first += gone;
        }
    }

    /// Sends a frame to every connection.
    pub fn send_all(&self, frame: impl Fn() -> Frame) {
        for session in self.sessions.values() {
            if let Some(out) = &session.out {
                let _ = out.send(frame());
            }
        }
    }
}

impl Session {
    fn send_event(&mut self, event: &str, data: Value) {
        let payload = json!({ "op": 0, "t": event, "s": self.first + self.events.len() + 1, "d": data });
        self.events.push(payload.clone());
        if let Some(out) = &self.out {
            let _ = out.send(Frame::Payload(payload));
        }
    }
}

impl DiscordState {
    /// Sends the bot an event. A bot that is not connected gets it when it resumes its session.
    pub fn dispatch(&mut self, event: &str, guild: Option<Id>, data: &Value) {
        if event == "INTERACTION_CREATE"
            && let Some(held) = &mut self.gateway.held
        {
            held.push((guild, data.clone()));
            return;
        }
        let mut times = 1;
        if event == "INTERACTION_CREATE" && self.gateway.duplicate > 0 {
            self.gateway.duplicate -= 1;
            times = 2;
        }
        let wanted = match event {
            "INTERACTION_CREATE" => 0,
            _ if event.starts_with("MESSAGE_") => 1 << if guild.is_some() { 9 } else { 12 },
            _ => GUILDS,
        };
        let mut sessions = Vec::new();
        for (id, session) in &mut self.gateway.sessions {
            let (shard, shards) = session.shard;
            if guild.map_or(0, |guild| guild >> 22) % shards == shard && session.intents & wanted == wanted {
                (0..times).for_each(|_| session.send_event(event, data.clone()));
                sessions.push(id.clone());
            }
        }
        let id = data["id"].as_str().and_then(|id| id.parse().ok()).unwrap_or(0);
        if event == "INTERACTION_CREATE"
            && let Some(interaction) = self.interactions.get_mut(&id)
        {
            interaction.sessions = Some(sessions);
        }
    }

    /// Delivers the interactions that were held back, the last one first.
    pub fn release_held_in_reverse(&mut self) {
        for (guild, data) in self.gateway.held.take().into_iter().flatten().rev() {
            self.dispatch("INTERACTION_CREATE", guild, &data);
        }
    }

    fn identify(&mut self, data: &Value, out: UnboundedSender<Frame>) -> Result<String, Frame> {
        if data["token"].as_str().map(|token| token.trim_start_matches("Bot ")) != Some(self.token.as_str()) {
            return Err(Frame::Close(4004, "Authentication failed."));
        }
        let intents = data["intents"].as_u64().unwrap_or(0);
        if intents & PRIVILEGED != 0 {
            return Err(Frame::Close(4014, "Disallowed intent(s)."));
        }
        let number = |n: usize| data["shard"][n].as_u64();
        let (shard, shards) = (number(0).unwrap_or(0), number(1).unwrap_or(1));
        if shard >= shards {
            return Err(Frame::Close(4010, "Invalid shard."));
        }
        // A bot that identifies again has given up the events of its old session.
        self.gateway.sessions.retain(|_, session| session.shard != (shard, shards) || session.out.is_some());
        self.wake_unanswerable();
        self.gateway.identified += 1;
        let id = format!("{:032x}", self.new_id());
        let session = Session { shard: (shard, shards), intents, first: 0, events: Vec::new(), out: Some(out) };
        self.gateway.sessions.insert(id.clone(), session);
        let inside = |state: &Self| {
            let guilds = state.guilds.values().filter(|guild| guild.members.contains_key(&state.bot));
            guilds.filter(|guild| (guild.id >> 22) % shards == shard).cloned().collect::<Vec<_>>()
        };
        let guilds = inside(self);
        let unavailable = guilds.iter().map(|guild| json!({ "id": guild.id.to_string(), "unavailable": true }));
        let ready = json!({
            "v": 10, "user": self.user_json(self.bot), "guilds": unavailable.collect::<Vec<_>>(), "session_id": id,
            "resume_gateway_url": format!("ws://{}", self.address), "shard": [shard, shards],
            "application": { "id": self.application.to_string(), "flags": 0 },
        });
        let details: Vec<Value> = guilds.iter().map(|guild| self.guild_json(guild, true)).collect();
        if let Some(session) = self.gateway.sessions.get_mut(&id) {
            session.send_event("READY", ready);
            if intents & GUILDS != 0 {
                details.into_iter().for_each(|guild| session.send_event("GUILD_CREATE", guild));
            }
        }
        Ok(id)
    }

    fn resume(&mut self, data: &Value, out: UnboundedSender<Frame>) -> Result<String, Frame> {
        if data["token"].as_str().map(|token| token.trim_start_matches("Bot ")) != Some(self.token.as_str()) {
            return Err(Frame::Close(4004, "Authentication failed."));
        }
        let id = data["session_id"].as_str().unwrap_or_default();
        let Some(session) = self.gateway.sessions.get_mut(id) else {
            return Err(Frame::Payload(json!({ "op": 9, "d": false })));
        };
        let seen = usize::try_from(data["seq"].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
        let known = session.first..=session.first + session.events.len();
        if !known.contains(&seen) {
            return Err(Frame::Close(4007, "Invalid seq."));
        }
        for missed in &session.events[seen - session.first..] {
            let _ = out.send(Frame::Payload(missed.clone()));
        }
        session.out = Some(out);
        session.send_event("RESUMED", json!({}));
        self.gateway.resumed += 1;
        Ok(id.to_owned())
    }

    /// Records that a connection has ended. A session that was closed properly is over.
    fn hang_up(&mut self, id: &str, out: &UnboundedSender<Frame>, over: bool) {
        let Some(session) = self.gateway.sessions.get_mut(id) else { return };
        // It may have been resumed on another connection meanwhile.
        if session.out.as_ref().is_some_and(|current| current.same_channel(out)) {
            session.out = None;
            if over {
                self.gateway.sessions.remove(id);
                self.wake_unanswerable();
            }
        }
    }
}

/// Serves one connection until either side closes it.
pub(crate) async fn serve_connection(shared: Arc<SharedState>, mut socket: WebSocket) {
    let (out, mut frames) = unbounded_channel();
    let _ = out.send(Frame::Payload(json!({ "op": 10, "d": { "heartbeat_interval": 41_250, "_trace": [] } })));
    let mut session: Option<String> = None;
    let over = exchange(&shared, &mut socket, &out, &mut frames, &mut session).await;
    if let Some(session) = session {
        shared.update(|state| state.hang_up(&session, &out, over));
    }
}

/// Sends frames and handles payloads until the connection ends. Returns whether the session is over.
async fn exchange(
    shared: &Arc<SharedState>,
    socket: &mut WebSocket,
    out: &UnboundedSender<Frame>,
    frames: &mut UnboundedReceiver<Frame>,
    session: &mut Option<String>,
) -> bool {
    loop {
        tokio::select! {
            frame = frames.recv() => match frame {
                Some(Frame::Payload(payload)) => {
                    // An invalid session cannot be resumed.
                    let over = payload["op"] == 9 && payload["d"] == false;
                    if socket.send(Message::Text(payload.to_string().into())).await.is_err() {
                        return over;
                    }
                    if over && let Some(session) = session.take() {
                        shared.update(|state| state.hang_up(&session, out, true));
                    }
                }
                Some(Frame::Close(code, reason)) => {
                    let _ = socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
                    // The bot answers with a close frame of its own, unless it has gone.
                    let closing = async { while matches!(socket.recv().await, Some(Ok(_))) {} };
                    let _ = tokio::time::timeout(Duration::from_secs(1), closing).await;
                    return matches!(code, 4004 | 4007 | 4009..=4014);
                }
                Some(Frame::Drop) | None => return false,
            },
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => {
                    let payload: Value = serde_json::from_str(&text).unwrap_or_default();
                    handle_payload(shared, &payload, out, session);
                }
                Some(Ok(Message::Close(frame))) => return frame.is_some_and(|frame| matches!(frame.code, 1000 | 1001)),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return false,
            },
        }
    }
}

fn handle_payload(
    shared: &Arc<SharedState>,
    payload: &Value,
    out: &UnboundedSender<Frame>,
    session: &mut Option<String>,
) {
    let begin = |begun: Result<String, Frame>| match begun {
        Ok(id) => Some(id),
        Err(frame) => {
            let _ = out.send(frame);
            None
        }
    };
    let close = |code, reason| {
        let _ = out.send(Frame::Close(code, reason));
    };
    match payload["op"].as_u64() {
        Some(1) => {
            let _ = out.send(Frame::Payload(json!({ "op": 11 })));
        }
        Some(2 | 6) if session.is_some() => close(4005, "Already authenticated."),
        Some(2) => *session = begin(shared.update(|state| state.identify(&payload["d"], out.clone()))),
        Some(6) => *session = begin(shared.update(|state| state.resume(&payload["d"], out.clone()))),
        Some(3 | 4 | 8 | 31) if session.is_none() => close(4003, "Not authenticated."),
        Some(3 | 4 | 8 | 31) => {}
        _ => close(4001, "Unknown opcode."),
    }
}
