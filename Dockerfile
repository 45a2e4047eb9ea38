# The service with its compiled code and run-time packages only. It needs a PostgreSQL of its own: see docker-compose.yml.
FROM node:22.21.1-bookworm-slim AS build
WORKDIR /allot
COPY package.json package-lock.json ./
COPY libs ./libs
COPY apps ./apps
COPY prisma ./prisma
COPY scripts ./scripts
COPY tsconfig.json tsconfig.base.json ./
RUN npm ci && npm run build && npm prune --omit=dev

FROM node:22.21.1-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /allot
COPY --from=build --chown=root:root /allot ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "apps/api/dist/main.js"]
