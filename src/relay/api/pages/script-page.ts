import { createHash } from 'node:crypto';
import { html } from 'ghtml';
import { htmlPage } from '../../http/html-page';

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
    policy: `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; font-src 'self'; connect-src 'self'; frame-ancestors 'none'`,
    html: htmlPage(title, {
      body: html`<p id="state" role="status">${title} …</p>
        <noscript><p>The Switchboard dashboard requires JavaScript.</p></noscript>`,
      after: `<script>${script}</script>`,
    }),
  };
}

/** A value as a JavaScript literal that is safe in an HTML script element. */
export const literal = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
