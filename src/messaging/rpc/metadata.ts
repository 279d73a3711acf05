/** Keys under which the decorators of contract.ts leave a method's contract. */
export const METHOD_NAME = Symbol('rpc:name');
export const METHOD_SCOPES = Symbol('rpc:scopes');
export const METHOD_TIER = Symbol('rpc:tier');
export const METHOD_CORE = Symbol('rpc:core');
