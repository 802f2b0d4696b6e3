/** The names of browsers and systems, the most telling first: most browsers say that they are Chrome or Safari, too. */
const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  Firefox: 'Firefox',
  FxiOS: 'Firefox',
  CriOS: 'Chrome',
  Chrome: 'Chrome',
  Safari: 'Safari',
};
const systems = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  Macintosh: 'macOS',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

/** Returns the browser and the system that a `User-Agent` tells of; undefined where it tells not of both. */
export function browserOf(userAgent: string): { browser: string; system: string } | undefined {
  const nameIn = (names: Record<string, string>) =>
    Object.entries(names).find(([part]) => userAgent.includes(part))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  return browser && system ? { browser, system } : undefined;
}
