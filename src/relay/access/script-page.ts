import { createHash } from 'node:crypto';

/** A page that does one thing by script, and the policy to send it under: nothing else runs there. */
export interface ScriptPage {
  html: string;
  policy: string;
}

/**
 * @param title also what is shown until the script is through
 * @param script as it stands in the page; `literal` writes values into it
 */
export function scriptPage(title: string, script: string): ScriptPage {
  const hash = createHash('sha256').update(script).digest('base64');
  return {
    policy: `default-src 'none'; script-src 'sha256-${hash}'; connect-src 'self'; frame-ancestors 'none'`,
    html: `<!doctype html>
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
    <noscript><p>The dashboard of Switchboard needs JavaScript.</p></noscript>
    <script>${script}</script>
  </body>
</html>
`,
  };
}

/** A value as it may stand in a script within HTML. */
export const literal = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
