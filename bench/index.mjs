// npm run bench [-- chat|deliveries|embedded|evaluations|installing|load|locks|logging|neighbours|reach|rivals|rotating|sandboxes|sockets|streams|targets|tracker|tracker-wide|ui]
// [--quick] [--only=…] [--write]
// Everything runs on loopback, bounded in time and count. With DATABASE_URL it makes and drops a database of its own.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const parts = {
  chat: async () => (await import('./chat/index.mjs')).chat(),
  // a script of its own, as its receivers are separate processes
  deliveries: async () => {
    if (!process.env.DATABASE_URL) return console.error('DATABASE_URL is unset: deliveries are left out');
    spawnSync(process.execPath, [fileURLToPath(new URL('deliveries.mjs', import.meta.url))], { stdio: 'inherit' });
  },
  embedded: async () => (await import('./embedded.mjs')).embedded(),
  evaluations: async () => (await import('./evaluations.mjs')).evaluations(),
  installing: async () => (await import('./installing.mjs')).installing(),
  load: async () => (await import('./load.mjs')).load(),
  locks: async () => (await import('./locks.mjs')).locks(),
  logging: async () => (await import('./logging.mjs')).logging(),
  neighbours: async () => (await import('./neighbours.mjs')).neighbours(),
  reach: async () => (await import('./reach.mjs')).reach(),
  rivals: async () => (await import('./rivals/index.mjs')).rivals(),
  rotating: async () => (await import('./rotating.mjs')).rotating(),
  sandboxes: async () => (await import('./sandboxes.mjs')).sandboxes(),
  sockets: async () => (await import('./sockets.mjs')).sockets(),
  streams: async () => (await import('./streams.mjs')).streams(),
  targets: async () => (await import('./targets.mjs')).targets(),
  tracker: async () => (await import('./tracker/index.mjs')).tracker(),
  'tracker-wide': async () => (await import('./tracker-wide.mjs')).trackerWide(),
  ui: async () => (await import('./ui/index.mjs')).ui(),
};
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  if (!parts[name]) {
    console.error(`no bench is called ${name}; there are: ${Object.keys(parts).join(', ')}`);
    process.exit(1);
  }
  await parts[name]();
}
process.exit();
