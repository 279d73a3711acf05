import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { Caller } from '../access/conversation-access.js';
import { outsideMarkup } from '../wire/link-text.js';
import { NAMED } from './name-links.queries.js';

const NAME = /(?<![\p{L}\p{N}_-])[#@]([\p{L}\p{N}_.-]{1,80})/gu;
/** With more different names in one text the rest is left unlinked. */
const MAX_NAMES = 200;

/** `#channel`, `@person` and `@group` as links (`parse=full`, `link_names`). */
@Injectable()
export class NameLinks {
  constructor(private readonly db: Db) {}

  async linked(caller: Caller, text: string, wanted: boolean): Promise<string> {
    if (!wanted) return text;
    const names = new Set<string>();
    outsideMarkup(text, (part) => {
      for (const [, name] of part.matchAll(NAME)) names.add(bare(name as string));
      return part;
    });
    if (names.size === 0 || names.size > MAX_NAMES) return text;
    const rows = await this.db.read<{ name: string; link: string }>(NAMED, [
      caller.workspaceId,
      caller.userId,
      [...names],
    ]);
    const links = new Map(rows.map(({ name, link }) => [name, link]));
    return outsideMarkup(text, (part) =>
      part.replace(NAME, (found) => {
        const name = bare(found);
        return (links.get(name) ?? name) + found.slice(name.length);
      }),
    );
  }
}

/** Without the full stop of its sentence. */
const bare = (name: string): string => name.replace(/[.]{1,80}$/, '');
