import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type Rolldown } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const page = process.env['UI_PAGE'] === 'graphiql' ? 'graphiql' : 'index';

/** What the server fills in otherwise. */
const placeholders: Plugin = {
  name: 'placeholders',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replaceAll('__BASE__', '/').replace('__CONFIG__', '{"version":"dev","remoteImages":false}'),
};

/** The icon stands in the page: it would be one request more. */
const icon: Plugin = {
  name: 'icon',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html.replace(
        'href="favicon.svg"',
        `href="data:image/svg+xml,${encodeURIComponent(readFileSync(`${here}public/favicon.svg`, 'utf8').trim())}"`,
      ),
  },
};

/** GraphiQL's style sheet brings two families of fonts, 300 kB; the page uses those of the system, as the app does. */
const systemFonts: Plugin = {
  name: 'system-fonts',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('/graphiql/') && id.endsWith('.css')
      ? code.replace(/@font-face\s*\{[^}]*font-family:\s*['"]?(Roboto|Fira Code)\b[^}]*\}/g, '')
      : null,
};

/** The chunk of the modules that the first page needs, and of the bundler's own few lines, which all others import. */
function firstPage(id: string, graph: Pick<Rolldown.PluginContext, 'getModuleInfo'>): string | null {
  if (id.includes('rolldown/runtime')) return 'app';
  const seen = new Set<string>();
  const isNeeded = (module: string): boolean => {
    if (seen.has(module)) return false;
    seen.add(module);
    const info = graph.getModuleInfo(module);
    return info !== null && (info.isEntry || info.importers.some(isNeeded));
  };
  return isNeeded(id) ? 'app' : null;
}

/** Two builds: the app, and GraphiQL, which is large and changes only with its version (scripts/build-ui.mjs). */
export default defineConfig({
  root: here,
  base: './',
  plugins: [placeholders, icon, systemFonts],
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
      // what the first page needs is one file: each request costs more than the few bytes that a section could do without
      ...(page === 'index' ? { output: { codeSplitting: { groups: [{ name: firstPage, debugName: 'app' }] } } } : {}),
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
