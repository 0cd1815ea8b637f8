# newsfed as a server for apps: docs/serve.md explains how to start it.
FROM rust:1.90-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --release --locked && strip target/release/newsfed

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home newsfed \
    && install --directory --mode 0700 --owner newsfed /config /data
COPY --from=build /src/target/release/newsfed /usr/local/bin/newsfed
COPY LICENSE /usr/share/licenses/newsfed/LICENSE
ENV NEWSFED_CONFIG_DIR=/config NEWSFED_DATA_DIR=/data
USER newsfed
VOLUME ["/config", "/data"]
EXPOSE 8991
# The page at / shows that the server runs.
HEALTHCHECK --interval=1m --timeout=5s --start-period=20s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8991 && printf 'GET / HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r line <&3 && [[ $line == *' 200 '* ]]"]
ENTRYPOINT ["newsfed"]
CMD ["serve", "--address", "0.0.0.0:8991"]
