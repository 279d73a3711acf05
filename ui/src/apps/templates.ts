/** Example manifests to start from. */
export const TEMPLATES: readonly (readonly [string, string])[] = [
  [
    'Bot',
    `display_information:
  name: my-bot
features:
  bot_user:
    display_name: my-bot
oauth_config:
  scopes:
    bot:
      - chat:write
      - channels:read
      - channels:history
`,
  ],
  [
    'Bot with events',
    `display_information:
  name: my-bot
oauth_config:
  scopes:
    bot:
      - chat:write
      - app_mentions:read
      - channels:history
      - reactions:read
settings:
  event_subscriptions:
    request_url: http://127.0.0.1:9000/slack/events
    bot_events:
      - app_mention
      - message
      - reaction_added
`,
  ],
  [
    'Slash command',
    `display_information:
  name: deploy-bot
features:
  slash_commands:
    - command: /deploy
      url: http://127.0.0.1:9000/slack/command
      description: Deploys a version
      usage_hint: "[environment]"
oauth_config:
  scopes:
    bot:
      - commands
      - chat:write
`,
  ],
  [
    'Buttons',
    `display_information:
  name: ask-bot
oauth_config:
  scopes:
    bot:
      - chat:write
settings:
  interactivity:
    is_enabled: true
    request_url: http://127.0.0.1:9000/slack/interactive
`,
  ],
];
