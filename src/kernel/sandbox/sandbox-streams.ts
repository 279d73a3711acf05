import { Injectable } from '@nestjs/common';

/** One stream of a sandbox, as tests see it. */
export interface SandboxStream {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts: string | null;
  readonly app_id: string;
  readonly state: string;
  readonly started_at: string;
  readonly expires_at: string | null;
  readonly appends: number;
  readonly characters: number;
}

/** Which streams; absent: all. */
export interface StreamChoice {
  /** Ids of conversations. */
  readonly channels?: readonly string[] | undefined;
  readonly ts?: string | undefined;
}

interface Streams {
  /** The newest. */
  list(tenantId: number): Promise<SandboxStream[]>;
  /** Expires open ones; returns how many. */
  expire(tenantId: number, choice: StreamChoice): Promise<number>;
}

/** The streams of a sandbox: the chat product registers itself. */
@Injectable()
export class SandboxStreams implements Streams {
  private streams: Streams | undefined;

  register(streams: Streams): void {
    this.streams = streams;
  }

  async list(tenantId: number): Promise<SandboxStream[]> {
    return (await this.streams?.list(tenantId)) ?? [];
  }

  async expire(tenantId: number, choice: StreamChoice): Promise<number> {
    return (await this.streams?.expire(tenantId, choice)) ?? 0;
  }
}
