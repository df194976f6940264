import { html } from 'ghtml';
import { plainPage } from '../../http/html-page';

/**
 * Shown if a login link is not accepted. Plain HTML, because the dashboard may not be built.
 * @param elsewhere where the link is accepted
 */
export const loginPage = (heading: string, text: string, elsewhere?: string): string =>
  plainPage(
    heading,
    html`<p>${text}</p>
      !${elsewhere === undefined ? '' : html`<nav><a href="${elsewhere}">Open the link there</a></nav>`}
      <p>
        On the machine that runs Switchboard, <code>switchboard login-link</code> prints a new link. With the
        admin token you can also <a href="/">sign in</a>.
      </p>`,
  );
