import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page of another site could have made a browser send this. Browsers name the page's origin with WebSockets, and the kind of
 * request with everything that they send; other clients send neither header. A header of the client's own choice cannot be set from
 * another site without asking first (a preflight, which this service does not grant).
 */
export function mayComeFromAnotherSite(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  if (origin !== undefined) return !isSameHost(origin, host);
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return false;
}

function isSameHost(origin: string, host: string | undefined): boolean {
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
}
