/** A count as people read it: `17,480`. */
export const formatCount = (count: number): string => count.toLocaleString('en');
