# The bot in a container: one volume with the games and their backups, no root, nothing in it but the program.
#
#   docker build -t ratatosk .
#   docker run -d --name ratatosk --restart unless-stopped -v ratatosk:/data \
#     -v "$PWD/token:/run/secrets/discord-token:ro" -e RATATOSK_TOKEN_FILE=/run/secrets/discord-token ratatosk
#   docker exec ratatosk ratatosk status
#
# The games are in /data/ratatosk in the volume, and the settings, if any, in config.toml beside them; they can also be
# given as variables (-e RATATOSK_BACKUP_KEEP=30).
# The user in the container has the number 10001: the token file must be readable for it.

FROM rust:1.95-slim-trixie AS build
# The image has a C compiler, for SQLite, which is built in: nothing is fetched but crates.
WORKDIR /src
COPY Cargo.toml Cargo.lock ./
COPY src src
COPY migrations migrations
COPY fonts fonts
# Cargo wants to see every target and crate that Cargo.toml names, although none of these is built.
COPY benches benches
COPY crates crates
RUN cargo build --release --locked --bin ratatosk && mkdir -p /data

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /src/target/release/ratatosk /usr/local/bin/ratatosk
COPY --from=build --chown=10001:10001 /data /data
USER 10001:10001
ENV XDG_CONFIG_HOME=/data XDG_DATA_HOME=/data
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=1m --timeout=10s --start-period=1m --retries=3 CMD ["/usr/local/bin/ratatosk", "health"]
ENTRYPOINT ["/usr/local/bin/ratatosk"]
CMD ["serve"]
