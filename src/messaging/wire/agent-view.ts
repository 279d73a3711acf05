import type { NewApp } from '../store/app.entity.js';

/** A prompt that an agent suggests: `title` is on the button, `message` is what it posts. */
export interface Prompt {
  readonly title: string;
  readonly message: string;
}

type ViewedApp = Pick<NewApp, 'manifest' | 'socketMode'>;

/** An app that was made without a manifest is both (docs/reference/control-plane.md#apps). */
const isBoth = ({ manifest, socketMode }: ViewedApp): boolean =>
  socketMode === 'auto' && !manifest.features?.agent_view && !manifest.features?.assistant_view;

/** Whether the app has an agent's page. */
export const isAgent = (app: ViewedApp): boolean => Boolean(app.manifest.features?.agent_view) || isBoth(app);

/** Whether people begin threads with the app. */
export const isAssistant = (app: ViewedApp): boolean => Boolean(app.manifest.features?.assistant_view) || isBoth(app);

/** The manifest's prompts, which are shown until the app sets its own. */
export const promptsOf = ({ manifest }: ViewedApp): readonly Prompt[] =>
  manifest.features?.agent_view?.suggested_prompts ?? manifest.features?.assistant_view?.suggested_prompts ?? [];
