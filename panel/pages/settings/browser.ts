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

/** Returns the browser and the system that a `User-Agent` tells of; of a program its name. */
export function browserOf(userAgent: string): { browser: string | undefined; system: string | undefined } {
  const nameIn = (names: Record<string, string>) =>
    Object.entries(names).find(([part]) => userAgent.includes(part))?.[1];
  const [program = ''] = /^[\w.-]+/.exec(userAgent) ?? [];
  const browser = nameIn(browsers) ?? (program === '' || program === 'Mozilla' ? undefined : program);
  return { browser, system: nameIn(systems) };
}
