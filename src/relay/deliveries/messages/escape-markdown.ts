/**
 * A text that services show as it is (CommonMark, 2.4). Otherwise `[text](url)` in a name, or in what another server
 * has said, would become a link that hides its address.
 */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_~|[\]()<>@#]/g, String.raw`\$&`);
