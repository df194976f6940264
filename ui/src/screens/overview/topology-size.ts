export const ROW_PX = 48;
export const NODE_PX = 40;
const MIN_ROWS = 2;

/** The height of the drawing of this many targets. */
export const heightOf = (targets: number): number => Math.max(MIN_ROWS, targets) * ROW_PX;
