import { Injectable } from '@nestjs/common';
import { newAlphanumeric } from '../../kernel/ids/ids.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Log } from '../../kernel/log/log.js';
import { originOf } from '../../webhooks/origin-of.js';
import type { AppSecrets } from '../provisioning/initial-values.js';
import { AppRequests } from './app-requests.js';

/** The handshake by which a URL confirms that it wants its app's events (docs/reference/events.md#handshake). */
@Injectable()
export class UrlVerification {
  constructor(
    private readonly requests: AppRequests,
    private readonly log: Log,
  ) {}

  /** Logs a failure. @param about the subscription, if there is one, its URL, and the number of the attempt */
  tell(reason: string, about: { target?: string; url: string; attempt?: number }): void {
    const { target, url, attempt = 1 } = about;
    this.log.info('handshake failed', {
      ...(target !== undefined && { target }),
      origin: originOf(url),
      reason,
      attempt,
    });
  }

  /**
   * Why it failed; undefined when the challenge was returned, as text, as `challenge=…` or as JSON, within 3 s. Whoever
   * knows the subscription logs it.
   */
  async failureOf(url: string, app: AppSecrets, workspaceId: string): Promise<string | undefined> {
    const challenge = newAlphanumeric(48);
    try {
      const { status, text } = await this.requests.json(
        { url, secret: app.signingSecret, workspaceId },
        {
          token: app.verificationToken,
          challenge,
          type: 'url_verification',
        },
      );
      return status === 200 && isAnswer(text.trim(), challenge) ? undefined : 'challenge_failed';
    } catch (error) {
      if (error instanceof RestError) return error.code;
      throw error;
    }
  }
}

function isAnswer(text: string, challenge: string): boolean {
  if (text === challenge || text === `challenge=${challenge}`) return true;
  try {
    const json = JSON.parse(text) as { challenge?: unknown } | null;
    return json?.challenge === challenge || (json as unknown) === challenge;
  } catch {
    return false;
  }
}
