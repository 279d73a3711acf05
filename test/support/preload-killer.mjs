// Preloaded into a server under test: SIGUSR2 ends the thread of the embedded database, like a crash in it.
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(...args) {
    super(...args);
    process.on('SIGUSR2', () => void this.terminate());
  }
};
syncBuiltinESMExports();
