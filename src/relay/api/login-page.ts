import { html } from 'ghtml';

/**
 * Shown if a login link is not accepted. Plain HTML, because the dashboard may not be built.
 * @param elsewhere where the link is accepted
 */
export function loginPage(heading: string, text: string, elsewhere?: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${heading} – Switchboard</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 34rem;
            margin: 15vh auto;
            padding: 0 1.5rem;
          }
        </style>
      </head>
      <body>
        <h1>${heading}</h1>
        <p>${text}</p>
        !${elsewhere === undefined ? '' : html`<p><a href="${elsewhere}">Open the link there</a></p>`}
        <p>
          On the machine that runs Switchboard, <code>switchboard login-link</code> prints a new link. With
          the admin token you can also <a href="/">log in at the dashboard</a>.
        </p>
      </body>
    </html>`;
}
