// Preloaded into a server under test: at its end it writes the files of node_modules that it loaded to LOADS_FILE.
import { appendFileSync } from 'node:fs';
import { createRequire, Module, register } from 'node:module';

const file = process.env.LOADS_FILE;
register(
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs';
    export async function load(url, context, next) {
      if (url.includes('/node_modules/')) appendFileSync(${JSON.stringify(file)}, url + '\\n');
      return next(url, context);
    }
  `)}`,
);
process.on('exit', () => {
  const { cache } = createRequire(import.meta.url);
  const required = Object.keys(cache ?? Module._cache).filter((path) => path.includes('/node_modules/'));
  appendFileSync(file, required.map((path) => `${path}\n`).join(''));
});
