# Built with everything, shipped with what runs: the compiled gateway and its production packages.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install script; none gets to run one.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY routes routes
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# Reachable from outside the container, so the gateway wants configured clients
# (or TOOLGATE_ALLOW_ANONYMOUS=true) before it starts.
ENV HOST=0.0.0.0
ENV PORT=8080
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json toolgate.yaml LICENSE ./
COPY openapi openapi
USER node
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself, not a shell: SIGTERM must reach it, so that calls in flight finish.
# The flag: see "Memory" in docs/operating.md.
CMD ["node", "--max-semi-space-size=8", "dist/src/cli.js", "serve"]
