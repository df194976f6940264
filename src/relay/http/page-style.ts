/** The style of pages without the dashboard: its sign-in card, light and dark. */
export const PAGE_STYLE = `<style>
  @font-face {
    font-family: Inter;
    font-weight: 100 900;
    src: url(/assets/inter.woff2);
  }
  :root {
    color-scheme: light dark;
    --ground: #f7f7f9;
    --surface: #fff;
    --sunken: #f3f4f6;
    --line: #e4e6ea;
    --edge: #cdd1d8;
    --ink: #16181d;
    --muted: #59606d;
    --accent: #4448b5;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #0f1115;
      --surface: #15181e;
      --sunken: #101318;
      --line: #272c36;
      --edge: #3c4350;
      --ink: #e8eaef;
      --muted: #9ba2af;
      --accent: #a5abff;
    }
  }
  body {
    display: grid;
    place-items: center;
    min-height: 100vh;
    min-height: 100dvh;
    box-sizing: border-box;
    margin: 0;
    padding: 16px;
    background: var(--ground);
    color: var(--ink);
    font: 14px/1.5 Inter, system-ui, sans-serif;
  }
  main {
    width: 100%;
    max-width: 420px;
    box-sizing: border-box;
    padding: 32px;
    border: 1px solid var(--line);
    border-radius: 12px;
    background: var(--surface);
    box-shadow: 0 4px 12px rgb(0 0 0 / 6%);
    overflow-wrap: anywhere;
  }
  header {
    display: flex;
    align-items: center;
    gap: 8px;
    margin-bottom: 16px;
    font-size: 15px;
    font-weight: 600;
  }
  h1 {
    margin: 0 0 12px;
    font-size: 20px;
    line-height: 1.3;
  }
  h2 {
    margin: 16px 0 4px;
    font-size: 14px;
  }
  p {
    margin: 0 0 12px;
  }
  a {
    color: var(--accent);
  }
  code {
    padding: 1px 5px;
    border-radius: 4px;
    background: var(--sunken);
  }
  nav {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    margin: 20px 0;
  }
  nav a {
    padding: 10px 16px;
    border: 1px solid var(--edge);
    border-radius: 6px;
    color: var(--ink);
    text-decoration: none;
  }
  nav a:first-child {
    border-color: var(--ink);
    background: var(--ink);
    color: var(--surface);
  }
  nav a:hover {
    text-decoration: underline;
  }
  small {
    color: var(--muted);
  }
  @media (max-width: 480px) {
    main {
      padding: 24px 16px;
    }
  }
</style>`;
