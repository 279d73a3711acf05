/** A parameter of a function, as a manifest has it under its name. */
interface ManifestParameter {
  readonly type: string;
  readonly title?: string;
  readonly description?: string;
  readonly is_required?: boolean;
}

export type ManifestParameters = Readonly<Record<string, ManifestParameter>>;

/** A function as a manifest has it under its callback id. */
export interface ManifestFunction {
  readonly title: string;
  readonly description?: string;
  readonly input_parameters?: ManifestParameters;
  readonly output_parameters?: ManifestParameters;
}

/** What we read of an app's manifest; it is stored and returned as sent (docs/reference/control-plane.md#apps). */
export interface AppManifest {
  display_information: { name: string };
  oauth_config?: { scopes?: { bot?: string[]; user?: string[] }; redirect_urls?: string[]; pkce_enabled?: boolean };
  features?: {
    bot_user?: { display_name?: string };
    agent_view?: { agent_description: string; suggested_prompts?: { title: string; message: string }[] };
    assistant_view?: { assistant_description: string; suggested_prompts?: { title: string; message: string }[] };
    app_home?: { home_tab_enabled?: boolean; messages_tab_enabled?: boolean };
    shortcuts?: { name: string; type: 'global' | 'message'; callback_id: string; description: string }[];
    slash_commands?: { command: string; url?: string; description?: string; usage_hint?: string }[];
    unfurl_domains?: string[];
  };
  settings?: {
    event_subscriptions?: { request_url?: string; bot_events?: string[]; user_events?: string[] };
    socket_mode_enabled?: boolean;
    token_rotation_enabled?: boolean;
    interactivity?: { request_url?: string; message_menu_options_url?: string };
  };
  functions?: Readonly<Record<string, ManifestFunction>>;
  [other: string]: unknown;
}
