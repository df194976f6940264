/** The browser's parse error, which names the position; undefined if the text is JSON. */
export function describeJsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}.`;
  }
}
