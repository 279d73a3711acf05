import { Injectable } from '@nestjs/common';
import { Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { EntityNeeds } from '../../entity/service.js';
import type { CandidateRepository, RepositorySuggestion } from './agent-sessions.inputs.js';
import { SUGGESTION_TEXTS, type SuggestionTexts } from './repository-suggestions.queries.js';

/** Which repositories an issue is about, by words (docs/reference/tracker-agents.md#repositories). */
@Injectable()
export class RepositorySuggestions {
  private readonly issues: Door<'Issue'>;

  constructor(private readonly needs: EntityNeeds) {
    this.issues = new Door(needs.db, 'Issue');
  }

  /** All candidates, the likeliest first. @throws notFound */
  async of(
    viewer: Viewer,
    issueId: string,
    candidates: readonly CandidateRepository[],
  ): Promise<RepositorySuggestion[]> {
    const { id } = await this.issues.visible(viewer, issueId);
    const [texts] = await this.needs.db.read<SuggestionTexts>(SUGGESTION_TEXTS, [id]);
    return candidates
      .map(({ hostname, repositoryFullName }) => ({
        hostname,
        repositoryFullName,
        confidence: texts ? confidence(texts, hostname, repositoryFullName) : 0.1,
      }))
      .toSorted((a, b) => b.confidence - a.confidence);
  }
}

function confidence({ urls, said, around }: SuggestionTexts, hostname: string, fullName: string): number {
  const full = fullName.toLowerCase();
  const name = full.split('/').at(-1) ?? full;
  const address = `${hostname.toLowerCase()}/${full}`;
  if (urls.some((url) => hasWord(url.toLowerCase(), address))) return 0.9;
  const text = said.toLowerCase();
  if (hasWord(text, full) || hasWord(text, name)) return 0.7;
  const words = name.split(/[^a-z0-9]+/).filter((word) => word.length >= 3);
  return words.some((word) => hasWord(around.toLowerCase(), word)) ? 0.4 : 0.1;
}

/** The word with neither letter, digit nor hyphen beside it. */
function hasWord(text: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return word !== '' && new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text);
}
