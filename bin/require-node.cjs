'use strict';
// Refuses a Node.js that is too old, in one sentence. It is loaded before anything else (`node -r`), and written so that
// every Node.js of the last ten years can read it: no syntax newer than ES2015, no package.
const wanted = require('../package.json').engines.node.replace('>=', '');
const numbers = (version) => version.split('.').map(Number);
const [have, need] = [numbers(process.versions.node), numbers(wanted)];
const first = have.findIndex((part, place) => part !== need[place]);
if (first !== -1 && have[first] < need[first]) {
  console.error(
    'understudy: Node.js ' +
      wanted +
      ' or newer is needed, and this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ')',
  );
  process.exit(1);
}
