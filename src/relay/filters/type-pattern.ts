/**
 * Whether an event type matches a pattern, in which `*` stands for any characters. Linear time without backtracking: a
 * regular expression with many `*` could block the intake for hours.
 */
export function patternMatcher(pattern: string): (type: string) => boolean {
  const [head = '', ...parts] = pattern.split('*');
  const tail = parts.pop();
  if (tail === undefined) return (type) => type === pattern;
  return (type) => {
    const end = type.length - tail.length;
    if (end < head.length || !type.startsWith(head) || !type.endsWith(tail)) return false;
    let from = head.length;
    for (const part of parts) {
      const at = type.indexOf(part, from);
      if (at === -1 || at + part.length > end) return false;
      from = at + part.length;
    }
    return true;
  };
}
