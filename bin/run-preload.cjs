'use strict';
// Loaded into each Node process of `understudy run` (by NODE_OPTIONS): connections to the vendors' hosts go to the run's
// TLS port on this machine (docs/reference/reach.md#preload). Nothing else is touched: other hosts, other ports, and of
// these connections everything but where they go and that the run's authority is trusted beside others.
const { readFileSync } = require('node:fs');
const { isIP } = require('node:net');
const { syncBuiltinESMExports } = require('node:module');
const tls = require('node:tls');

/** Marks a process in which this ran already, as of a run within a run. */
const LOADED = Symbol.for('understudy.run');
const HOSTS = {
  slack: /^(?:[^.]+\.)*slack\.com\.?$/i,
  linear: /^(?:[^.]+\.)*linear\.app\.?$/i,
};

/** `{ port, ca, vendors }`; undefined outside a run. */
function runOf(env) {
  try {
    const { port, ca, vendors } = JSON.parse(env.UNDERSTUDY_RUN);
    return { port, ca: readFileSync(ca, 'utf8'), vendors };
  } catch {
    return undefined;
  }
}

/** The options and the listener of a call of `tls.connect`: (options), (port, host, options), (path, options) … */
function normalized(given) {
  const args = [...given];
  const listener = typeof args.at(-1) === 'function' ? args.pop() : undefined;
  const options = {};
  const [first, second] = args;
  if (typeof first === 'string' && Number.isNaN(Number(first))) options.path = first;
  else if (typeof first === 'number' || typeof first === 'string') options.port = first;
  if (options.port !== undefined && typeof second === 'string') options.host = second;
  for (const each of args) if (typeof each === 'object' && each !== null) Object.assign(options, each);
  return { options, listener };
}

function wrap({ port, ca, vendors }) {
  const { connect } = tls;
  const isVendors = (host) => vendors.some((vendor) => HOSTS[vendor] !== undefined && HOSTS[vendor].test(host));

  /** The options that lead to the run; undefined for a connection that is none of its business. */
  function led(options) {
    const { host, socket, path, servername } = options;
    if (socket || path || typeof host !== 'string' || Number(options.port) !== 443 || !isVendors(host))
      return undefined;
    const name = servername === undefined || servername === '' || isIP(servername) ? host : servername;
    const own = { ...options, host: '127.0.0.1', port, servername: name };
    delete own.lookup;
    delete own.localAddress;
    delete own.family;
    // a context that is handed in was made with the roots that the program wants: the authority is one more
    if (own.secureContext) own.secureContext.context.addCACert(ca);
    else own.ca = own.ca === undefined || own.ca === null ? [ca] : [own.ca, ca].flat();
    return own;
  }

  tls.connect = function (...args) {
    const { options, listener } = normalized(args);
    const own = led(options);
    if (own === undefined) return connect.apply(this, args);
    return listener === undefined ? connect.call(this, own) : connect.call(this, own, listener);
  };
  syncBuiltinESMExports();
}

const run = globalThis[LOADED] ? undefined : runOf(process.env);
if (run !== undefined) {
  globalThis[LOADED] = true;
  wrap(run);
}
