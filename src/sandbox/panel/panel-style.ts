import { html } from '../html-page';

/** What the panel's page adds to the sandbox's one style. */
export const PANEL_STYLE = html`<style>
  body {
    padding-bottom: 6rem;
  }
  nav {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    margin: 0 0 1rem;
  }
  a {
    color: var(--link);
  }
  h3 {
    font-size: 1rem;
    margin: 1rem 0 0.25rem;
  }
  article + article {
    border-top: 1px solid var(--line);
    margin-top: 1rem;
  }
  article p {
    margin: 0.25rem 0;
    overflow-wrap: anywhere;
  }
  td form {
    margin: 0 0 0.25rem;
    flex-wrap: nowrap;
  }
  td details form {
    flex-wrap: wrap;
  }
  td {
    overflow-wrap: anywhere;
  }
  td ul {
    margin: 0.25rem 0;
    padding-left: 1.1rem;
  }
  summary {
    cursor: pointer;
  }
  .line {
    display: block;
  }
  b {
    font-weight: 600;
  }
  .good {
    color: var(--good);
  }
  .bad,
  .error {
    color: var(--bad);
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  #notice:not(:empty) {
    position: fixed;
    inset: auto 1rem 1rem;
    max-width: 58rem;
    margin: 0 auto;
    display: flex;
    gap: 1rem;
    align-items: center;
    justify-content: space-between;
    padding: 0.75rem 1rem;
    border-radius: 0.5rem;
    border: 1px solid var(--edge);
    background: Canvas;
    box-shadow: 0 0.25rem 1rem #0006;
  }
  #notice p {
    margin: 0;
    overflow-wrap: anywhere;
  }
  @media (max-width: 44rem) {
    thead {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    table,
    tbody,
    tr,
    td {
      display: block;
    }
    tr {
      padding: 0.5rem 0;
      border-bottom: 1px solid var(--line);
    }
    td {
      border: 0;
      padding: 0.15rem 0;
    }
    td[data-label]::before {
      content: attr(data-label) ': ';
      opacity: 0.75;
    }
    td[data-label='Acts']::before {
      content: none;
    }
    :is(input, select, textarea) {
      min-width: 0;
      max-width: 100%;
    }
  }
</style>`;
