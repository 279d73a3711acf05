import { isBlank, isJsonObject, isLongerThan } from '../wire/text.js';
import type { AppManifest } from '../store/app-manifest.js';

const MAX_DESCRIPTION = 300;
const MAX_PROMPTS = 4;

/** What is wrong with the views of an agent or assistant; an app is one of them at most. @param at path of the features */
export function agentFaults(features: Record<string, unknown>, at: string): string[] {
  const views = [
    ['agent_view', 'agent_description'],
    ['assistant_view', 'assistant_description'],
  ] as const;
  const there = views.filter(([name]) => features[name] !== undefined && features[name] !== null);
  if (there.length === 2) return [`${at} must be with agent_view or assistant_view, not both`];
  return there.flatMap(([name, description]) => viewFaults(features[name], description, `${at}.${name}`));
}

function viewFaults(view: unknown, description: string, at: string): string[] {
  if (!isJsonObject(view)) return [`${at} must be an object`];
  const said = view[description];
  const faults: string[] = [];
  if (typeof said !== 'string' || isBlank(said) || isLongerThan(said, MAX_DESCRIPTION)) {
    faults.push(`${at}.${description} must be a string of 1 to ${MAX_DESCRIPTION} characters`);
  }
  const prompts = view['suggested_prompts'];
  if (prompts === undefined || prompts === null) return faults;
  const isPrompt = (prompt: unknown): boolean =>
    isJsonObject(prompt) && typeof prompt['title'] === 'string' && typeof prompt['message'] === 'string';
  if (!Array.isArray(prompts) || prompts.length > MAX_PROMPTS || !prompts.every(isPrompt)) {
    faults.push(`${at}.suggested_prompts must be an array of at most ${MAX_PROMPTS} objects with title and message`);
  }
  return faults;
}

/** The bot's scopes that a manifest asks for: an agent or assistant has `assistant:write` too. */
export function botScopesOf({ oauth_config: oauth, features }: AppManifest): string[] {
  const asked = oauth?.scopes?.bot ?? [];
  const isNeeded = Boolean(features?.agent_view ?? features?.assistant_view) && !asked.includes('assistant:write');
  return isNeeded ? [...asked, 'assistant:write'] : [...asked];
}
