/** `understudy/testing`: servers and sandboxes for tests. */
export {
  startUnderstudy,
  connect,
  Pool,
  Server,
  type ClaimOptions,
  type ConnectOptions,
  type PoolOptions,
  type StartOptions,
} from './server.js';
export { Sandbox } from './sandbox.js';
export type { Assertion, Changes, MessageWhere, Snapshot, WaitOptions } from './sandbox-types.js';
export {
  Person,
  type ActOptions,
  type ClickOptions,
  type MessageRef,
  type PostOptions,
  type Target,
  type ViewRef,
} from './person.js';
export {
  Deliveries,
  Fault,
  Removable,
  SandboxClock,
  type ClockState,
  type Delivery,
  type FaultSpec,
} from './control.js';
export { ApiError, ExpectationError } from './errors.js';
export { toMatcher } from './matchers.js';
export type {
  Acted,
  AppCredentials,
  Credentials,
  Entry,
  Environment,
  Message,
  SeedDocument,
  Suggested,
  Where,
} from './types.js';
