//! HTTP in and out: reads a request, applies the failure that is wanted, and writes the response as Discord does.

use crate::SharedState;
use crate::connection::{ConnectionCutter, Cut};
use crate::gateway;
use crate::rest::{ApiRequest, Failure, File, RecordedRequest};
use axum::Router;
use axum::body::{self, Body};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRequest, FromRequestParts, Multipart, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn router(state: Arc<SharedState>) -> Router {
    Router::new().fallback(respond).layer(DefaultBodyLimit::disable()).with_state(state)
}

/// Answers one request.
async fn respond(
    State(shared): State<Arc<SharedState>>,
    ConnectInfo(cutter): ConnectInfo<ConnectionCutter>,
    request: Request,
) -> Response {
    let path = request.uri().path().to_owned();
    if path == "/" {
        return connect_gateway(shared, request).await;
    }
    let Some(call) = read(&path, request).await else { return plain(400, String::from("not understood")) };
    let (failure, limit) = shared.update(|state| {
        state.in_flight += 1;
        (state.next_failure(&call.method, &call.path), state.count_post(&call.method, &call.path))
    });
    let failure = match limit {
        Some((Err(()), reset)) => Some(Failure::RateLimit(reset)),
        _ => failure,
    };
    // In a task of its own, so that the request takes effect even if the client hangs up.
    let serving = tokio::spawn(async move {
        match failure {
            Some(Failure::Delay(time)) => tokio::time::sleep(time).await,
            Some(Failure::Hold) => hold(&shared).await,
            _ => {}
        }
        let response = serve(&shared, call, failure, &cutter);
        match failure {
            Some(Failure::DelayResponse(time)) => tokio::time::sleep(time).await,
            Some(Failure::HoldResponse) => hold(&shared).await,
            _ => {}
        }
        shared.update(|state| state.in_flight -= 1);
        match limit {
            Some((Ok(left), reset)) => with_rate_limit_headers(response, left, reset),
            _ => response,
        }
    });
    serving.await.unwrap_or_else(|_| plain(500, String::new()))
}

async fn connect_gateway(shared: Arc<SharedState>, request: Request) -> Response {
    let (mut parts, _) = request.into_parts();
    if shared.read(|state| state.gateway.closed) {
        shared.update(|state| state.gateway.refused += 1);
        return plain(503, String::from("no gateway"));
    }
    match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade.on_upgrade(move |socket| gateway::serve_connection(shared, socket)),
        Err(rejection) => rejection.into_response(),
    }
}

/// Waits until failures are cleared.
async fn hold(shared: &SharedState) {
    let releases = shared.update(|state| {
        state.held_requests += 1;
        state.releases
    });
    shared.wait(|state| (state.releases > releases).then_some(())).await;
    shared.update(|state| state.held_requests -= 1);
}

/// Carries a request out unless it is to fail before, and returns the response or the failure.
fn serve(shared: &SharedState, call: ApiRequest, failure: Option<Failure>, cutter: &ConnectionCutter) -> Response {
    let has_no_effect = matches!(
        failure,
        Some(
            Failure::Status(_) | Failure::Close | Failure::Reset | Failure::RateLimit(_) | Failure::GlobalRateLimit(_)
        )
    );
    shared.update(|state| {
        let done = if has_no_effect { Ok((204, Value::Null)) } else { state.serve(&call) };
        let (status, body) = done.unwrap_or_else(|error| (error.status, error.body));
        let answer = || plain(status, if body.is_null() { String::new() } else { body.to_string() });
        let cut = |how: Cut| {
            cutter.cut(how);
            (0, answer())
        };
        let (status, response) = match failure {
            None | Some(Failure::Delay(_) | Failure::DelayResponse(_) | Failure::Hold | Failure::HoldResponse) => {
                (status, answer())
            }
            Some(Failure::Status(status) | Failure::StatusAfterEffect(status)) => (status, error_page(status)),
            Some(Failure::Close | Failure::CloseAfterEffect) => cut(Cut::Close),
            Some(Failure::Reset | Failure::ResetAfterEffect) => cut(Cut::Reset),
            Some(Failure::TruncateResponse) => cut(Cut::AfterHeaders),
            Some(Failure::RateLimit(time)) => (429, rate_limited(time, false)),
            Some(Failure::GlobalRateLimit(time)) => (429, rate_limited(time, true)),
        };
        if !state.discard_history || status == 400 {
            let ApiRequest { method, path, body, .. } = call;
            state.requests.push(RecordedRequest { method, path, status, body, at: state.now() });
        }
        response
    })
}

/// Reads a request: JSON, or a form with JSON and files.
async fn read(path: &str, request: Request) -> Option<ApiRequest> {
    let (parts, content) = request.into_parts();
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let (token, kind) = (header(AUTHORIZATION), header(CONTENT_TYPE));
    let mut call = ApiRequest {
        method: parts.method.to_string(),
        path: path.strip_prefix("/api/v10")?.to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        token: Some(token).filter(|token| !token.is_empty()),
        ..ApiRequest::default()
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

/// Returns an error of Discord itself (500), or one of the proxies in front of it, whose body is not JSON.
fn error_page(status: u16) -> Response {
    if status == 500 {
        return plain(500, json!({ "code": 0, "message": "500: Internal Server Error" }).to_string());
    }
    let page = format!("<html><head><title>{status}</title></head><body>upstream error</body></html>");
    Response::builder().status(status).header(CONTENT_TYPE, "text/html").body(Body::from(page)).unwrap()
}

/// Adds how many more posts the channel takes, and when the count starts again.
fn with_rate_limit_headers(mut response: Response, left: usize, reset: Duration) -> Response {
    let headers = [
        ("X-RateLimit-Remaining", left.to_string()),
        ("X-RateLimit-Reset-After", format!("{:.3}", reset.as_secs_f64())),
        ("X-RateLimit-Bucket", String::from("fake")),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    response
}

fn rate_limited(time: Duration, global: bool) -> Response {
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
    response.header("X-RateLimit-Bucket", "fake").body(Body::from(body.to_string())).unwrap()
}
