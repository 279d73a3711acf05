import { Injectable } from '@nestjs/common';
import { newAlphanumeric } from '../../kernel/ids/ids.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { AppSecrets } from '../model/workspace-setup.js';
import { AppRequests } from './app-requests.js';

/** The handshake that shows that a URL wants its app's events (messaging.md D.5). */
@Injectable()
export class UrlVerification {
  constructor(private readonly requests: AppRequests) {}

  /** True when the challenge came back, as text, as `challenge=…` or as JSON, within 3 s. */
  async verify(url: string, app: AppSecrets): Promise<boolean> {
    const challenge = newAlphanumeric(48);
    try {
      const { status, text } = await this.requests.json(url, app.signingSecret, {
        token: app.verificationToken,
        challenge,
        type: 'url_verification',
      });
      return status === 200 && isAnswer(text.trim(), challenge);
    } catch (error) {
      if (error instanceof RestError) return false;
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
