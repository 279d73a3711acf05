/** Security headers of every page and file of the web UI. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

/** Which page it is: GraphiQL's editor needs inline styles and embedded fonts. */
export type Page = 'app' | 'graphiql';

/** What a page may load and do: nothing from another origin, except images when a setting allows them. */
export function contentSecurityPolicy(page: Page, options: { nonce: string; remoteImages: boolean }): string {
  const nonce = `'nonce-${options.nonce}'`;
  return [
    `default-src 'none'`,
    `script-src 'self' ${nonce}`,
    page === 'app' ? `style-src 'self' ${nonce}` : `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:${options.remoteImages ? ' https: http:' : ''}`,
    page === 'app' ? `font-src 'self'` : `font-src 'self' data:`,
    `connect-src 'self'`,
    `worker-src 'self'`,
    `base-uri 'self'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
