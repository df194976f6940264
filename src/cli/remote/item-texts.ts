/** The texts of the objects in the list `data` of a response, as they are: parsing would round long numbers. */
export function itemTexts(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  // Strings count as a whole, so that brackets in them are not counted.
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '{' && depth === ITEM_DEPTH) start = index;
    if (token === '}' && depth === ITEM_DEPTH) items.push(text.slice(start, index + 1));
    if (token === '}' || token === ']') depth -= 1;
    if (token === ']' && depth === 1) break;
  }
  return items;
}

/** In the object of the response, in its list. */
const ITEM_DEPTH = 3;
