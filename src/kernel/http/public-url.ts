import { Inject, Injectable } from '@nestjs/common';
import { publicUrl, SETTINGS_TOKEN, type Settings } from '../config/settings.js';

/** Base of every URL that the server returns. Final once the server listens, as `PORT=0` takes any free port. */
@Injectable()
export class PublicUrl {
  /** Without a final slash. */
  base: string;

  constructor(@Inject(SETTINGS_TOKEN) private readonly settings: Settings) {
    this.base = publicUrl(settings);
  }

  listening(port: number): void {
    this.base = publicUrl(this.settings, port);
  }
}
