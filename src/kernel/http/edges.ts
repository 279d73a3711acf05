import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A part of the HTTP surface with its own idea of bodies and errors (method calls, GraphQL). What belongs to no edge is
 * plain REST: JSON in, JSON out.
 */
export interface HttpEdge {
  /** `path` has no query string. */
  owns(path: string, method: string): boolean;
  /** The body reaches the edge as a Buffer; true leaves errors of reading it to the edge as well. */
  readonly rawBody: boolean;
  /** Answers what failed before or outside a route of this edge: unreadable body, unknown route, overload. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): void;
}

/** Filled when the application is composed, read for each request. */
export class HttpEdges {
  private readonly edges: HttpEdge[] = [];

  add(edge: HttpEdge): void {
    this.edges.push(edge);
  }

  of(path: string, method: string): HttpEdge | undefined {
    return this.edges.find((edge) => edge.owns(path, method));
  }
}

export const pathOf = (url: string): string => {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
};
