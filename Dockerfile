# syntax=docker/dockerfile:1
# A worker: `holdfast worker` on the agents of deploy/agent.js. An image of agents of your own: see docs/deploy.md.
# Debian and not Alpine, since Temporal's SDK has a native part for glibc only.

FROM node:22.22.2-bookworm-slim AS build
WORKDIR /holdfast
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /packed

FROM node:22.22.2-bookworm-slim AS install
WORKDIR /agents
COPY --from=build /packed /packed
COPY deploy/agent.package.json package.json
# Of the SDK's native part only this machine's is kept: the others are 110 MB.
RUN npm install --omit=dev --no-audit --no-fund /packed/holdfast-*.tgz \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM node:22.22.2-bookworm-slim
ENV NODE_ENV=production
# A new volume there takes over its owner.
RUN install -d -o 1000 -g 1000 /var/lib/holdfast/artifacts
WORKDIR /agents
COPY --from=install /agents ./
COPY deploy/agent.js ./
# The image's user `node`.
USER 1000
ENTRYPOINT ["node", "node_modules/holdfast/dist/cli/main.js"]
CMD ["worker", "agent.js"]
