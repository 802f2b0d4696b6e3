import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/** The package's own switches are for Lambda, and turn off what a browser protects. */
const switches = ['--no-sandbox', '--no-zygote', '--disable-webgl', '--font-render-hinting=none'];

/**
 * A browser for the tests: on Linux and x86-64 the one that an npm package carries, elsewhere the system's (`CHROME_PATH`, or by its
 * name). Undefined, and said so, where there is none; CI does not go without.
 */
export async function startBrowser(): Promise<Browser | undefined> {
  const found = process.platform === 'linux' && process.arch === 'x64' ? await carried() : installed();
  if (found) return chromium.launch({ args: switches, ...found });
  const said = 'no Chromium was found, set CHROME_PATH to one';
  if (process.env['CI']) throw new Error(said);
  console.warn(`The panel is not tried in a browser: ${said}.`);
  return undefined;
}

interface Found {
  executablePath: string;
  env?: Record<string, string>;
}

function installed(): Found | undefined {
  const names = [process.env['CHROME_PATH'], ...ways];
  const executablePath = names.find((name) => name && spawnSync(name, ['--version']).status === 0);
  return executablePath ? { executablePath } : undefined;
}

const ways = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

const cache = join(import.meta.dirname, '../../node_modules/.cache/chromium-153');

/** Unpacked once, with the libraries and the font that a machine may lack. */
async function carried(): Promise<Found> {
  if (!existsSync(cache)) {
    await mkdir(dirname(cache), { recursive: true });
    const folder = await mkdtemp(`${cache}-`);
    await unpackInto(folder);
    // Another process may have been faster.
    await rename(folder, cache).catch(() => rm(folder, { recursive: true }));
  }
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(cache, 'al2023/lib'),
    FONTCONFIG_FILE: join(cache, 'fonts.conf'),
  };
  return { executablePath: join(cache, 'chromium'), env: env as Record<string, string> };
}

async function unpackInto(folder: string): Promise<void> {
  const { default: carrier, inflate } = await import('@sparticuz/chromium');
  const { TMPDIR } = process.env;
  // The package unpacks to there.
  process.env['TMPDIR'] = folder;
  try {
    await carrier.executablePath();
    await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium'))));
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
  const dirs = [join(cache, 'fonts'), '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
  await writeFile(join(folder, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${dirs}</fontconfig>`);
}
