# From Node 22 on the SQLite driver ships its binary, so nothing has to be compiled and no install script runs.
# The base by digest as well: docs/contributing/release.md
ARG BASE_DIGEST
FROM node:24.21.0-bookworm-slim${BASE_DIGEST:+@$BASE_DIGEST} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY nest-cli.json tsconfig.json tsconfig.build.json bundle.config.mts LICENSE ./
COPY licenses ./licenses
COPY src ./src
COPY ui ./ui
# The commit, which the folder of git would tell.
ARG REVISION
RUN npm run build && npm prune --omit=dev --ignore-scripts && \
  find dist -name '*.map' -delete

FROM node:24.21.0-bookworm-slim${BASE_DIGEST:+@$BASE_DIGEST}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4000 \
    DATA_DIR=/data
WORKDIR /app
# The second is for the code that Node has compiled, from which later starts are faster.
RUN install --directory --owner=node --group=node --mode=0700 /data /app/dist/cache
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
ARG VERSION
ARG REVISION
ARG CREATED
ARG SOURCE
ARG BASE_DIGEST
LABEL org.opencontainers.image.title="Switchboard" \
  org.opencontainers.image.description="Self-hosted event hub for the Co-Pilot service" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.created="$CREATED" \
  org.opencontainers.image.source="$SOURCE" \
  org.opencontainers.image.documentation="$SOURCE" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="node:24.21.0-bookworm-slim" \
  org.opencontainers.image.base.digest="$BASE_DIGEST"
USER node
VOLUME ["/data"]
EXPOSE 4000
# A delivery on its way has up to 8 s to end; give the container 15 s (docker stop --time 15).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve"]
