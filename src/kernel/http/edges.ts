import type { FastifyReply, FastifyRequest } from 'fastify';
import { VendorHosts } from './vendor-hosts.js';

export { pathOf } from './tidy-url.js';

/**
 * A part of the HTTP surface with its own format of bodies and errors (method calls, GraphQL). Everything else is plain
 * REST: JSON in, JSON out.
 */
export interface HttpEdge {
  /** `path` has no query string. */
  owns(path: string, method: string): boolean;
  /** The body reaches the edge as a Buffer; true leaves errors of reading it to the edge as well. */
  readonly rawBody: boolean;
  /** The verbs of each of its routes, whatever those say. Absent: as they say. */
  readonly verbs?: readonly string[];
  /**
   * Whether it takes this request from callers who show no good credential in a header: bodies of up to 64 KiB are then
   * read before it is known who sends them. Absent: none.
   */
  takesStrangers?(request: FastifyRequest): boolean;
  /**
   * Whether a longer body may be read, by a credential elsewhere than in a header. Absent: none may.
   * @param start what has arrived of it
   * @throws what the request is refused with
   */
  requireCredential?(request: FastifyRequest, start: Buffer): Promise<void>;
  /** Answers a failure before or outside a route of this edge: unreadable body, unknown route, overload. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void;
}

/** Filled when the application is composed, read for each request. */
export class HttpEdges {
  readonly vendorHosts = new VendorHosts();
  private readonly edges: HttpEdge[] = [];
  private readonly large: RegExp[] = [];
  private readonly documents: { readonly paths: RegExp; readonly bodyLimit: number }[] = [];
  private readonly lines: RegExp[] = [];
  private readonly forms = new Set<string>();
  private readonly waiting: RegExp[] = [];
  private readonly long: RegExp[] = [];
  private readonly strangers: RegExp[] = [];
  private readonly signingIn: RegExp[] = [];

  add(edge: HttpEdge): void {
    this.edges.push(edge);
  }

  /** Routes that answer when something has happened: their calls do not count as running. */
  addWaiting(paths: RegExp): void {
    this.waiting.push(paths);
  }

  isWaiting(path: string): boolean {
    return this.waiting.some((paths) => paths.test(path));
  }

  /** Routes whose work is as large as what they are given, or as a tenant: seeds, resets, copies. */
  addLongWork(paths: RegExp): void {
    this.long.push(paths);
  }

  mayTakeLong(path: string): boolean {
    return this.long.some((paths) => paths.test(path));
  }

  /** Routes where people sign in: too many of their calls at once are 429, as too many tries are. */
  addSigningIn(paths: RegExp): void {
    this.signingIn.push(paths);
  }

  isSigningIn(path: string): boolean {
    return this.signingIn.some((paths) => paths.test(path));
  }

  /** Plain REST routes that take bodies of up to 64 KiB from callers who show no good credential in a header. */
  addForStrangers(paths: RegExp): void {
    this.strangers.push(paths);
  }

  takesStrangers(path: string): boolean {
    return this.strangers.some((paths) => paths.test(path));
  }

  /** A control-plane route that takes form fields beside JSON. */
  addForm(path: string): void {
    this.forms.add(path);
  }

  /** Routes whose bodies may be larger than 2 MiB, and take longer to arrive. */
  addLargeBodies(paths: RegExp): void {
    this.large.push(paths);
  }

  /** Routes that accept YAML besides JSON, and JSON of up to this many bytes. */
  addDocuments(paths: RegExp, bodyLimit: number): void {
    this.documents.push({ paths, bodyLimit });
    this.large.push(paths);
  }

  /** Routes that take lines of JSON (`application/x-ndjson`) of up to this many bytes, unparsed, and nothing else. */
  addLines(paths: RegExp, bodyLimit: number): void {
    this.lines.push(paths);
    this.addDocuments(paths, bodyLimit);
  }

  takesLines(path: string): boolean {
    return this.lines.some((paths) => paths.test(path));
  }

  /** Undefined for a route that accepts no documents. */
  documentLimit(path: string): number | undefined {
    return this.documents.find(({ paths }) => paths.test(path))?.bodyLimit;
  }

  takesLargeBodies(path: string): boolean {
    return this.large.some((paths) => paths.test(path));
  }

  takesForms(path: string): boolean {
    return this.forms.has(path);
  }

  of(path: string, method: string): HttpEdge | undefined {
    return this.edges.find((edge) => edge.owns(path, method));
  }
}
