// Preloaded into a server of the tests: SIGUSR2 ends the thread of the embedded database, as a crash in it would.
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
