// Preloaded into a replica under test: each SIGUSR2 lets its clock jump, ahead, back to what it was, behind, and so on.
const JUMPS_MS = [90_000, 0, -90_000, 0];
let count = 0;
let offset = 0;
process.on('SIGUSR2', () => (offset = JUMPS_MS[count++ % JUMPS_MS.length]));

const RealDate = Date;
globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(RealDate.now() + offset);
  }

  static now() {
    return RealDate.now() + offset;
  }
};
