/** The cookies that a response sets, as a browser returns them: `name=value; …`, or ''. */
export const cookiesOf = ({ headers }: { headers: Headers }): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ');
