import { createHash } from 'node:crypto';
import { html } from 'ghtml';

/** A page that only runs one script, and the Content-Security-Policy that allows nothing else. */
export interface ScriptPage {
  html: string;
  policy: string;
}

/**
 * @param title also shown until the script has finished
 * @param script inserted as is; use `literal` for values in it
 */
export function scriptPage(title: string, script: string): ScriptPage {
  const hash = createHash('sha256').update(script).digest('base64');
  return {
    policy: `default-src 'none'; script-src 'sha256-${hash}'; connect-src 'self'; frame-ancestors 'none'`,
    html: html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>${title} – Switchboard</title>
        </head>
        <body>
          <p id="state" role="status">${title} …</p>
          <noscript><p>The Switchboard dashboard requires JavaScript.</p></noscript>
          !${`<script>${script}</script>`}
        </body>
      </html>`,
  };
}

/** A value as a JavaScript literal that is safe in an HTML script element. */
export const literal = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
