import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const page = process.env['UI_PAGE'] === 'graphiql' ? 'graphiql' : 'index';

/** What the server fills in otherwise. */
const placeholders: Plugin = {
  name: 'placeholders',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replaceAll('__BASE__', '/').replace('__CONFIG__', '{"version":"dev","remoteImages":false}'),
};

/** Two builds: the app, and GraphiQL, which is large and changes only with its version (scripts/build-ui.mjs). */
export default defineConfig({
  root: here,
  base: './',
  plugins: [placeholders],
  html: { cspNonce: page === 'index' ? '__NONCE__' : undefined },
  publicDir: page === 'index' ? 'public' : false,
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    target: 'es2023',
    // browsers of the last two years: `light-dark()` stays as it is written
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 8_000,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: `${here}${page}.html`,
      onLog: (level, log, report) => {
        // packages that also run on servers say so; here everything runs in the browser
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/graphql', '/socket.io'].map((path) => [
        path,
        { target: process.env['SVC_API'] ?? 'http://127.0.0.1:3000', ws: path === '/socket.io' },
      ]),
    ),
  },
});
