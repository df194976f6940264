/** How many letters have to be inserted, removed or replaced to turn one text into the other. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1)
      next.push(
        Math.min(
          next[column - 1]! + 1,
          row[column]! + 1,
          row[column - 1]! + (other[column - 1] === one[index] ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[other.length]!;
}
