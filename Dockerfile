# test/operations/container.spec.ts reads this file and does what it says, as far as that goes without an engine.

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev

FROM packages AS build
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/build-ui.mjs scripts/bundle.mjs scripts/
COPY migrations migrations
COPY src src
COPY ui ui
RUN node scripts/build.mjs
RUN node scripts/build-ui.mjs
# GraphiQL is among the web UI's files by now, and nobody reads source maps here
RUN rm -rf dist/graphiql && find dist -name '*.map' -delete

# of the lock file alone: a change of the sources leaves this layer, the largest one, as it is
FROM packages AS production
RUN npm prune --omit=dev
COPY scripts/trim-packages.mjs scripts/
RUN node scripts/trim-packages.mjs

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 SVC_DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown 1000:1000 /data
COPY --from=production /app/node_modules node_modules
COPY package.json ./
COPY bin bin
COPY migrations migrations
COPY tasks tasks
COPY --from=build /app/dist dist
# by number, or Kubernetes' runAsNonRoot cannot tell; the chart's runAsUser is the same
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "bin/understudy.mjs", "health"]
# no shell before the server: it is process 1, and the signals are its own
ENTRYPOINT ["node"]
CMD ["dist/server/main.js"]
